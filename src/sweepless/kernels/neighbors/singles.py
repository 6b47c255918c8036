"""1-NN on a single feature: one sort finds the nearest neighbors of all samples."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Counts, Features, Mask, Values
from sweepless.kernels._jit import index, kernel
from sweepless.kernels.neighbors.definition import Frame

_BLOCK = 1 << 15  # values that share the second-level cache with their places


def count_correct_alone(frame: Frame, by_rank: Features, columns: Values, correct: Counts) -> Mask:
    """Count the correctly classified rows for each feature by itself; return for which features the count is proved.

    `by_rank` lists all samples, those that win ties first. Every column of a group must be allowed to classify all of
    its rows, which holds where each fold has a group of its own.

    In either metric a distance is the difference itself, since the root of a square is the number itself, and
    different values on one side have different distances. Only if values are nearly equal, tiny or huge may the
    rounding of differences and squares change this; then nothing is proved.
    """
    n_groups, n_samples = len(frame.col_sample), len(by_rank)
    rank_of, label_of = np.empty(n_samples, dtype=np.int64), np.full((n_groups, n_samples), -1)
    rank_of[by_rank] = np.arange(n_samples)
    for group, class_start in enumerate(frame.class_start):
        columns_of = slice(0, class_start[-1])  # the others are padding
        label_of[group, rank_of[frame.col_sample[group, columns_of]]] = frame.col_class[group, columns_of]
    least, greatest = np.empty(len(columns)), np.empty(len(columns))
    values, places = np.empty(n_samples), np.empty(n_samples, dtype=np.int64)
    nearest = np.empty((3, n_samples), dtype=np.int64)
    height = max(1, _BLOCK // n_samples)
    for first in range(0, len(columns), height):
        part = slice(first, first + height)
        ranked = columns[part].take(by_rank, axis=1)
        order, working = _order(ranked), (values, places, nearest)
        _count_sorted(frame, rank_of, label_of, order, ranked, *working, correct[part], least[part], greatest[part])
    return np.asarray((least > 2.0**-50 * greatest) & (least > 1e-150) & (greatest < 1e150))


def _order(ranked: Values) -> Counts:
    """Return the order of each row's values; those that are equal but for their last digits may be in any order.

    Numbers are sorted faster than places: so places are the last digits, of integers that are ordered like the values.
    """
    numbers, n_places = (ranked + 0.0).view(np.int64), ranked.shape[1]  # zeros of either sign are the same value
    digits = (1 << n_places.bit_length()) - 1
    numbers ^= (numbers >> 63) & np.iinfo(np.int64).max
    numbers &= ~digits
    numbers |= np.arange(n_places)
    numbers.sort(axis=1)
    numbers &= digits
    return numbers


@kernel
def _count_sorted(
    frame: Frame,
    rank_of: Counts,
    label_of: Counts,
    order: Counts,
    ranked: Values,
    values: Values,
    places: Counts,
    nearest: Counts,
    correct: Counts,
    least: Values,
    greatest: Values,
) -> None:
    """Count in some features, whose samples come by rank and are sorted by `order`.

    `label_of` has the class of the samples, by rank, that may classify in a group, and else -1. `least` receives the
    least difference of two values, `greatest` the greatest value. From `values` to `nearest` is working space.

    Samples of one value share a place. The first by rank of those that may classify stands for all of them; where there
    is none, the nearest places on either side are asked.
    """
    n_samples, none = len(rank_of), len(rank_of)
    winner, below, above = nearest[0], nearest[1], nearest[2]
    for f in range(len(order)):
        last, gap = 0, np.inf
        values[0] = ranked[f, order[f, 0]]
        for p in range(index(n_samples)):
            rank = order[f, p]
            step = ranked[f, rank] - values[last]
            if step != 0.0:
                gap = min(gap, step)  # negative if two are in the wrong order, which proves nothing
                last += 1
                values[last] = ranked[f, rank]
            places[rank] = last
        least[f], greatest[f] = gap, max(abs(values[0]), abs(values[last]))
        for group in range(len(label_of)):
            for q in range(last + 1):
                winner[q] = none
            for rank in range(n_samples - 1, -1, -1):  # the first of a place comes last, and stays
                if label_of[group, rank] >= 0:
                    winner[places[rank]] = rank
            next_one = -1
            for q in range(last + 1):
                below[q] = next_one
                next_one = q if winner[q] < none else next_one
            next_one = -1
            for q in range(last, -1, -1):
                above[q] = next_one
                next_one = q if winner[q] < none else next_one
            for r in range(len(frame.row_sample)):
                if frame.row_group[r] != group:
                    continue
                here = places[rank_of[frame.row_sample[r]]]
                found, left, right = winner[here], below[here], above[here]
                if found == none:
                    to_left = values[here] - values[left] if left >= 0 else np.inf
                    to_right = values[right] - values[here] if right >= 0 else np.inf
                    if left >= 0 and to_left <= to_right:
                        found = winner[left]
                    if right >= 0 and to_right <= to_left:
                        found = min(found, winner[right])
                if found < none:
                    correct[f, frame.row_account[r]] += label_of[group, found] == frame.row_class[r]
