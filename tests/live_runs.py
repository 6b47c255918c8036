"""Runs in other processes, slow enough to be watched, and the server that shows them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SRC = Path(__file__).resolve().parents[1] / "src"
ENVIRONMENT = os.environ | {"PYTHONPATH": str(SRC), "PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8"}
_SLOW = """
import sys, time
import numpy as np
from sweepless import Dataset, Journal, run
from sweepless.criteria import FunctionCriterion

def value(members):
    time.sleep(float(sys.argv[2]))
    return float(np.sin(members).sum() - 0.02 * len(members) ** 2)

data = Dataset(np.eye(12), [0, 1] * 6)
run("SFFS", FunctionCriterion(value), data, target=8, journal=Journal(sys.argv[1]))
"""


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "sweepless", *arguments]


@contextmanager
def going_on(path: Path, pause: float) -> Iterator[subprocess.Popen[bytes]]:
    """A search in another process that takes so many seconds for each value."""
    process = subprocess.Popen([sys.executable, "-c", _SLOW, str(path), str(pause)], env=ENVIRONMENT)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def served(path: Path, *arguments: str) -> Iterator[str]:
    """The address of a server in another process, which must end well on Ctrl-C."""
    process = subprocess.Popen(
        command("watch", str(path), "--serve", "--port", "0", *arguments),
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        while line and not line.startswith("http://"):
            line = process.stdout.readline()
        assert line, "the server did not start"
        yield line.split()[0]
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.wait()
