"""How fast the parts are, as ratios against scikit-learn in the same run (`make bench`).

Every comparison also asserts that the compared values agree.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

import sweepless as sw
from paper_ablation import find_data
from sweepless.criteria.folds import positional_folds
from sweepless.search.proposal import Pool
from sweepless.search.step import Batch

BUDGET = 100


def best_of(repeats: int, work: Callable[[], object]) -> float:
    """Return the least of several times: the one least disturbed by other work."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def madelon_half() -> sw.Dataset:
    try:
        data = sw.load("madelon", data_dir=find_data())
    except sw.DataError:
        data = sw.make_madelon()
    data = sw.Scaler01.fit(data).apply(data)
    return next(sw.RandomSplits().split(data, sw.PortableRng(1))).apply(data)[0]


def knn_step(data: sw.Dataset, size: int) -> dict[str, Any]:
    """Time whole sADD steps of 100 candidates, state maintenance included, against cross_val_score."""
    rng = np.random.default_rng(0)
    order = rng.permutation(data.n_features)
    cursor = sw.KNN(ties="index").bind(data)
    start = np.sort(order[:size])
    cursor.jump(start)
    cursor.peek(sw.Direction.ADD, order[size : size + 1])  # compile

    def step(k: int) -> None:
        pool = np.flatnonzero(~cursor.members)[k : k + BUDGET]
        values = cursor.peek(sw.Direction.ADD, pool)
        cursor.move(sw.Direction.ADD, pool[int(np.argmax(values))])

    times = []
    for _ in range(5):
        cursor.jump(start)
        times.append(sum(best_of(1, lambda k=k: step(k)) for k in range(5)) / (5 * BUDGET))
    ours = min(times)
    cursor.jump(start)

    folds = positional_folds(data.codes, 3)
    splits = [(np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)) for fold in range(3)]
    candidates = order[size : size + 8]
    subsets = [np.sort(np.append(order[:size], feature)) for feature in candidates]

    def theirs(subset: np.ndarray) -> float:
        scores = cross_val_score(KNeighborsClassifier(1), data.X[:, subset], data.codes, cv=splits)
        return float(np.mean(scores))

    # scikit-learn expands (x-y)² and may resolve a near-tie otherwise: one sample at most here.
    difference = cursor.peek(sw.Direction.ADD, candidates) - np.array([theirs(subset) for subset in subsets])
    assert np.max(np.abs(difference)) <= 1.01 / 332, difference
    with threadpool_limits(1):
        peer = best_of(3, lambda: [theirs(subset) for subset in subsets]) / len(subsets)
    return {
        "work": f"1-NN 3-fold, n={data.n_samples}, d={size}",
        "ours_ms": ours * 1e3,
        "peer_ms": peer * 1e3,
        "ratio": peer / ours,
    }


def step_overhead(n_features: int) -> dict[str, Any]:
    """Time statistics and proposal of one step, the only parts that see all D features."""
    rng = sw.PortableRng(1)
    statistics = sw.ContrastStatistics().fresh(n_features, sequential=False)
    members = np.zeros(n_features, dtype=np.bool_)
    members[:20] = True
    proposal = sw.SoftmaxProposal()
    values = rng.uniforms(BUDGET)

    def step() -> None:
        features = np.flatnonzero(~members)
        pool = Pool(features, statistics.count_with[features], statistics.scores[features], 1)
        proposed = proposal(pool, BUDGET, rng)
        statistics.learn(Batch(sw.Direction.ADD, members, proposed[:, None], values))

    for _ in range(20):
        step()
    return {"work": f"statistics + proposal, D={n_features:,}", "ours_ms": best_of(50, step) * 1e3}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, help="write the rows as JSON")
    parsed = parser.parse_args()
    data = madelon_half()
    rows = [knn_step(data, 20), knn_step(data, 100)]
    rows += [step_overhead(n_features) for n_features in (1_000, 10_000, 100_000)]
    print(f"{data.name}; Python {platform.python_version()}, scikit-learn {sklearn.__version__}, single thread")
    print(f"{'work':<38}{'ours':>12}{'scikit-learn':>15}{'ratio':>9}")
    for row in rows:
        peer = f"{row['peer_ms']:>12.1f} ms{row['ratio']:>8.0f}×" if "ratio" in row else ""
        print(f"{row['work']:<38}{row['ours_ms']:>9.3f} ms{peer}")
    if parsed.out:
        parsed.out.parent.mkdir(parents=True, exist_ok=True)
        parsed.out.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
