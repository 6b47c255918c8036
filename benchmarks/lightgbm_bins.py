"""What one binned Dataset for all fits of a fold would save LightGBM, and whether the scores would be the same.

`python benchmarks/lightgbm_bins.py` takes some minutes on one thread. A fit on a subset bins its columns. The other way
is to bin all columns once, and to forbid all others by `interaction_constraints`, which is the only way that LightGBM's
Python interface has to leave features out of a Dataset that is already binned: `Dataset.subset` takes rows.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import lightgbm as lgb
import numpy as np
from sklearn.datasets import make_classification
from threadpoolctl import threadpool_limits

ROUNDS = 100
QUIET = {"objective": "binary", "verbosity": -1, "num_threads": 1, "deterministic": True, "force_col_wise": True}


def fastest(work: Callable[[], Any], n_turns: int = 4) -> tuple[float, Any]:
    """Return the least processor time in milliseconds, and what came out."""
    best, found = np.inf, None
    for _ in range(n_turns):
        start = time.process_time()
        found = work()
        best = min(best, time.process_time() - start)
    return 1e3 * best, found


def row(n_samples: int, n_features: int, size: int) -> str:
    X, y = make_classification(n_samples, n_features, n_informative=min(10, n_features), random_state=0)
    subset = np.sort(np.random.default_rng(0).choice(n_features, size, replace=False))
    test = X[: n_samples // 4]

    def binned() -> Any:
        return lgb.Dataset(X[:, subset], y, params=QUIET).construct()

    def plain() -> Any:
        return lgb.train(QUIET, lgb.Dataset(X[:, subset], y), ROUNDS).predict(test[:, subset])

    whole = lgb.Dataset(X, y, params=QUIET, free_raw_data=False).construct()
    only = QUIET | {"interaction_constraints": [subset.tolist()]}

    def shared() -> Any:
        return lgb.train(only, whole, ROUNDS).predict(test)

    bins, _ = fastest(binned)
    one, expected = fastest(plain)
    two, found = fastest(shared)
    gap = np.max(np.abs(expected - found))
    return f"| {n_samples:,} | {n_features:,} | {size} | {one:.1f} | {bins:.2f} | {two:.1f} | {gap:.1g} |"


if __name__ == "__main__":
    print("| samples | features | subset | plain fit, ms | its binning, ms | on shared bins, ms | largest difference |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    with threadpool_limits(1):
        for shape in ((500, 50, 5), (500, 50, 20), (1000, 200, 20), (5000, 200, 20), (1000, 2000, 20)):
            print(row(*shape), flush=True)
