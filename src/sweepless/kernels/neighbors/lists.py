"""Short lists of near columns, which are true for many steps and enough to settle most rows of 1-NN.

A list holds some columns of a row with their distances on the grid (see `neighbors.grid`), and two bounds on all
others: what their distances are at least (for additions, which only lengthen them), and what these are at least without
the largest term of the pair (for removals). A step updates the listed distances. The bounds stay true if a feature is
added. If one is removed, the second bound becomes the first, or both shrink by the largest term of that feature.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Mask
from sweepless.kernels._jit import index, inner, integer, kernel
from sweepless.kernels.neighbors.definition import SLOPE, Frame, term
from sweepless.kernels.neighbors.grid import FAR, Pairs, bring_row, grid_error, whole_term

LANES = 128  # candidates whose values of all samples share the second-level cache
_MOST_OPEN = 2  # eights of candidates that a list may leave open before it is made anew
_ENOUGH = 1.0 - math.exp(-0.5)  # of the least keys of parts, twice as many as a list has columns
_FAR32 = np.float32(np.inf)
_SHRINK = 1.0 - 8.0 * 2.0**-24  # more than the float32 of a bound loses


class Lists(NamedTuple):
    """The lists of all rows, in the order of the columns; where a list ends early, the row itself follows, FAR away."""

    sample: AnyArray
    label: AnyArray  # the sample's class
    distance: AnyArray
    nearest: AnyArray  # the least distance of a row's list
    beyond: AnyArray  # the least distance of all others, per row; and the least without the largest term
    made_for: AnyArray  # additions (1) or removals (-1) from this very subset, or 0


class Room(NamedTuple):
    """Working space to make lists."""

    keys: AnyArray  # of all columns, filled up with FAR to whole parts
    parts: AnyArray  # the same, a part per column
    least: AnyArray  # of each part
    columns: Counts  # one more than keys


@inner
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
    sums, largest = pairs.sums, pairs.largest
    n_columns, n_listed = index(sums.shape[1]), lists.sample.shape[1]
    shift = np.int32(31 if sign > 0 else 0)
    for j in range(n_columns):
        room.keys[j] = sums[place, j] - (largest[place, j] >> shift)
    # Within a bound that the least keys of `enough` parts keep there are about as many keys as are listed.
    _find_least(room.parts, room.least)
    within = _bound_of(room.least, int(_ENOUGH * len(room.least)))
    n_found = _find(room.keys, within, room.columns)
    if n_found > 2 * n_listed:  # many are tied at the bound: without them
        n_found = min(_find(room.keys, np.int32(within - 1), room.columns), 2 * n_listed)
    while n_found > n_listed:
        n_found = _drop_farthest(room.columns, n_found, room.keys)
    nearest = FAR
    for k in range(n_found):
        column = room.columns[k]
        nearest = min(nearest, sums[place, column])
        lists.sample[r, k] = frame.col_sample[group, column]
        lists.label[r, k] = frame.col_class[group, column]
        lists.distance[r, k] = sums[place, column]
        sums[place, column] += FAR  # for a moment: it is not among the others
    for k in range(n_found, n_listed):  # the row itself, whose distance does not change
        lists.sample[r, k] = frame.row_sample[r]
        lists.distance[r, k] = FAR
    lists.nearest[r] = nearest
    nearest, shortest = FAR, FAR
    for j in range(n_columns):
        nearest = sums[place, j] if sums[place, j] < nearest else nearest
        rest = sums[place, j] - largest[place, j]
        shortest = rest if rest < shortest else shortest
    for k in range(n_found):
        sums[place, room.columns[k]] -= FAR
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
    for j in range(len(keys)):  # without a branch that no processor could foresee
        columns[n_found] = j
        n_found += keys[j] <= within
    return n_found


@inner
def _drop_farthest(columns: Counts, n_found: int, keys: AnyArray) -> int:
    farthest = 0
    for k in range(1, n_found):
        farthest = k if keys[columns[k]] > keys[columns[farthest]] else farthest
    for k in range(farthest, n_found - 1):  # the others keep their order
        columns[k] = columns[k + 1]
    return n_found - 1


@kernel
def move_lists(lists: Lists, row_sample: Counts, moved: AnyArray, sign: int, manhattan: bool) -> None:
    """Follow a step: `moved` is the feature on the grid that came (sign 1) or went (-1)."""
    low, high = np.float32(np.inf), np.float32(-np.inf)
    for i in range(len(moved)):
        low = moved[i] if moved[i] < low else low
        high = moved[i] if moved[i] > high else high
    whole_sign = np.int32(sign)
    for r in range(len(row_sample)):
        here = moved[row_sample[r]]
        nearest = FAR
        for k in range(lists.sample.shape[1]):
            distance = lists.distance[r, k] + whole_sign * whole_term(here - moved[lists.sample[r, k]], manhattan)
            lists.distance[r, k] = distance
            nearest = distance if distance < nearest else nearest
        lists.nearest[r] = nearest
        lists.made_for[r] = 0
        if sign < 0:
            most = whole_term(max(here - low, high - here), manhattan)
            nearest, shortest = lists.beyond[r, 0], lists.beyond[r, 1]
            lists.beyond[r, 0] = max(shortest, nearest - most)
            lists.beyond[r, 1] = max(shortest - most, -1)  # -1 proves nothing


@kernel
def settle_by_lists(
    lists: Lists,
    frame: Frame,
    pairs: Pairs,
    some: Features,
    unit: float,
    largest: float,
    units: float,
    beside: AnyArray,
    margin: AnyArray,
    sign: int,
    manhattan: bool,
    room: Room,
    near: AnyArray,
    first: int,
    is_open: Mask,
    eight_open: AnyArray,
    n_open: Counts,
    tally: AnyArray,
) -> None:
    """Settle what lists prove about some rows in a block of candidates, if need be by lists that are made anew.

    Such a row is counted on its account if its nearest column is of its class; others stay open. `beside` holds all
    candidates' values of a sample side by side. A row is proved if its nearest column of one kind, own class or
    others, precedes the other kind and all unlisted columns by more than `margin` and the errors of its distances.
    `near` is working space; `first` is the place of the block in `is_open`. `n_open` counts the eights of candidates of
    which one is left open; `eight_open` are the bits of these.
    """
    start, lanes = index(first), index(len(margin))
    for p in range(len(some)):
        r, here, own = some[p], frame.row_sample[some[p]], frame.row_class[some[p]]
        account, n_left = frame.row_account[r], integer(0)
        for attempt in range(2):
            if has_to_be_made(lists, r, sign, attempt, n_left):
                make_list(lists, frame, pairs, r, sign, manhattan, room)
            elif attempt == 1:
                break
            for kind in range(2):
                for c in range(lanes):
                    near[kind, c] = _FAR32
            n_before, n_own, n_listed = np.int32(0), np.int32(0), np.int32(0)
            for k in range(index(lists.sample.shape[1])):
                is_listed = lists.distance[r, k] < FAR
                n_before += np.int32(is_listed & (lists.label[r, k] < own))
                n_own += np.int32(is_listed & (lists.label[r, k] == own))
                n_listed += np.int32(is_listed)
            # A list is in the order of classes.
            ends = integer(0), integer(n_before), integer(n_before + n_own), integer(n_listed)
            for part in range(3):
                kind = integer(part != 1)
                _nearest(lists, r, here, ends[part], ends[part + 1], unit, beside, sign, manhattan, near, kind)
            limit, bound = list_bounds(lists, r, sign, unit, largest, units, manhattan)
            for c in range(lanes):
                apart = bound + margin[c]
                to_same, to_other = near[0, c], near[1, c]
                is_nearest = (limit - to_same > apart) | (limit - to_other > apart)
                proved = (abs(to_same - to_other) > apart) & is_nearest & is_open[r, start + c]
                is_open[r, start + c] ^= proved
                tally[account, c] += np.int32(proved & (to_same < to_other))
            n_left = count_eights(eight_open, r, first, len(margin))
        n_open[r] += n_left


@inner
def list_bounds(
    lists: Lists, r: int, sign: int, unit: float, largest: float, units: float, manhattan: bool
) -> tuple[np.float32, np.float32]:
    """Return what unlisted columns keep after a step, and by how much the errors of two listed ones may differ."""
    farthest = np.int32(0)  # errors grow with the distance
    for k in range(lists.sample.shape[1]):
        if lists.distance[r, k] < FAR:
            farthest = max(farthest, lists.distance[r, k])
    others, reach = float(lists.beyond[r, 0 if sign > 0 else 1]) * unit, float(farthest) * unit
    limit = np.float32(others * _SHRINK - grid_error(max(others, 0.0), largest, units, manhattan))
    return limit, np.float32(2.0 * (SLOPE * reach + grid_error(reach, largest, units, manhattan)))


@inner
def count_eights(eight_open: AnyArray, r: int, first: int, width: int) -> int:
    """Count the eights of candidates in a block of which one is open in a row."""
    count = 0
    for eight in range(first // 8, (first + width) // 8):
        count += eight_open[r, eight] != 0
    return count


@inner
def _nearest(
    lists: Lists,
    r: int,
    here: int,
    start: int,
    stop: int,
    unit: float,
    beside: AnyArray,
    sign: int,
    manhattan: bool,
    near: AnyArray,
    kind: int,
) -> None:
    """Find the least distance to a range of listed columns for all candidates, four columns at a time."""
    one, signed = np.float32(unit), np.float32(sign)
    for k in range(start, stop, 4):
        b, c, d = min(k + 1, stop - 1), min(k + 2, stop - 1), min(k + 3, stop - 1)
        sample_a, base_a = lists.sample[r, k], np.float32(lists.distance[r, k]) * one
        sample_b, base_b = lists.sample[r, b], np.float32(lists.distance[r, b]) * one
        sample_c, base_c = lists.sample[r, c], np.float32(lists.distance[r, c]) * one
        sample_d, base_d = lists.sample[r, d], np.float32(lists.distance[r, d]) * one
        for lane in range(index(near.shape[1])):
            value = beside[here, lane]
            to_a = base_a + signed * term(value - beside[sample_a, lane], manhattan)
            to_b = base_b + signed * term(value - beside[sample_b, lane], manhattan)
            to_c = base_c + signed * term(value - beside[sample_c, lane], manhattan)
            to_d = base_d + signed * term(value - beside[sample_d, lane], manhattan)
            to_a = to_a if to_a < to_b else to_b
            to_c = to_c if to_c < to_d else to_d
            to_a = to_a if to_a < to_c else to_c
            near[kind, lane] = to_a if to_a < near[kind, lane] else near[kind, lane]
