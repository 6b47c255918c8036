"""The columns of a row that are looked at: those that can be the nearest, of its list or of all.

Adding a feature only lengthens distances, so a column that is farther without any candidate than the nearest is with
each of them need not be looked at. Removing one shortens the distance of a pair by at most its largest term, and the
nearest does not come farther. On madelon 15 columns are left with twenty members, and 5 with a hundred.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sweepless._typing import AnyArray
from sweepless.kernels._jit import index, inlined, inner
from sweepless.kernels._lane_choices import collect_within
from sweepless.kernels._lanes import WIDTH, every, least, load, minus, with_term
from sweepless.kernels.neighbors.definition import Frame
from sweepless.kernels.neighbors.grid import FAR, Pairs
from sweepless.kernels.neighbors.lists import FAR32, Lists, keys_of

_HALF = np.float32(0.5)
MOST_FAR = 1  # vectors of candidates for which a list may be too short before it is made anew
_LONGER = 1.0 + 2.0**-20  # more than a distance on the grid loses


class Look(NamedTuple):
    """Working space: some columns of a row."""

    place: AnyArray  # in the list or the row, a single row
    sample: AnyArray
    base: AnyArray  # the distance without a candidate


def room_to_look(n_columns: int) -> Look:
    """Return working space for so many columns."""
    place = np.empty((1, n_columns + WIDTH), np.int32)
    return Look(place, np.empty(n_columns + WIDTH, np.int32), np.empty(n_columns + WIDTH, np.float32))


@inlined
def look_at_listed(lists: Lists, r: int, sign: int, within: np.int32, unit: float, near: Look) -> tuple[int, int, int]:
    """Collect the listed columns whose keys are below a bound.

    Returns where those of the row's class begin and end, and how many there are.
    """
    start, stop, one, last = lists.ends[r, 0], lists.ends[r, 1], np.float32(unit), every(np.int32(within - 1))
    n_before, n_not_after, n_found = index(0), index(0), index(0)
    for k in range(index(0), index(lists.distance.shape[1]), index(WIDTH)):
        key = load(lists.distance, index(r), k)
        if sign < 0:
            key = minus(key, load(lists.largest, index(r), k))
        n_found = collect_within(near.place, n_found, k, key, last)
    for k in range(n_found):
        at = index(near.place[0, k])
        near.sample[k], near.base[k] = lists.sample[r, at], np.float32(lists.distance[r, at]) * one
    for k in range(n_found):  # a loop of its own, which is vectorized
        n_before += index(near.place[0, k] < start)
        n_not_after += index(near.place[0, k] < stop)
    return n_before, n_not_after, n_found


@inner
def look_at_all(
    frame: Frame, pairs: Pairs, place: int, r: int, sign: int, within: np.int32, unit: float, far: Look
) -> tuple[tuple[int, int, int], np.int32]:
    """Collect all columns of a row whose keys are below a bound; return also the greatest distance of them."""
    group, own = index(frame.row_group[r]), index(frame.row_class[r])
    last, one = every(np.int32(within - 1)), np.float32(unit)
    start, stop = frame.class_start[group, own], frame.class_start[group, own + index(1)]
    n_before, n_not_after, n_found, longest = index(0), index(0), index(0), np.int32(0)
    for j in range(index(0), index(pairs.sums.shape[1]), index(WIDTH)):
        n_found = collect_within(far.place, n_found, j, keys_of(pairs, place, j, sign), last)
    for k in range(n_found):
        column = index(far.place[0, k])
        distance = pairs.sums[place, column]
        far.sample[k], far.base[k] = frame.col_sample[group, column], np.float32(distance) * one
        longest = distance if distance > longest else longest
    for k in range(n_found):  # a loop of its own, which is vectorized
        n_before += index(far.place[0, k] < start)
        n_not_after += index(far.place[0, k] < stop)
    return (n_before, n_not_after, n_found), longest


@inlined
def rank_exact(near: Look, n_found: int, ranks: AnyArray) -> None:
    """Put the ranks of columns behind the points of their distances, which are whole numbers."""
    for k in range(n_found):
        near.base[k] = np.float32(np.int32(near.base[k] + _HALF)) + ranks[index(near.sample[k])]


@inlined
def value_nearest(
    near: Look, ends: tuple[int, int, int], beside: AnyArray, here: int, c: int, sign: int, manhattan: bool
) -> tuple[Any, Any]:
    """Return the least distances to columns of the row's class and to those of others, with sixteen candidates."""
    signed, value = np.float32(sign), load(beside, here, c)
    same, other = every(FAR32), every(FAR32)
    for k in range(ends[0]):
        there = load(beside, index(near.sample[k]), c)
        other = least(with_term(every(near.base[k]), signed, value, there, manhattan), other)
    for k in range(ends[0], ends[1]):
        there = load(beside, index(near.sample[k]), c)
        same = least(with_term(every(near.base[k]), signed, value, there, manhattan), same)
    for k in range(ends[1], ends[2]):
        there = load(beside, index(near.sample[k]), c)
        other = least(with_term(every(near.base[k]), signed, value, there, manhattan), other)
    return same, other


@inlined
def beyond(distance: np.float32, unit: float) -> np.int32:
    """Return a distance on the grid that is farther than this one, or FAR."""
    return np.int32(min(float(distance) / unit * _LONGER + 1.0, float(FAR)))
