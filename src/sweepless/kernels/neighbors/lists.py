"""Short lists of near columns, which are true for many steps and enough to settle most rows of 1-NN.

A list holds some columns of a row with their distances on the grid (see `neighbors.grid`), and two bounds on all
others: what their distances are at least (for additions, which only lengthen them), and what these are at least without
the largest term of the pair (for removals). The listed distances follow the moves when the list is looked at. The
bounds stay true if a feature is added. If one is removed, the second bound becomes the first, or both shrink by the
largest term of that feature.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sweepless._typing import AnyArray, Counts
from sweepless.kernels._jit import index, inlined, inner, integer
from sweepless.kernels._lanes import bits_within, lowest_bit
from sweepless.kernels.neighbors.definition import SLOPE, Frame
from sweepless.kernels.neighbors.grid import FAR, Pairs, bring_row, grid_error, whole_term

LANES = 128  # candidates whose values of all samples share the second-level cache
_MOST_OPEN = 2  # eights of candidates that a list may leave open before it is made anew
_ENOUGH = 1.0 - math.exp(-0.5)  # of the least keys of parts, twice as many as a list has columns
_SHRINK = 1.0 - 8.0 * 2.0**-24  # more than the float32 of a bound loses


class Lists(NamedTuple):
    """The lists of all rows, in the order of the columns; where a list ends early, the row itself follows, FAR away."""

    sample: AnyArray
    label: AnyArray  # the sample's class
    distance: AnyArray
    ends: AnyArray  # where the row's own class begins and ends in its list, and where the list ends
    nearest: AnyArray  # the least distance of a row's list
    farthest: AnyArray  # the greatest
    beyond: AnyArray  # the least distance of all others, per row; and the least without the largest term
    made_for: AnyArray  # additions (1) or removals (-1) from this very subset, or 0
    n_done: Counts  # how many moves a list has followed


class Room(NamedTuple):
    """Working space to make lists and to bring them up to date."""

    keys: AnyArray  # of all columns, a single row, filled up with FAR to whole parts and words
    parts: AnyArray  # the same, a part per column
    least: AnyArray  # of each part
    columns: Counts  # one more than keys
    there: AnyArray  # a value of every listed sample


@inlined
def bring_list(lists: Lists, pairs: Pairs, r: int, here: int, manhattan: bool, room: Room) -> None:
    """Let the list of a row, which is that of sample `here`, follow all moves."""
    n_listed = index(lists.sample.shape[1])
    for m in range(lists.n_done[r], len(pairs.moved)):
        value, adds = pairs.moved[m, here], pairs.signs[m] > 0
        nearest, farthest = FAR, np.int32(0)
        for k in range(n_listed):
            room.there[k] = pairs.moved[m, index(lists.sample[r, k])]
        for k in range(n_listed):  # a loop of its own, which is vectorized
            step = whole_term(value - room.there[k], manhattan)
            distance = lists.distance[r, k] + (step if adds else -step)
            lists.distance[r, k] = distance
            nearest = distance if distance < nearest else nearest
            within = distance if distance < FAR else np.int32(0)
            farthest = within if within > farthest else farthest
        lists.nearest[r], lists.farthest[r] = nearest, farthest
        lists.made_for[r] = 0
        if not adds:
            most = whole_term(max(value - pairs.ranges[m, 0], pairs.ranges[m, 1] - value), manhattan)
            nearest, shortest = lists.beyond[r, 0], lists.beyond[r, 1]
            lists.beyond[r, 0] = max(shortest, nearest - most)
            lists.beyond[r, 1] = max(shortest - most, -1)  # -1 proves nothing
    lists.n_done[r] = len(pairs.moved)


@inlined
def has_to_be_made(lists: Lists, r: int, sign: int, attempt: int, n_open: int) -> bool:
    """Tell whether to make a list anew: at first if it can prove nothing, then if it has left too much open."""
    if attempt == 0:
        return bool(lists.made_for[r] == 0 and lists.nearest[r] >= lists.beyond[r, 0 if sign > 0 else 1])
    return bool(lists.made_for[r] != sign and n_open > _MOST_OPEN)


@inner
def make_list(lists: Lists, frame: Frame, pairs: Pairs, r: int, sign: int, manhattan: bool, room: Room) -> None:
    """Make the list of a row anew, for additions (sign 1) or removals (-1).

    Listed are about the columns with the least keys: distances, for removals less the largest terms. Any choice is
    right, since the bounds are taken of all columns that are not listed.
    """
    place, group = bring_row(frame, pairs, r, manhattan), frame.row_group[r]
    sums, largest, keys = pairs.sums, pairs.largest, room.keys
    n_columns, n_listed = index(sums.shape[1]), lists.sample.shape[1]
    shift = np.int32(31 if sign > 0 else 0)
    for j in range(n_columns):
        # A column that may not classify the row stays FAR, also if its largest term has left.
        keys[0, j] = sums[place, j] - (largest[place, j] >> shift) if sums[place, j] < FAR else FAR
    # Within a bound that the least keys of `enough` parts keep there are about as many keys as are listed.
    _find_least(room.parts, room.least)
    within = _bound_of(room.least, int(_ENOUGH * len(room.least)))
    n_within = _find(room.keys, within, room.columns)
    if n_within > 2 * n_listed:  # many are tied at the bound: without them
        within = np.int32(within - 1)
        n_within = _find(room.keys, within, room.columns)
    n_found = min(n_within, 2 * n_listed)
    while n_found > n_listed:
        n_found = _drop_farthest(room.columns, n_found, room.keys)
    own, n_before, n_own = frame.row_class[r], integer(0), integer(0)
    nearest, farthest = FAR, np.int32(0)
    for k in range(n_found):
        column = room.columns[k]
        distance, label = sums[place, column], frame.col_class[group, column]
        nearest, farthest = min(nearest, distance), max(farthest, distance)
        n_before, n_own = n_before + (label < own), n_own + (label == own)
        lists.sample[r, k], lists.label[r, k], lists.distance[r, k] = frame.col_sample[group, column], label, distance
    for k in range(n_found, n_listed):  # the row itself, whose distance does not change
        lists.sample[r, k] = frame.row_sample[r]
        lists.distance[r, k] = FAR
    lists.ends[r, 0], lists.ends[r, 1], lists.ends[r, 2] = n_before, n_before + n_own, n_found
    lists.nearest[r], lists.farthest[r] = nearest, farthest
    nearest, shortest = FAR, FAR
    for j in range(n_columns):  # all that are not within
        distance = sums[place, j] if keys[0, j] > within else FAR
        rest = sums[place, j] - largest[place, j] if keys[0, j] > within else FAR
        nearest = distance if distance < nearest else nearest
        shortest = rest if rest < shortest else shortest
    for k in range(n_found, n_within):  # and those that were dropped
        column = room.columns[k]
        nearest = min(nearest, sums[place, column])
        shortest = min(shortest, sums[place, column] - largest[place, column])
    lists.beyond[r, 0], lists.beyond[r, 1] = nearest, shortest
    lists.made_for[r] = sign


@inner
def _find_least(parts: AnyArray, least: AnyArray) -> None:
    """Find the least key of every part; in a function of its own, which is vectorized."""
    width = index(len(least))
    for k in range(width):
        least[k] = FAR
    for q in range(len(parts)):
        for k in range(width):
            least[k] = parts[q, k] if parts[q, k] < least[k] else least[k]


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
def _find(keys: AnyArray, within: np.int32, columns: Counts) -> int:
    """Collect the columns whose keys are within a bound; return how many there are."""
    n_found = 0
    for first in range(index(0), index(keys.shape[1]), index(64)):
        word = bits_within(keys, first, within)
        while word != 0:
            columns[n_found] = first + lowest_bit(word)
            n_found += 1
            word &= word - index(1)
    return n_found


@inner
def _drop_farthest(columns: Counts, n_found: int, keys: AnyArray) -> int:
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
    """Return what all others keep, and by how much the errors of two distances within the farthest may differ."""
    to_others, reach = float(others) * unit, float(farthest) * unit
    limit = np.float32(to_others * _SHRINK - grid_error(max(to_others, 0.0), largest, units, manhattan))
    return limit, np.float32(2.0 * (SLOPE * reach + grid_error(reach, largest, units, manhattan)))


@inlined
def count_eights(eight_open: AnyArray, r: int, first: int, width: int) -> int:
    """Count the eights of candidates in a block of which one is open in a row."""
    count = 0
    for eight in range(first // 8, (first + width) // 8):
        count += eight_open[r, eight] != 0
    return count
