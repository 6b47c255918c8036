"""What all tests share: where the benchmark data are, if they are anywhere, and which tests are slow."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SLOW = {
    line
    for line in (Path(__file__).parent / "slow.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that `slow.txt` lists."""
    for item in items:
        name = item.nodeid.partition("[")[0]
        if SLOW & {item.nodeid, name, name.partition("::")[0]}:
            item.add_marker("slow")


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
