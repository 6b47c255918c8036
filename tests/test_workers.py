"""Workers end with the process that started them, at whatever moment it is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import pytest

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc")

_DRIVER = """
import sys
from joblib import parallel_config
from sklearn.tree import DecisionTreeClassifier
from sweepless import SequentialSelector, make_madelon
data = make_madelon(n_samples=400, n_features=60)
with parallel_config(sys.argv[1]):
    SequentialSelector(DecisionTreeClassifier(random_state=0), n_jobs=2, random_state=0).fit(data.X, data.target)
"""
_MOMENTS = [("loky", 0.1), ("loky", 0.7), ("multiprocessing", 0.2)]  # seconds after the first worker is there
_PATIENCE = 60.0  # seconds, for a busy machine


def marked(mark: str) -> set[int]:
    """Return the processes that were started with a mark in their environment."""
    found = set()
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark.encode() in (entry / "environ").read_bytes():
                found.add(int(entry.name))
    return found


def wait_until(is_so) -> bool:
    until = time.monotonic() + _PATIENCE
    while not (so := is_so()) and time.monotonic() < until:
        time.sleep(0.02)
    return so


def test_no_worker_is_left_behind_by_a_killed_driver():
    started = {}
    for backend, moment in _MOMENTS:
        mark = f"sweepless-test-{uuid4().hex}"
        command, environment = [sys.executable, "-c", _DRIVER, backend], {**os.environ, "MARK": mark}
        started[mark] = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL), moment
    n_workers = 0
    try:
        for mark, (process, moment) in started.items():
            assert wait_until(lambda mark=mark: len(marked(mark)) > 1)
            time.sleep(moment)
            n_workers += len(marked(mark) - {process.pid})
            process.kill()
            process.wait()
        assert n_workers >= len(started)
        assert wait_until(lambda: not any(map(marked, started)))
    finally:
        for pid in set().union(*map(marked, started)):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
