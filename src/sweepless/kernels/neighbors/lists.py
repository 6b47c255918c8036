"""Short lists of near columns, which are true for many steps and enough to settle most rows of 1-NN.

A list holds some columns of a row with their distances on the grid (see `neighbors.grid`), and two bounds on all
others: what their distances are at least (for additions, which only lengthen them), and what these are at least without
the largest term of the pair (for removals). The listed distances follow the moves when the list is looked at. The
bounds stay true if a feature is added. If one is removed, the second bound becomes the first, or both shrink by the
largest term of that feature.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from sweepless._typing import AnyArray, Counts
from sweepless.kernels._jit import index, inlined, inner, integer
from sweepless.kernels._lane_choices import collect_within, largest_of, smallest_of, where_within
from sweepless.kernels._lanes import WIDTH, every, greatest, least, load, minus, plus, rounded, store, with_term
from sweepless.kernels.neighbors.definition import SLOPE, Frame
from sweepless.kernels.neighbors.grid import FAR, Pairs, grid_error, whole_term

LANES = 128  # candidates whose values of all samples share the second-level cache
_ENOUGH = 1.0 - math.exp(-0.5)  # of the least keys of parts, twice as many as a list has columns
_ZERO, _ONE = np.float32(0.0), np.float32(1.0)
FAR32 = np.float32(1e38)  # finite, so that differences are numbers; no sum of terms comes near
_SHRINK = 1.0 - 8.0 * 2.0**-24  # more than the float32 of a bound loses


class Lists(NamedTuple):
    """The lists of all rows, in the order of the columns; where a list ends early, the row itself follows, FAR away."""

    sample: AnyArray
    label: AnyArray  # the sample's class
    distance: AnyArray
    largest: AnyArray  # the largest term of the pair, or a bound on it
    ends: AnyArray  # where the row's own class begins and ends in its list, and where the list ends
    nearest: AnyArray  # the least distance of a row's list
    farthest: AnyArray  # the greatest
    beyond: AnyArray  # the least distance of all others, per row; and the least without the largest term
    made_for: AnyArray  # additions (1) or removals (-1) from this very subset, or 0
    n_done: Counts  # how many moves a list has followed
    reach: AnyArray  # how much farther than the nearest that of any candidate was in the last addition


class Room(NamedTuple):
    """Working space to make lists and to bring them up to date."""

    keys: AnyArray  # of all columns, a single row
    least: AnyArray  # the least key of every part, a single row
    columns: AnyArray  # the columns that were found, a single row
    there: AnyArray  # a value of every listed sample


@inlined
def bring_list(lists: Lists, pairs: Pairs, r: int, here: int, manhattan: bool, room: Room) -> None:
    """Let the list of a row, which is that of sample `here`, follow all moves."""
    n_listed, zero = index(lists.sample.shape[1]), index(0)
    last, none = every(np.int32(FAR - 1)), every(np.int32(0))
    for m in range(lists.n_done[r], len(pairs.moved)):
        value, adds = pairs.moved[m, here], pairs.signs[m] > 0
        nearest, farthest = every(FAR), none
        for k in range(n_listed):
            room.there[0, k] = pairs.moved[m, index(lists.sample[r, k])]
        for k in range(zero, n_listed, index(WIDTH)):
            there = load(room.there, zero, k)
            step = rounded(with_term(every(_ZERO), _ONE, every(value), there, manhattan))  # see `whole_term`
            distance, largest = load(lists.distance, index(r), k), load(lists.largest, index(r), k)
            distance = plus(distance, step) if adds else minus(distance, step)
            store(lists.distance, index(r), k, distance)
            store(lists.largest, index(r), k, greatest(largest, step))
            nearest = least(nearest, distance)
            farthest = greatest(farthest, where_within(distance, last, distance, none))
        lists.nearest[r], lists.farthest[r] = smallest_of(nearest), largest_of(farthest)
        lists.made_for[r] = 0
        if not adds:
            most = whole_term(max(value - pairs.ranges[m, 0], pairs.ranges[m, 1] - value), manhattan)
            before, shortest = lists.beyond[r, 0], lists.beyond[r, 1]
            lists.beyond[r, 0] = max(shortest, before - most)
            lists.beyond[r, 1] = max(shortest - most, -1)  # -1 proves nothing
    lists.n_done[r] = len(pairs.moved)


@inlined
def is_useless(lists: Lists, r: int, sign: int) -> bool:
    """Tell whether a list can prove nothing, and was not made for this very subset."""
    return bool(lists.made_for[r] == 0 and lists.nearest[r] >= lists.beyond[r, 0 if sign > 0 else 1])


@inner
def make_list(lists: Lists, frame: Frame, pairs: Pairs, place: int, r: int, sign: int, room: Room) -> None:
    """Make the list of a row anew, for additions (sign 1) or removals (-1).

    Listed are about the columns with the least keys: distances, for removals less the largest terms. Any choice is
    right, since the bounds are taken of all columns that are not listed.
    """
    group = frame.row_group[r]
    sums, largest, keys, n_listed = pairs.sums, pairs.largest, room.keys, lists.sample.shape[1]
    _write_keys(pairs, place, sign, room)
    # Within a bound that the least keys of `enough` parts keep there are about as many keys as are listed.
    within = _bound_of(room.least[0], int(_ENOUGH * room.least.shape[1]))
    n_within = _find(keys, within, room.columns)
    if n_within > 2 * n_listed:  # many are tied at the bound: without them
        within = np.int32(within - 1)
        n_within = _find(keys, within, room.columns)
    n_found, columns = min(n_within, 2 * n_listed), room.columns[0]
    while n_found > n_listed:
        n_found = _drop_farthest(columns, n_found, keys)
    own, n_before, n_own = frame.row_class[r], integer(0), integer(0)
    nearest, farthest = FAR, np.int32(0)
    for k in range(index(n_found)):
        column = index(columns[k])
        lists.sample[r, k] = frame.col_sample[group, column]
        lists.label[r, k] = frame.col_class[group, column]
        lists.distance[r, k], lists.largest[r, k] = sums[place, column], largest[place, column]
    for k in range(index(n_found)):  # a loop of its own, which is vectorized
        distance, label = lists.distance[r, k], lists.label[r, k]
        nearest, farthest = min(nearest, distance), max(farthest, distance)
        n_before, n_own = n_before + (label < own), n_own + (label == own)
    for k in range(index(n_found), index(n_listed)):  # the row itself, whose distance does not change
        lists.sample[r, k] = frame.row_sample[r]
        lists.distance[r, k], lists.largest[r, k] = FAR, 0
    lists.ends[r, 0], lists.ends[r, 1], lists.ends[r, 2] = n_before, n_before + n_own, n_found
    lists.nearest[r], lists.farthest[r] = nearest, farthest
    nearest, shortest = _least_beyond(pairs, place, keys, within)
    for k in range(n_found, n_within):  # and those that were dropped
        column = index(columns[k])
        nearest = min(nearest, sums[place, column])
        shortest = min(shortest, sums[place, column] - largest[place, column])
    lists.beyond[r, 0], lists.beyond[r, 1] = nearest, shortest
    lists.made_for[r] = sign


@inlined
def keys_of(pairs: Pairs, place: int, j: int, sign: int) -> Any:
    """Return sixteen keys of a row: distances, for removals less the largest terms.

    A column that may not classify the row stays FAR, also if its largest term has left.
    """
    distance, far = load(pairs.sums, index(place), j), every(FAR)
    if sign > 0:
        return distance
    return where_within(distance, every(np.int32(FAR - 1)), minus(distance, load(pairs.largest, index(place), j)), far)


@inner
def _write_keys(pairs: Pairs, place: int, sign: int, room: Room) -> None:
    """Write the keys of a row, and the least one of every part."""
    width, zero = index(room.least.shape[1]), index(0)
    for k in range(zero, width, index(WIDTH)):
        store(room.least, zero, k, every(FAR))
    part = zero
    for j in range(zero, index(pairs.sums.shape[1]), index(WIDTH)):
        key = keys_of(pairs, place, j, sign)
        store(room.keys, zero, j, key)
        store(room.least, zero, part, least(key, load(room.least, zero, part)))
        part += index(WIDTH)
        part = part if part < width else zero  # a remainder takes longer than all the rest


@inner
def _least_beyond(pairs: Pairs, place: int, keys: AnyArray, within: np.int32) -> tuple[np.int32, np.int32]:
    """Return the least distance of all columns whose keys are not within, and the least without the largest term."""
    far, bound = every(FAR), every(within)
    nearest, shortest = far, far
    for j in range(index(0), index(pairs.sums.shape[1]), index(WIDTH)):
        key, distance = load(keys, index(0), j), load(pairs.sums, index(place), j)
        rest = minus(distance, load(pairs.largest, index(place), j))
        nearest = least(nearest, where_within(key, bound, far, distance))
        shortest = least(shortest, where_within(key, bound, far, rest))
    return smallest_of(nearest), smallest_of(shortest)


@inner
def _bound_of(least: AnyArray, enough: int) -> np.int32:
    """Return a bound that `enough` values keep, or one or two less; FAR - 1 if there are too few."""
    low, high = FAR, np.int32(0)
    for k in range(index(len(least))):
        low = least[k] if least[k] < low else low
        high = least[k] if least[k] > high else high
    high = np.int32(min(high, FAR - 1))
    while low < high:
        middle = np.int32(low + (high - low) // 2)
        count = np.int32(0)
        for k in range(index(len(least))):
            count += np.int32(least[k] <= middle)
        if count > enough:
            high = middle
        elif count >= enough - 2:
            return middle
        else:
            low = np.int32(middle + 1)
    return low


@inner
def _find(keys: AnyArray, within: np.int32, columns: AnyArray) -> Any:
    """Collect the columns whose keys are within a bound; return how many there are."""
    n_found, bound = index(0), every(within)
    for j in range(index(0), index(keys.shape[1]), index(WIDTH)):
        n_found = collect_within(columns, n_found, j, load(keys, index(0), j), bound)
    return integer(n_found)


@inner
def _drop_farthest(columns: AnyArray, n_found: int, keys: AnyArray) -> int:
    """Move the column with the greatest key behind the others, which keep their order; return how many these are."""
    farthest = 0
    for k in range(1, n_found):
        farthest = k if keys[0, columns[k]] > keys[0, columns[farthest]] else farthest
    dropped = columns[farthest]
    for k in range(farthest, n_found - 1):
        columns[k] = columns[k + 1]
    columns[n_found - 1] = dropped
    return n_found - 1


@inlined
def bounds_of(
    others: np.int32, farthest: np.int32, unit: float, largest: float, units: float, manhattan: bool
) -> tuple[np.float32, np.float32]:
    """Return what all others keep, if there are any, and by how much the errors of two distances may differ.

    These are distances within the farthest.
    """
    to_others, reach = float(others) * unit, float(farthest) * unit
    limit = np.float32(to_others * _SHRINK - grid_error(max(to_others, 0.0), largest, units, manhattan))
    bound = np.float32(2.0 * (SLOPE * reach + grid_error(reach, largest, units, manhattan)))
    return limit if others < FAR else FAR32, bound


@inlined
def count_eights(eight_open: AnyArray, r: int, first: int, width: int) -> int:
    """Count the eights of candidates in a block of which one is open in a row."""
    count = 0
    for eight in range(first // 8, (first + width) // 8):
        count += eight_open[r, eight] != 0
    return count
