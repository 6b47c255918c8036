"""1-NN on a single feature: the nearest neighbours of all samples come from one sort."""

from __future__ import annotations

import math

import numpy as np

from sweepless._typing import Counts, Features, Values
from sweepless.kernels._jit import inner, integer, kernel
from sweepless.kernels.neighbors import Frame, class_of, rooted, term


def count_correct_alone(
    frame: Frame, group: int, columns: Values, orders: Features, manhattan: bool, correct: Counts
) -> None:
    """Count the correctly classified rows of one group, each feature by itself.

    `orders` holds, per feature, the group's columns in ascending order of their values. Every column must be open to
    all rows of the group, which holds where each fold has a group of its own.
    """
    _count_correct_alone(
        np.flatnonzero(frame.row_group == group),
        frame.row_sample,
        frame.row_class,
        frame.row_account,
        frame.col_sample[group],
        frame.col_rank[group],
        frame.class_start[group],
        columns,
        orders,
        manhattan,
        np.empty(orders.shape[1]),
        np.empty(orders.shape[1], dtype=np.int64),
        correct,
    )


@kernel
def _count_correct_alone(
    some: Features,
    row_sample: Counts,
    row_class: Counts,
    row_account: Counts,
    samples: Counts,
    ranks: Counts,
    class_start: Counts,
    columns: Values,
    orders: Features,
    manhattan: bool,
    values: Values,
    winners: Counts,
    correct: Counts,
) -> None:
    """Count in `some` rows.

    Equal values are merged into `values`, keeping in `winners` the column that wins ties; from where a row's value
    would stand the nearest distinct values are looked at, outwards as long as the distance does not grow.
    """
    for c in range(len(columns)):
        n_values = integer(0)
        for place in range(len(values)):
            j = orders[c, place]
            value = columns[c, samples[j]]
            if n_values == 0 or value != values[n_values - 1]:
                values[n_values] = value
                winners[n_values] = j
                n_values += 1
            elif ranks[j] < ranks[winners[n_values - 1]]:
                winners[n_values - 1] = j
        if n_values == 0:
            continue
        for r in some:
            j = _nearest(columns[c, row_sample[r]], values, n_values, winners, ranks, manhattan)
            correct[c, row_account[r]] += class_of(class_start, j) == row_class[r]


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
    best = -1
    least = math.inf
    for side in range(2):  # to the right, to the left; different values may be equally far after rounding
        step = 1 - 2 * side
        place = low - side
        while 0 <= place < n_values:
            distance = rooted(term(here - values[place], manhattan), manhattan)
            if distance > least:
                break
            if best < 0 or distance < least or ranks[winners[place]] < ranks[best]:
                best = winners[place]
            least = distance
            place += step
    return best
