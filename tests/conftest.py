"""What all tests share: where the benchmark data are, if they are anywhere, which tests are slow, and Ctrl-C."""

from __future__ import annotations

import os
import re
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import pytest

LISTED = (Path(__file__).parent / "slow.txt").read_text(encoding="utf-8")
SLOW = dict(re.findall(r"^(tests/.+?)(?: 1/(\d))?$", LISTED, flags=re.MULTILINE))

signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background, and what they start, ignore it


def is_slow(nodeid: str, place: int) -> bool:
    """Tell whether `slow.txt` lists a test, the so-manieth of the parameters of its function."""
    name = nodeid.partition("[")[0]
    listed = [SLOW[key] for key in (nodeid, name, name.partition("::")[0]) if key in SLOW]
    # Functions with the same parameters begin at different ones, so that together they see all of them.
    return any(not share or (place + crc32(name.encode())) % int(share) for share in listed)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that `slow.txt` lists."""
    places: Counter[str] = Counter()
    for item in items:
        name = item.nodeid.partition("[")[0]
        if is_slow(item.nodeid, places[name]):
            item.add_marker("slow")
        places[name] += 1


@pytest.fixture(autouse=True, scope="session")
def threads_share_everything() -> Iterator[None]:
    """Let threads share work that is too little to be worth it, too, as there is mostly in tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sweepless.criteria.neighbors.resources._LEAST_PAIRS", 0)
        yield


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
