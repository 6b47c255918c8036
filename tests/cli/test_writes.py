"""Nothing is written but what the user named: every path that a process writes to, as Python's audit events tell."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.live_runs import ENVIRONMENT, SRC

_CHILD = """
import json, os, signal, sys, threading

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGES = ["os." + name for name in "rename remove mkdir rmdir link symlink truncate chmod utime".split()]
written = set()

def note(event, arguments):
    if event == "open" and (arguments[2] or 0) & WRITES or event in CHANGES:
        for path in arguments[: 2 if event in ("os.rename", "os.link") else 1]:
            if isinstance(path, (str, bytes, os.PathLike)):
                written.add(os.path.abspath(os.fsdecode(path)))

sys.addaudithook(note)
from sweepless.cli import main
codes = []
for command in json.loads(sys.argv[1]):
    if "--serve" in command:
        threading.Timer(2.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    codes.append(main(command))
print("\\n" + json.dumps({"codes": codes, "written": sorted(written)}))
"""


@pytest.fixture
def places(tmp_path):
    """Where things are and may be: inputs, outputs, and three places in which nothing may be left."""
    found = {name: tmp_path / name for name in ("in", "out", "home", "work", "temp")}
    for place in found.values():
        place.mkdir()
    rng = np.random.default_rng(0)
    X = rng.integers(0, 5, (40, 8))
    rows = [",".join(map(str, [*row, int(row[2] + row[5] > 4)])) for row in X]
    (found["in"] / "table.csv").write_text("\n".join([",".join([*"abcdefgh", "label"]), *rows]) + "\n")
    return found


def ran(places, *commands):
    """Run commands in one process; return their exit codes and the paths that were written to or changed."""
    environment = ENVIRONMENT | {
        "HOME": str(places["home"]),
        "TMPDIR": str(places["temp"]),
        "MPLCONFIGDIR": str(places["temp"]),  # matplotlib keeps a list of fonts there
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        environment.pop(name, None)
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, json.dumps(commands)],
        env=environment,
        cwd=places["work"],
        capture_output=True,
        text=True,
        check=True,
    )
    told = json.loads(done.stdout.splitlines()[-1])
    return told["codes"], [Path(path) for path in told["written"]]


def is_allowed(path, named, places):
    """The named files, and beside them the files that become them; temporary files; compiled kernels."""
    becomes = any(path.parent == name.parent and path.name.startswith(f".{name.name}.") for name in named)
    compiled = SRC in path.parents and "__pycache__" in (path.name, path.parent.name)
    compiled |= "NUMBA_CACHE_DIR" in os.environ and Path(os.environ["NUMBA_CACHE_DIR"]) in (path, *path.parents)
    temporary = places["temp"] in (path, *path.parents)
    return path in named or becomes or compiled or temporary or path == Path("/dev/null")


def test_commands_write_what_they_were_told_to(places):
    pytest.importorskip("matplotlib")
    pytest.importorskip("uvicorn")
    out = {name: places["out"] / name for name in ("run.jsonl", "found.json", "report.html", "again.json")}
    journal = str(out["run.jsonl"])
    search = ["--label", "label", "--target", "4", "--budget", "4", "--criterion", "cfs"]
    codes, written = ran(
        places,
        ["select", "--data", str(places["in"] / "table.csv"), *search, "--journal", journal]
        + ["--json", str(out["found.json"]), "--report", str(out["report.html"])],
        ["resume", journal, "--json", str(out["again.json"])],
        ["methods"],
    )
    assert codes == [0, 0, 0]
    assert [path for path in written if not is_allowed(path, out.values(), places)] == []
    assert set(out.values()) <= set(written)  # the events are heard
    assert sorted(places["out"].iterdir()) == sorted(out.values())

    before = {path: path.read_bytes() for path in out.values()}
    codes, written = ran(
        places, ["watch", journal], ["watch", journal, "--once"], ["watch", journal, "--serve", "--port", "0"]
    )
    assert codes == [0, 0, 0]
    assert [path for path in written if not is_allowed(path, [], places)] == []
    assert {path: path.read_bytes() for path in places["out"].iterdir()} == before
    for name in ("home", "work"):
        assert list(places[name].iterdir()) == []
    assert [path.name for path in places["in"].iterdir()] == ["table.csv"]
