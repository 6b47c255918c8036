"""One campaign at a time in a run directory, whoever looks at it meanwhile."""

from __future__ import annotations

import subprocess
import sys
from threading import Thread

import pytest

from sweepless.errors import CampaignError
from sweepless.runs import parse_spec
from sweepless.runs.status import read_status
from sweepless.runs.store import RunDirectory
from sweepless.schema.run import FORMAT, DataFacts, Header
from tests.runs.quick_campaign import SPEC

_CLAIM = """
import sys
from sweepless.runs.store import RunDirectory
from sweepless.errors import CampaignError
try:
    with RunDirectory(sys.argv[1]).claimed():
        print("got in")
except CampaignError:
    print("kept out")
"""


def another_driver(path) -> str:
    ran = subprocess.run([sys.executable, "-c", _CLAIM, str(path)], capture_output=True, text=True, check=True)
    return ran.stdout.strip()


def begun(path) -> RunDirectory:
    store = RunDirectory(path / "run")
    store.path.mkdir()
    spec = parse_spec(SPEC).kept()
    store.begin(Header(format=FORMAT, name="quick", spec=spec, data=DataFacts("x", 2, 1, 2, "key"), versions={}))
    return store


def test_a_look_at_the_status_does_not_let_another_driver_in(tmp_path):
    pytest.importorskip("fcntl")
    store = begun(tmp_path)
    with store.claimed():
        assert read_status(store.path).is_running is True
        assert another_driver(store.path) == "kept out"
    assert read_status(store.path).is_running is False
    assert another_driver(store.path) == "got in"


def test_nor_does_another_thread_get_in(tmp_path):
    store, said = begun(tmp_path), []

    def claim() -> None:
        try:
            with RunDirectory(tmp_path / "other" / ".." / "run").claimed():
                said.append("got in")
        except CampaignError as error:
            said.append(str(error))

    (tmp_path / "other").mkdir()
    with store.claimed():
        thread = Thread(target=claim)
        thread.start()
        thread.join()
        assert len(said) == 1
        assert said[0].endswith("must have one campaign at a time, got one that is running.")
    claim()
    assert said[1:] == ["got in"]
