"""k-NN on many samples: evaluations per second and peak memory, ours beside scikit-learn (`make bench-samples`).

Every measurement has a process of its own, one thread, and processor time. Ours values `CANDIDATES` additions to 20
features, after a first step that is not counted; scikit-learn cross-validates 21 features, on the same three folds.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
import warnings

import numpy as np
from threadpoolctl import threadpool_limits

import sweepless as sw
from peers import peer_knn

SIZE, CANDIDATES, N_FEATURES = 20, 20, 60


def ours(data: sw.Dataset) -> float:
    """Return evaluations per second of processor time."""
    cursor = sw.criteria.KNN(ties="index").bind(data)
    cursor.jump(np.arange(SIZE - 1))
    cursor.peek(sw.Direction.ADD, np.array([SIZE]))  # compiles
    cursor.move(sw.Direction.ADD, SIZE - 1)
    start = time.process_time()
    cursor.peek(sw.Direction.ADD, np.arange(SIZE, SIZE + CANDIDATES))
    return CANDIDATES / (time.process_time() - start)


def theirs(data: sw.Dataset) -> float:
    peer = peer_knn(data)
    start = time.process_time()
    peer(np.arange(SIZE + 1))
    return 1.0 / (time.process_time() - start)


def child(side: str, n_samples: int) -> None:
    warnings.simplefilter("ignore")  # that distances do not fit the memory limit is what is measured here
    data = sw.make_madelon(n_samples=n_samples, n_features=N_FEATURES)
    before = _peak()
    with threadpool_limits(1):
        rate = {"ours": ours, "theirs": theirs}[side](data)
    print(json.dumps({"per_second": rate, "peak_mib": _peak(), "before_mib": before}))


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, nargs="+", default=[1000, 5000, 20_000, 100_000])
    parser.add_argument("--seconds", type=float, default=900.0, help="give a measurement up after so long")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parsed = parser.parse_args()
    if parsed.child:
        child(parsed.child, parsed.samples[0])
        return 0
    print(f"{'samples':>9}{'ours, 1/s':>12}{'peak MiB':>10}{'scikit-learn, 1/s':>20}{'peak MiB':>10}{'ratio':>9}")
    for n_samples in parsed.samples:
        found = [_measured(side, n_samples, parsed.seconds) for side in ("ours", "theirs")]
        (a, memory_a), (b, memory_b) = found
        print(f"{n_samples:>9,}{a:>12,.0f}{memory_a:>10,.0f}{b:>20,.3g}{memory_b:>10,.0f}{a / b:>8,.0f}x", flush=True)
    return 0


def _measured(side: str, n_samples: int, seconds: float) -> tuple[float, float]:
    command = [sys.executable, __file__, "--child", side, "--samples", str(n_samples)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return float("nan"), float("nan")
    found = json.loads(done.stdout)
    return found["per_second"], found["peak_mib"]


if __name__ == "__main__":
    sys.exit(main())
