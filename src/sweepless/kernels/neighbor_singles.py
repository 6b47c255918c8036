"""1-NN on a single feature: the nearest neighbours of all samples come from one sort."""

from __future__ import annotations

import math

import numpy as np

from sweepless._typing import Counts, Features, Values
from sweepless.kernels._jit import inner, integer, kernel
from sweepless.kernels.neighbors import Frame, class_of, rooted, term


@kernel
def count_correct_alone(
    frame: Frame, group: int, columns: Values, orders: Features, manhattan: bool, correct: Counts
) -> None:
    """Count the correctly classified rows of one group, each feature by itself.

    `orders` holds, per feature, the group's columns in ascending order of their values. Every column must be open to
    all rows of the group, which holds where each fold has a group of its own. Equal values are merged,
    keeping the column that wins ties; from where a row's value would stand the nearest distinct values are looked
    at, outwards as long as the distance does not grow.
    """
    values = np.empty(orders.shape[1])
    winners = np.empty(orders.shape[1], dtype=np.int64)
    ranks = frame.col_rank[group]
    for c in range(len(columns)):
        column = columns[c]
        n_values = integer(0)
        for place in range(orders.shape[1]):
            j = orders[c, place]
            value = column[frame.col_sample[group, j]]
            if n_values == 0 or value != values[n_values - 1]:
                values[n_values] = value
                winners[n_values] = j
                n_values += 1
            elif ranks[j] < ranks[winners[n_values - 1]]:
                winners[n_values - 1] = j
        if n_values == 0:
            continue
        for r in range(len(frame.row_sample)):
            if frame.row_group[r] == group:
                j = _nearest(column[frame.row_sample[r]], values, n_values, winners, ranks, manhattan)
                winner = class_of(frame.class_start[group], j)
                correct[c, frame.row_account[r]] += winner == frame.row_class[r]


@inner
def _nearest(here: float, values: Values, n_values: int, winners: Counts, ranks: Counts, manhattan: bool) -> int:
    """Return the column of the nearest value; equal distances go to the lowest rank."""
    low, high = 0, n_values
    while low < high:
        middle = (low + high) // 2
        if values[middle] < here:
            low = middle + 1
        else:
            high = middle
    least = math.inf
    if low < n_values:
        least = _distance(here, values[low], manhattan)
    if low > 0:
        least = min(least, _distance(here, values[low - 1], manhattan))
    best = -1
    right = low
    while right < n_values and _distance(here, values[right], manhattan) == least:
        if best < 0 or ranks[winners[right]] < ranks[best]:
            best = winners[right]
        right += 1
    left = low - 1
    while left >= 0 and _distance(here, values[left], manhattan) == least:
        if best < 0 or ranks[winners[left]] < ranks[best]:
            best = winners[left]
        left -= 1
    return best


@inner
def _distance(here: float, there: float, manhattan: bool) -> float:
    """Return the distance as the definition computes it."""
    return rooted(term(here - there, manhattan), manhattan)
