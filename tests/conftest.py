"""What all tests share: where the benchmark data are, if they are anywhere."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The directory of the benchmark sets; skips if there is none."""
    checkout = Path(__file__).resolve().parents[1]
    given = os.environ.get("SWEEPLESS_DATA")
    directory = Path(given).expanduser() if given else checkout.parent / "shared" / "data"
    if not directory.is_dir():
        from tests.promised import missing

        missing("SWEEPLESS_REQUIRE_DATA", "no benchmark data are in SWEEPLESS_DATA or shared/data beside the checkout")
    return directory
