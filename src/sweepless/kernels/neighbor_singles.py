"""1-NN on a single feature: the nearest neighbours of all samples come from one sort."""

from __future__ import annotations

import math

import numpy as np

from sweepless._typing import AnyArray, Counts, Values
from sweepless.kernels._jit import kernel


@kernel
def count_correct_alone(
    columns: Values,
    row_sample: Counts,
    row_class: Counts,
    row_fold: Counts,
    row_group: Counts,
    col_sample: Counts,
    col_rank: Counts,
    class_start: Counts,
    correct: AnyArray,
) -> None:
    """Count the correctly classified rows per feature and fold, each feature by itself.

    Every column of a group must be open to all its rows, which holds where each fold has a group of its own.
    Equal values are merged, keeping the column that wins ties; from where a row's value would stand the
    nearest distinct values are looked at, outwards as long as the root does not grow.
    """
    n_groups = col_sample.shape[0]
    n_rows = len(row_sample)
    n_classes = class_start.shape[1] - 1
    values = np.empty(col_sample.shape[1])
    ranks = np.empty(col_sample.shape[1], dtype=np.int64)
    classes = np.empty(col_sample.shape[1], dtype=np.int64)
    for c in range(len(columns)):
        column = columns[c]
        for group in range(n_groups):
            n_real = class_start[group, n_classes]
            there = column[col_sample[group, :n_real]]
            order = np.argsort(there)
            n_values = 0
            for j in order:
                if n_values == 0 or there[j] != values[n_values - 1]:
                    n_values += 1
                elif col_rank[group, j] > ranks[n_values - 1]:
                    continue
                values[n_values - 1] = there[j]
                ranks[n_values - 1] = col_rank[group, j]
                classes[n_values - 1] = np.searchsorted(class_start[group], j, side="right") - 1
            if n_values == 0:
                continue
            for r in range(n_rows):
                if row_group[r] == group:
                    winner = _nearest_class(column[row_sample[r]], values[:n_values], ranks, classes)
                    correct[c, row_fold[r]] += winner == row_class[r]


@kernel
def _nearest_class(here: float, values: Values, ranks: Counts, classes: Counts) -> int:
    """Return the class of the nearest value; equal roots go to the lowest rank."""
    place: int = np.searchsorted(values, here)  # type: ignore[assignment]
    least = math.inf
    if place < len(values):
        least = _root(here, values[place])
    if place > 0:
        least = min(least, _root(here, values[place - 1]))
    winner = -1
    right = place
    while right < len(values) and _root(here, values[right]) == least:
        if winner < 0 or ranks[right] < ranks[winner]:
            winner = right
        right += 1
    left = place - 1
    while left >= 0 and _root(here, values[left]) == least:
        if winner < 0 or ranks[left] < ranks[winner]:
            winner = left
        left -= 1
    label: int = classes[winner]
    return label


@kernel
def _root(here: float, there: float) -> float:
    """Return the distance as the definition computes it."""
    return math.sqrt((here - there) * (here - there))
