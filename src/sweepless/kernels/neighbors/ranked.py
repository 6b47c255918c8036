"""The several least distances of a row, for sixteen candidates at once.

As for one neighbor, only columns are looked at that can be among the least (see `looks`): at first listed ones
as near as the least were in the last step, then more of the list, then those of the whole row. Four columns at a time
are put in order, and then merged with the least so far: minima and maxima, which wait little for one another.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sweepless._typing import AnyArray, Counts, Mask, Values
from sweepless.kernels._jit import index, inlined, integer
from sweepless.kernels._lane_choices import any_below, lanes_within, largest_of
from sweepless.kernels._lanes import WIDTH, aligned, every, greatest, least, load, minus, plus, store, with_term
from sweepless.kernels.neighbors.definition import Frame
from sweepless.kernels.neighbors.grid import FAR, Pairs, bring_row
from sweepless.kernels.neighbors.lists import FAR32, Lists, Room, bounds_of, make_list
from sweepless.kernels.neighbors.looks import MOST_FAR, Look, beyond, look_at_all, look_at_listed, room_to_look
from sweepless.kernels.neighbors.tied import FEW, Step, tell_ranks_apart

ABREAST = 4  # columns that are valued side by side
_FEW = 6  # least distances that stay in registers
_ZERO = np.float32(0.0)
_WITHIN, _FAR_WITHIN, _PLACE, _N_FAR = (index(k) for k in range(4))


class Ranked(NamedTuple):
    """Working space: the columns of a row that are looked at, and the least distances of sixteen candidates."""

    near: Look  # of the listed columns
    far: Look  # of all
    ends: Counts  # where the classes of these columns begin and end: of listed ones, and of all
    state: AnyArray  # up to where columns are looked at (both), where the row is, how often all were
    bounds: AnyArray  # what all others keep and by how much errors may differ, of listed columns and of all
    farthest: AnyArray  # the greatest k + 1 least distances so far, a single row
    best: AnyArray  # the k + 1 least distances, in order
    distance: AnyArray  # those of the columns that are looked at
    edge: AnyArray  # the kth of them, by how much the others are farther, and by how much they should be
    tied: Counts  # columns of which errors leave open whether they are among the k
    total: Values  # their distances by the definition


def room_to_rank(n_listed: int, n_columns: int, n_neighbors: int, n_classes: int) -> Ranked:
    """Return working space for lists of some length."""
    width = n_columns + WIDTH
    return Ranked(
        near=room_to_look(n_listed),
        far=room_to_look(n_columns),
        ends=np.zeros((2, n_classes + 1), dtype=np.int64),
        state=np.empty(4, dtype=np.int32),
        bounds=np.empty((2, 2), dtype=np.float32),
        farthest=aligned(1, WIDTH),
        best=aligned(n_neighbors + 1, WIDTH),
        distance=aligned(width, WIDTH),
        edge=aligned(3, WIDTH),
        tied=np.empty(FEW, dtype=np.int64),
        total=np.empty(FEW),
    )


@inlined
def begin_row(
    lists: Lists,
    r: int,
    sign: int,
    unit: float,
    largest: float,
    units: float,
    manhattan: bool,
    ranked: Ranked,
) -> None:
    """Look at the listed columns of a row that are as near as the least were in the last step.

    Those of a removal are no farther.
    """
    nearest, others, state = lists.nearest[r], lists.beyond[r, 0 if sign > 0 else 1], ranked.state
    limit, bound = bounds_of(others, lists.farthest[r], unit, largest, units, manhattan)
    ranked.bounds[0, 0], ranked.bounds[0, 1] = limit, bound
    store(ranked.farthest, index(0), index(0), every(np.float32(0.0)))
    state[_WITHIN], state[_FAR_WITHIN], state[_PLACE] = nearest + min(lists.reach[r], FAR - nearest), 0, -1
    state[_N_FAR] = 0
    _look_nearer(lists, r, sign, unit, ranked)


@inlined
def end_row(
    lists: Lists,
    frame: Frame,
    pairs: Pairs,
    r: int,
    sign: int,
    unit: float,
    manhattan: bool,
    room: Room,
    ranked: Ranked,
) -> None:
    """Make the list of a row anew if it was too short for many candidates, and remember how far the least were."""
    state = ranked.state
    if state[_N_FAR] > MOST_FAR and lists.made_for[r] != sign:
        place = integer(state[_PLACE]) if state[_PLACE] >= 0 else bring_row(frame, pairs, r, manhattan)
        make_list(lists, frame, pairs, place, r, sign, room)
    if sign > 0:
        farthest = beyond(largest_of(load(ranked.farthest, index(0), index(0))), unit)
        lists.reach[r] = max(farthest - lists.nearest[r], 0)


@inlined
def find_least(
    lists: Lists,
    frame: Frame,
    pairs: Pairs,
    r: int,
    here: int,
    c: int,
    unit: float,
    largest: float,
    units: float,
    widest: np.float32,
    beside: AnyArray,
    margin: AnyArray,
    sign: int,
    manhattan: bool,
    is_crowded: bool,
    step: Step,
    ranked: Ranked,
    is_open: Mask,
) -> bool:
    """Find the least distances of sixteen candidates, from `c` on; return whether all columns were looked at.

    Distances are noted in the order of the columns, and what there is to know of the kth at the `edge`. Near ties are
    told apart.
    """
    state, bounds, one, zero = ranked.state, ranked.bounds, np.float32(unit), index(0)
    limit, most = bounds[0, 0], bounds[0, 1] + widest
    last, after = _rank(ranked, ranked.near, index(ranked.ends[0, -1]), beside, here, c, sign, manhattan)
    while state[_WITHIN] < FAR and any_below(every(np.float32(state[_WITHIN]) * one - most), after):
        state[_WITHIN] = max(beyond(largest_of(after) + most, unit), state[_WITHIN] + 1)
        _look_nearer(lists, r, sign, unit, ranked)
        last, after = _rank(ranked, ranked.near, index(ranked.ends[0, -1]), beside, here, c, sign, manhattan)
    store(ranked.farthest, zero, zero, greatest(load(ranked.farthest, zero, zero), after))
    is_far: bool = any_below(every(limit - most), after)
    state[_N_FAR] += np.int32(is_far)
    is_far = is_far and not is_crowded
    if is_far:
        need = beyond(largest_of(after) + most + most, unit)
        if need > state[_FAR_WITHIN]:
            state[_FAR_WITHIN] = need
            if state[_PLACE] < 0:
                state[_PLACE] = bring_row(frame, pairs, r, manhattan)
            place, group = integer(state[_PLACE]), frame.row_group[r]
            far_ends, longest = look_at_all(frame, pairs, place, r, sign, need, unit, ranked.far)
            k = index(0)
            for v in range(ranked.ends.shape[1] - 2):
                while k < far_ends[2] and frame.col_class[group, index(ranked.far.place[0, k])] <= v:
                    k += index(1)
                ranked.ends[1, v + 1] = k
            ranked.ends[1, -1] = far_ends[2]
            _fill_up(ranked.far, far_ends[2], here)
            longest = max(longest, need)
            bounds[1, 0], bounds[1, 1] = bounds_of(need, longest, unit, largest, units, manhattan)
        most = bounds[1, 1] + widest
        last, after = _rank(ranked, ranked.far, index(ranked.ends[1, -1]), beside, here, c, sign, manhattan)
    limit, bound = bounds[index(is_far), 0], bounds[index(is_far), 1]
    gap, apart = minus(least(after, every(limit)), last), plus(load(margin, zero, c), every(bound))
    store(ranked.edge, zero, zero, last)
    store(ranked.edge, index(1), zero, gap)
    store(ranked.edge, index(2), zero, apart)
    if lanes_within(gap, apart) != 0 and not is_crowded:
        look, n_found = ranked.far.sample if is_far else ranked.near.sample, index(ranked.ends[index(is_far), -1])
        room, n_neighbors = (ranked.distance, ranked.edge, ranked.tied, ranked.total), len(ranked.best) - 1
        tell_ranks_apart(step, look, n_found, n_neighbors, *room, here, c, limit, sign, manhattan, is_open)
    return is_far


@inlined
def _look_nearer(lists: Lists, r: int, sign: int, unit: float, ranked: Ranked) -> None:
    """Look at the listed columns up to a bound, and find where their classes begin and end."""
    _, _, n_found = look_at_listed(lists, r, sign, ranked.state[_WITHIN], unit, ranked.near)
    k = index(0)
    for v in range(ranked.ends.shape[1] - 2):
        while k < n_found and lists.label[r, index(ranked.near.place[0, k])] <= v:
            k += index(1)
        ranked.ends[0, v + 1] = k
    ranked.ends[0, -1] = n_found
    _fill_up(ranked.near, n_found, index(lists.sample[r, 0]))


@inlined
def _fill_up(look: Look, n_found: int, sample: int) -> None:
    """Fill up to whole fours with columns that are far away."""
    for k in range(n_found, n_found + index(ABREAST)):
        look.sample[k], look.base[k] = sample, FAR32


@inlined
def _rank(
    ranked: Ranked, look: Look, n_found: int, beside: AnyArray, here: int, c: int, sign: int, manhattan: bool
) -> tuple[Any, Any]:
    """Value columns with sixteen candidates, note their distances, and return the last two of the k + 1 least."""
    zero, n_best, value, far = index(0), index(len(ranked.best)), load(beside, here, c), every(FAR32)
    six = far, far, far, far, far, far
    last = after = far
    for b in range(n_best):
        store(ranked.best, b, zero, far)
    for k in range(zero, n_found, index(ABREAST)):
        one = _valued(ranked, look, k, value, beside, c, sign, manhattan)
        two = _valued(ranked, look, k + index(1), value, beside, c, sign, manhattan)
        three = _valued(ranked, look, k + index(2), value, beside, c, sign, manhattan)
        four = _valued(ranked, look, k + index(3), value, beside, c, sign, manhattan)
        if n_best <= index(_FEW):
            six = _merged(six, _in_order(one, two, three, four))
        elif any_below(least(least(one, two), least(three, four)), after):
            for b in range(n_best):
                last, after = after, load(ranked.best, b, zero)
                after, one = _pair(after, one)
                after, two = _pair(after, two)
                after, three = _pair(after, three)
                after, four = _pair(after, four)
                store(ranked.best, b, zero, after)
    if n_best <= index(_FEW):
        for b in range(_FEW):
            last, after = (after, six[b]) if index(b) < n_best else (last, after)
    return last, after


@inlined
def _valued(
    ranked: Ranked, look: Look, k: int, value: Any, beside: AnyArray, c: int, sign: int, manhattan: bool
) -> Any:
    """Return the distances of a column with sixteen candidates, and note them."""
    there = load(beside, index(look.sample[k]), c)
    distance = with_term(every(look.base[k]), np.float32(sign), value, there, manhattan)
    store(ranked.distance, k, index(0), distance)
    return distance


@inlined
def _pair(one: Any, other: Any) -> tuple[Any, Any]:
    return least(one, other), greatest(one, other)


@inlined
def _in_order(one: Any, two: Any, three: Any, four: Any) -> tuple[Any, Any, Any, Any]:
    one, two = _pair(one, two)
    three, four = _pair(three, four)
    one, three = _pair(one, three)
    two, four = _pair(two, four)
    two, three = _pair(two, three)
    return one, two, three, four


@inlined
def _merged(six: tuple[Any, ...], four: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the six least of six and four, all in order.

    The lesser of each two that meet, the least of one side with the greatest of the other, first rise and then fall.
    """
    one, two, three = six[0], six[1], least(six[2], four[3])
    fourth, fifth, sixth = least(six[3], four[2]), least(six[4], four[1]), least(six[5], four[0])
    one, fifth = _pair(one, fifth)
    two, sixth = _pair(two, sixth)
    three, fifth = _pair(three, fifth)
    fourth, sixth = _pair(fourth, sixth)
    one, two = _pair(one, two)
    three, fourth = _pair(three, fourth)
    fifth, sixth = _pair(fifth, sixth)
    return one, two, three, fourth, fifth, sixth
