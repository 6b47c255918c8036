"""What all tests share: where the benchmark data are, if they are anywhere."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))  # so that tests can import their naive twins


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The directory of the benchmark sets; skips if there is none."""
    checkout = Path(__file__).resolve().parents[1]
    given = os.environ.get("SWEEPLESS_DATA")
    candidates = [Path(given).expanduser()] if given else [checkout.parent / "shared" / "data"]
    for candidate in candidates:
        if candidate.is_dir():
            return candidate
    if os.environ.get("SWEEPLESS_REQUIRE_DATA"):
        pytest.fail("SWEEPLESS_REQUIRE_DATA is set, but there are no benchmark data", pytrace=False)
    pytest.skip("no benchmark data: no directory in SWEEPLESS_DATA, none at shared/data beside the checkout")
