"""Targets that can be scored, and the accuracy that criteria with a classifier share."""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Values
from sweepless.dataset import Dataset
from sweepless.errors import DataError

LARGEST_TARGET = 1e140
"""The square of such a target leaves a factor of 1e28 for predictions that miss by far."""
_SMALLEST_RANGE = 1e-140


def codes_known_to(train: Dataset, test: Dataset) -> Counts:
    """Return the classes of `test` as `train` numbers them; -1 for a label that `train` does not know."""
    known = {label: code for code, label in enumerate(train.classes.tolist())}
    return np.array([known.get(label, -1) for label in test.target.tolist()], dtype=np.int64)


def mean_accuracy(correct: AnyArray, sizes: Counts) -> Values:
    """Average accuracies over folds (columns of `correct`) in fold order; an empty fold counts 0 (semantics: folds)."""
    total = np.zeros(len(correct))
    for accuracies in (correct / np.maximum(sizes, 1)).T:
        total += accuracies
    return total / len(sizes)


def numbers(data: Dataset) -> Values:
    """Return the target as one number per sample, or raise if it is anything else."""
    target: AnyArray = data.target
    if target.ndim != 1 or target.dtype.kind not in "biuf":
        raise DataError(
            f"the target of {data.name} must be one number per sample, got dtype {target.dtype} of shape "
            f"{target.shape}; classes need a classifier, or score='accuracy'."
        )
    return np.ascontiguousarray(target, dtype=np.float64)


def has_squares(target: Values) -> bool:
    """Tell whether squared differences of the values neither overflow nor vanish."""
    low, high = float(target.min()), float(target.max())
    return max(-low, high) <= LARGEST_TARGET and (low == high or high - low >= _SMALLEST_RANGE)


def require_squares(target: Values, name: str) -> Values:
    """Return the target, or raise: errors that overflow would make every subset worth minus infinity."""
    if not has_squares(target):
        raise DataError(
            f"the target of {name} must be at most {LARGEST_TARGET:g} and vary by at least {_SMALLEST_RANGE:g}, so "
            f"that doubles hold squared errors, got values from {np.min(target):.3g} to {np.max(target):.3g}; scale it."
        )
    return target
