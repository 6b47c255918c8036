"""1-NN on a single feature: one sort finds the nearest neighbors of all samples, and whole numbers need none."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sweepless._typing import Counts, Features, Mask, Values
from sweepless.kernels._jit import index, integer, kernel
from sweepless.kernels.neighbors.definition import Frame

_BLOCK = 1 << 15  # values that share the second-level cache with their places
_WIDTH = 2  # places per sample that whole numbers may take up; passing over more would take as long as a sort


class Ranked(NamedTuple):
    """The frame by the ranks of samples, group by group."""

    column: Counts  # the ranks of the columns, the last first
    n_columns: Counts  # per group; what follows is padding
    label: Counts  # the class of every sample, and what no sample has
    row: Counts  # the ranks of the rows
    row_class: Counts
    row_start: Counts  # per group: where its rows begin, and where the last end
    account: Counts  # per group: where its correct rows are counted


def ranked_frame(frame: Frame, by_rank: Features) -> Ranked:
    """Return the frame by rank; `by_rank` lists all samples, those that win ties first."""
    n_groups, n_samples = len(frame.col_sample), len(by_rank)
    rank_of, label = np.empty(n_samples, dtype=np.int64), np.full(n_samples + 1, -2)
    rank_of[by_rank] = np.arange(n_samples)
    n_columns = frame.class_start[:, -1].copy()  # the others are padding
    column = np.zeros_like(frame.col_sample)
    for group, count in enumerate(n_columns):
        ranks = rank_of[frame.col_sample[group, :count]]
        label[ranks] = frame.col_class[group, :count]
        column[group, :count] = np.sort(ranks)[::-1]
    rows = np.argsort(frame.row_group, kind="stable")
    row_start = np.searchsorted(frame.row_group[rows], np.arange(n_groups + 1)).astype(np.int64)
    account = np.zeros(n_groups, dtype=np.int64)
    account[frame.row_group] = frame.row_account
    return Ranked(column, n_columns, label, rank_of[frame.row_sample[rows]], frame.row_class[rows], row_start, account)


def count_correct_alone(
    ranked: Ranked, by_rank: Features, columns: Values, places: Features, is_whole: Mask, correct: Counts
) -> Mask:
    """Count the correctly classified rows for each feature by itself; return for which features the count is proved.

    `columns` holds the features at some `places`, of which some are whole numbers. Every column of a group must be
    allowed to classify all of its rows, which holds where each fold has a group of its own.

    In either metric a distance is the difference itself, since the root of a square is the number itself, and
    different values on one side have different distances. Only if values are nearly equal, tiny or huge may the
    rounding of differences and squares change this; then nothing is proved.
    """
    n_samples = len(by_rank)
    least, greatest = np.empty(len(places)), np.empty(len(places))
    sites, nearest = np.empty(n_samples, dtype=np.int64), np.empty((3, _WIDTH * n_samples + 2), dtype=np.int64)
    values = np.empty(_WIDTH * n_samples + 2)
    height = max(1, _BLOCK // n_samples)
    for first in range(0, len(places), height):
        part = slice(first, first + height)
        some = columns[places[part]].take(by_rank, axis=1)  # `take` would copy a part of a larger array as a whole
        lows, order = some.min(axis=1), np.empty(some.shape, dtype=np.int64)
        with np.errstate(over="ignore"):
            n_steps = some.max(axis=1) - lows
        is_sorted = ~is_whole[part] | (n_steps >= _WIDTH * n_samples)
        n_steps[is_sorted] = -1.0
        if is_sorted.any():
            order[is_sorted] = _order(some[is_sorted])
        working = values, sites, nearest
        _count_sorted(ranked, some, lows, n_steps, order, *working, correct[part], least[part], greatest[part])
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
    ranked: Ranked,
    some: Values,
    lows: Values,
    n_steps: Values,
    order: Counts,
    values: Values,
    sites: Counts,
    nearest: Counts,
    correct: Counts,
    least: Values,
    greatest: Values,
) -> None:
    """Count in some features, whose samples come by rank and are sorted by `order`.

    Whole numbers need no order: they are `n_steps` from the lowest to the highest (else it is -1). `least` receives the
    least difference of two values, `greatest` the greatest value. From `values` to `nearest` is working space.

    Samples of one value share a site. The first by rank of those that may classify wins there; where there is none, the
    nearest sites on either side are asked.
    """
    n_samples = index(some.shape[1])
    none = some.shape[1]
    winner, below, above = nearest[0], nearest[1], nearest[2]
    values[0] = -np.inf  # no site, and none behind the last one: infinitely far from all others
    for f in range(index(len(some))):
        if n_steps[f] >= 0.0:
            last = index(n_steps[f]) + index(1)
            for rank in range(n_samples):
                sites[rank] = index(some[f, rank] - lows[f]) + index(1)
            for q in range(index(1), last + index(1)):
                values[q] = lows[f] + float(q - index(1))
            gap = 1.0
        else:
            last, gap = index(1), np.inf
            values[1] = some[f, order[f, 0]]
            for p in range(n_samples):
                rank = order[f, p]
                step = some[f, rank] - values[last]
                if step != 0.0:
                    gap = min(gap, step)  # negative if two are in the wrong order, which proves nothing
                    last += index(1)
                    values[last] = some[f, rank]
                sites[rank] = last
        values[last + index(1)] = np.inf
        least[f], greatest[f] = gap, max(abs(values[1]), abs(values[last]))
        for group in range(len(ranked.column)):
            for q in range(last + index(2)):
                winner[q] = none
            for k in range(index(ranked.n_columns[group])):  # the first of a site comes last, and stays
                winner[sites[ranked.column[group, k]]] = ranked.column[group, k]
            site = index(0)
            for q in range(index(1), last + index(1)):
                site = q if winner[q] < none else site
                below[q] = site
            site = last + index(1)
            for q in range(last, index(0), -1):
                site = q if winner[q] < none else site
                above[q] = site
            n_correct = integer(0)
            for r in range(index(ranked.row_start[group]), index(ranked.row_start[group + 1])):
                here = sites[ranked.row[r]]
                left, right = below[here], above[here]  # here itself if someone wins here
                to_left, to_right = values[here] - values[left], values[right] - values[here]
                first = winner[left] if to_left <= to_right else none
                other = winner[right] if to_right <= to_left else none
                n_correct += ranked.label[min(first, other)] == ranked.row_class[r]
            correct[f, ranked.account[group]] += n_correct
