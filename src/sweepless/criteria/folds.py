"""Positional stratified folds: no shuffling, contiguous within each class (METHOD 5.1)."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Counts


def fold_sizes(n_samples: int, n_folds: int) -> list[int]:
    """Return the size of each fold: floor(remaining samples / remaining folds)."""
    sizes = []
    for remaining_folds in range(n_folds, 0, -1):
        sizes.append(n_samples // remaining_folds)
        n_samples -= sizes[-1]
    return sizes


def positional_folds(codes: Counts, n_folds: int) -> Counts:
    """Return the fold in which each sample is tested."""
    folds = np.empty(len(codes), dtype=np.int64)
    for code in np.unique(codes):
        samples = np.flatnonzero(codes == code)
        folds[samples] = np.repeat(np.arange(n_folds), fold_sizes(len(samples), n_folds))
    return folds
