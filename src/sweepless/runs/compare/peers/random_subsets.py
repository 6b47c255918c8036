"""The best of random subsets, for as many evaluations as a search took."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sweepless.criteria.base import Criterion
from sweepless.dataset import Dataset
from sweepless.engine.generator import Rng
from sweepless.search.archive import Record

_BATCH = 512  # random subsets drawn and valued at once


def best_of_random(
    criterion: Criterion, train: Dataset, sizes: Sequence[int], n_evaluations: int, rng: Rng
) -> list[Record]:
    """Return the best random subset of every size, the evaluations being shared out evenly among the sizes.

    The subsets of a size are drawn uniformly; of equal values the first counts.
    """
    cursor = criterion.bind(train)
    draws = rng.stream("start")
    found: list[Record] = []
    spent = 0
    for size, granted in zip(sizes, shares(n_evaluations, len(sizes))):
        best: Record | None = None
        for start in range(0, granted, _BATCH):
            subsets = [draws.subset(train.n_features, size) for _ in range(min(_BATCH, granted - start))]
            values = cursor.evaluate_many(subsets)
            k = int(np.argmax(values))
            if best is None or values[k] > best.value:
                best = Record(size, float(values[k]), subsets[k], spent + start + k + 1)
        found += [] if best is None else [best]
        spent += granted
    return found


def shares(n_evaluations: int, n_sizes: int) -> list[int]:
    """Share evaluations out evenly, the first sizes getting what is left over."""
    return [n_evaluations // n_sizes + (number < n_evaluations % n_sizes) for number in range(n_sizes)]
