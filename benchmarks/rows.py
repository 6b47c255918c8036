"""Rows of the benchmark: our time beside a peer's, for steps whose values agree."""

from __future__ import annotations

from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import sweepless as sw
from timing import best_of, step_time

Row = dict[str, Any]


def row(work: str, ours: float, peer: float | None = None, peer_name: str = "scikit-learn") -> Row:
    found: Row = {"work": work, "ours_ms": ours * 1e3}
    if peer is not None:
        found |= {"peer": peer_name, "peer_ms": peer * 1e3, "ratio": peer / ours}
    print(shown(found), flush=True)
    return found


def shown(found: Row) -> str:
    text = f"{found['work']:<61}{found['ours_ms']:>11.4f} ms"
    if "ratio" in found:
        text += f"{found['peer_ms']:>13.2f} ms{found['ratio']:>8.{0 if found['ratio'] >= 10 else 1}f}×  {found['peer']}"
    return text


def compared(
    name: str,
    criterion: sw.criteria.Criterion,
    data: sw.Dataset,
    size: int,
    n_candidates: int,
    peer: Any,
    tolerance: float,
    peer_name: str = "scikit-learn",
    n_compared: int = 6,
) -> Row:
    """Compare steps with a peer's evaluation of the same subsets."""
    order = np.random.default_rng(0).permutation(data.n_features)
    start = np.sort(order[:size])
    cursor = criterion.bind(data)
    cursor.jump(start)
    candidates = order[size : size + n_compared]
    values = cursor.peek(sw.Direction.ADD, candidates)
    subsets = [np.sort(np.append(start, feature)) for feature in candidates]
    with threadpool_limits(1):
        expected = np.array([peer(subset) for subset in subsets])
        assert np.max(np.abs(values - expected)) <= tolerance, (values, expected)
        # In turns, so that a slow moment of the machine does not fall on one of them alone.
        turns = [
            (step_time(cursor, start, n_candidates), best_of(3, lambda: [peer(subset) for subset in subsets]))
            for _ in range(3)
        ]
    ours, theirs = np.min(turns, axis=0).tolist()
    return row(name, ours, theirs / len(subsets), peer_name)
