"""Wall time of a ten-seed madelon campaign on one Dask worker and on two.

The campaign is the paper's: sSFFS with budgets 100 and 50 to 165 features, warm-up 200@10, seeds 1 to 10. Workers are
processes of this machine with one thread each, and have compiled everything before the clock starts. Rows must not
depend on how many there are.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from sets import find_data
from sweepless.runs import parse_spec, run_campaign
from sweepless.runs.cluster import local_cluster

SPEC = """
name = "madelon-ten-seeds"
seeds = "1-{seeds}"
rng = "reference"
[data]
name = "madelon"
row_order = "paper"
scale = "paper"
[split]
train = 50
test = 50
[criterion]
name = "knn"
[stop]
max_size = {size}
[validation]
classifiers = ["same"]
sizes = [20, 100, 150]
[[arms]]
name = "sSFFS y=100"
method = "sSFFS"
budget = 100
backward_budget = 50
warm_up = "200@10"
"""


def timed(n_workers: int, n_seeds: int, size: int, folder: Path) -> float:
    """Return the seconds that a cluster of so many warm workers takes, the making of the cluster not counted."""
    with local_cluster(n_workers) as cluster:
        address = cluster.scheduler_address

        def go(text: str, name: str) -> float:
            began = time.monotonic()
            run_campaign(
                parse_spec(text),
                folder / f"{name}-{n_workers}",
                backend="dask",
                scheduler=address,
                data_dir=find_data(),
            )
            return time.monotonic() - began

        go(SPEC.format(seeds=2 * n_workers, size=5), "warm")
        return go(SPEC.format(seeds=n_seeds, size=size), "run")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--size", type=int, default=165)
    parsed = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        one, two = (timed(n_workers, parsed.seeds, parsed.size, folder) for n_workers in (1, 2))
        rows = [
            {path.name: path.read_bytes() for path in (folder / f"run-{n_workers}" / "cells").iterdir()}
            for n_workers in (1, 2)
        ]
    print(f"one worker {one:.1f} s, two workers {two:.1f} s: {two / one:.3f}; rows equal: {rows[0] == rows[1]}")
    return 0 if rows[0] == rows[1] else 1


if __name__ == "__main__":
    sys.exit(main())
