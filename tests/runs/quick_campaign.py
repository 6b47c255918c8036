"""A campaign of a few seconds, and ways to run it that can be killed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

SPEC = """
name = "quick"
title = "A quick one"
seeds = "1-4"

[data]
name = "make_madelon"
n_samples = 160
n_features = 40

[split]
train = 50
test = 50

[criterion]
name = "knn"

[stop]
max_size = 8

[validation]
classifiers = ["same", "gaussian-nb"]
sizes = [4, 8]

[cost]
model = [3.0, 0.5]

[[arms]]
name = "sSFFS y=10"
method = "sSFFS"
budget = 10
backward_budget = 5
warm_up = "20@5"

[[arms]]
name = "SFS"
method = "SFS"
report = [2, 4]

[[arms]]
name = "BIF"
method = "BIF"
ties = "high"
report = {from = 1, to = 40, step = 13}

[[arms]]
name = "DAF matched"
method = "DAF0"
matches = "sSFFS y=10"

[[arms]]
name = "DAF cost"
method = "DAF0"
probe_sizes = [1, 10]
matches = "sSFFS y=10"
match = "cost"
"""
N_CELLS = 20


def rows_of(run: Path) -> dict[str, bytes]:
    """Return every cell of a run as it stands on the disk."""
    return {path.name: path.read_bytes() for path in sorted((run / "cells").iterdir())}


def finished_of(run: Path) -> dict[str, bytes]:
    """Return the cells of a run that goes on, without those that are being written."""
    return {path.name: path.read_bytes() for path in sorted((run / "cells").glob("[!.]*"))}


def begun(spec: Path, run: Path, *options: str) -> subprocess.Popen[str]:
    """Start `sweepless run` in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "sweepless", "run", str(spec), "-o", str(run), *options],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for_cells(run: Path, count: int, process: subprocess.Popen[str], seconds: float = 120.0) -> None:
    """Wait until so many cells are finished, or the campaign is over."""
    until = time.monotonic() + seconds
    while time.monotonic() < until and process.poll() is None:
        if len(list((run / "cells").glob("[!.]*.json"))) >= count:
            return
        time.sleep(0.002)
