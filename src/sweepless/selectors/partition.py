"""Splits as the native criteria want them: one partition where the splits are one, single splits otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from sweepless.criteria.folds import Partition, Split

Splits: TypeAlias = Sequence[tuple[Any, Any]]


def as_partition(splits: Splits, n_samples: int) -> Partition | None:
    """Return the partition that the splits are, or None.

    A partition tests every sample once, and trains on it, in ascending order of rows, for all other folds.
    """
    folds = np.full(n_samples, -1, dtype=np.int64)
    for fold, (train, test) in enumerate(splits):
        is_whole = len(train) + len(test) == n_samples and np.all(np.diff(train) > 0)
        if len(test) == 0 or not is_whole or np.any(folds[test] >= 0):
            return None
        folds[test] = fold
        apart = np.ones(n_samples, dtype=np.bool_)
        apart[test] = False
        apart[train] = False
        if apart.any():
            return None
    return Partition(folds) if len(splits) > 1 and np.all(folds >= 0) else None  # type: ignore[arg-type]


def as_single_splits(splits: Splits) -> list[Split] | None:
    """Return the splits one by one, or None if one of them holds a sample twice, or none."""
    found = []
    for train, test in splits:
        if not len(train) or not len(test) or len(np.unique([*train, *test])) < len(train) + len(test):
            return None
        found.append(Split(train, test))
    return found
