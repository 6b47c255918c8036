"""Whether a row's own class wins, from short lists, for all candidates of a block at once.

Of one neighbor, it wins if it has the nearest. Of several among two classes, it wins if it has as many neighbors as it
needs before the other class has the rest: of five, if its third is nearer than the third of the other.

At first only listed columns are looked at that are as near as the nearest were in the last step. If that was too near,
more of the list are looked at, and if the list is too short, all columns of the row that can be the nearest.

Distances of whole numbers are whole numbers, of which float32 loses nothing if they are small. Then there is nothing to
allow for, and room behind the point for the rank of a column, which decides between equally near ones.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Mask
from sweepless.kernels._jit import index, inlined, integer, kernel
from sweepless.kernels._lane_choices import any_below, close_where, count_where, largest_of
from sweepless.kernels._lanes import WIDTH, every, greatest, least, load, minus, plus, store
from sweepless.kernels.neighbors.definition import Frame
from sweepless.kernels.neighbors.duels import (
    Duels,
    add_points,
    gap_of,
    needed,
    room_for_duels,
    value_duels,
    value_winner,
)
from sweepless.kernels.neighbors.grid import FAR, Pairs, bring_row, grid_error
from sweepless.kernels.neighbors.lists import Lists, Room, bounds_of, bring_list, count_eights, is_useless, make_list
from sweepless.kernels.neighbors.looks import (
    MOST_FAR,
    Look,
    beyond,
    look_at_all,
    look_at_listed,
    rank_exact,
    room_to_look,
    value_nearest,
)
from sweepless.kernels.neighbors.tied import Step, Ties, room_for_ties, tell_apart

_RANKS = 1 << 12  # ranks that are told apart
_EXACT = np.float32(2**24 // _RANKS)  # below, float32 holds whole numbers and ranks; far above, few are tied
_ZERO, _ONE = np.float32(0.0), np.float32(1.0)


class Looks(NamedTuple):
    """Working space to settle a row."""

    near: Look  # of the listed columns
    far: Look  # of all
    ties: Ties
    duels: Duels


def room_to_settle(n_listed: int, n_columns: int) -> Looks:
    """Return working space for lists of some length."""
    return Looks(room_to_look(n_listed), room_to_look(n_columns), room_for_ties(), room_for_duels())


class Errors(NamedTuple):
    """What is known of the errors of some distances."""

    is_exact: bool
    limit: np.float32  # what all other columns keep
    bound: np.float32  # by how much the errors of two distances may differ, without candidates
    most: np.float32  # and with any of them


def fractions_of(by_rank: Features) -> AnyArray:
    """Return the rank of every sample as a fraction of one; those that are listed first win ties."""
    ranks = np.empty(len(by_rank), dtype=np.float32)
    ranks[by_rank] = np.arange(len(by_rank)) * _RANKS // len(by_rank) / _RANKS
    return ranks


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
    is_crowded: bool,
    ranks: AnyArray,
    step: Step,
    looks: Looks,
    n_neighbors: Any,
    points: Counts | None,
    first: int,
    is_open: Mask,
    eight_open: AnyArray,
    n_open: Counts,
    tally: AnyArray,
) -> None:
    """Settle what can be proved about some rows in a block of candidates.

    Such a row is counted on its account if its class wins, or by the `points` of the votes for its class; others stay
    open. `n_neighbors` is None for one, else up to `MOST_NEIGHBORS` among two classes. `beside` holds all candidates'
    values of a sample side by side. A row is proved if the column by which one kind, own class or others, wins precedes
    that of the other kind and all columns that were not looked at by more than the margin and the errors of its
    distances; `margin` has those of the candidates, and zeros for exact distances. `ranks` are those of all samples, as
    fractions of one, if all values are whole numbers; else there are none. In a crowd, lists are full of columns that
    coincide, so only these are looked at, and ties are left open. `first` is the place of the block in `is_open`.
    `n_open` counts the eights of candidates of which one is left open; `eight_open` are the bits of these.
    """
    n_lanes, widest = integer(margin.shape[1]), _ONE if len(ranks) > 0 else _ZERO  # ranks are less than one
    for c in range(n_lanes):
        widest = max(widest, margin[0, c])
    start, one, near, far, ties, duels = index(first), np.float32(unit), looks.near, looks.far, looks.ties, looks.duels
    for p in range(len(some)):
        r, here = some[p], index(frame.row_sample[some[p]])
        bring_list(lists, pairs, r, here, manhattan, room)
        if is_useless(lists, r, sign):
            make_list(lists, frame, pairs, bring_row(frame, pairs, r, manhattan), r, sign, room)
        account, farthest, c = index(frame.row_account[r]), every(_ZERO), index(0)
        nearest, others = lists.nearest[r], lists.beyond[r, 0 if sign > 0 else 1]
        errors = _errors_of(others, lists.farthest[r], unit, largest, units, manhattan, ranks, widest)
        within = np.int32(nearest + min(lists.reach[r], FAR - nearest))
        if sign < 0:
            within = beyond(np.float32(nearest) * one + errors.most, unit)
        ends = look_at_listed(lists, r, sign, within, unit, near)
        if errors.is_exact:
            rank_exact(near, ends[2], ranks)
        needs = integer(1), integer(1)
        if n_neighbors is not None:
            needs = needed(n_neighbors, frame.row_class[r], points is not None)
        place, far_within, n_far, far_ends, far_errors = integer(-1), np.int32(0), integer(0), ends, errors
        while c < index(margin.shape[1]):
            same, other, nearer = _value(
                near, ends, beside, here, c, sign, manhattan, n_neighbors, needs, points, duels
            )
            if within < FAR and any_below(every(np.float32(within) * one - errors.most), nearer):
                within = max(beyond(largest_of(nearer) + errors.most, unit), np.int32(within + 1))
                ends = look_at_listed(lists, r, sign, within, unit, near)
                if errors.is_exact:
                    rank_exact(near, ends[2], ranks)
                continue
            farthest = greatest(farthest, nearer)
            is_far = any_below(every(errors.limit - errors.most), nearer)
            n_far += integer(is_far)
            is_far = is_far and not is_crowded
            if is_far:
                need = beyond(largest_of(nearer) + errors.most + errors.most, unit)
                if need > far_within:
                    far_within, place = need, bring_row(frame, pairs, r, manhattan) if place < 0 else place
                    far_ends, longest = look_at_all(frame, pairs, place, r, sign, far_within, unit, far)
                    longest = max(longest, far_within)  # beyond what is exact, nothing is
                    far_errors = _errors_of(far_within, longest, unit, largest, units, manhattan, ranks, widest)
                    if far_errors.is_exact:
                        rank_exact(far, far_ends[2], ranks)
                same, other, nearer = _value(
                    far, far_ends, beside, here, c, sign, manhattan, n_neighbors, needs, points, duels
                )
            known = far_errors if is_far else errors
            apart = plus(load(margin, index(known.is_exact), c), every(known.bound))
            if points is None:
                gap = least(minus(greatest(same, other), nearer), minus(every(known.limit), nearer))
            else:
                gap = gap_of(duels, n_neighbors, every(known.limit))
            proved = close_where(is_open, index(r), start + c, gap, apart)
            if points is None:
                count_where(tally, account, c, proved, same, other)
            else:
                add_points(duels, n_neighbors, proved, index(frame.row_class[r]), points, tally, account, c)
            eight = (start + c) // index(8)
            if (eight_open[r, eight] | eight_open[r, eight + index(1)]) != 0 and not is_crowded:
                store(ties.reach, index(0), index(0), plus(nearer, apart))
                worth = None if points is None else points[index(frame.row_class[r])]
                how = beside, here, sign, manhattan, c, worth, is_open[r, start:], tally[account]
                if is_far:
                    tell_apart(step, ties, far, far_ends, needs, known.limit, *how)
                else:
                    tell_apart(step, ties, near, ends, needs, known.limit, *how)
            c += index(WIDTH)
        if n_far > MOST_FAR and lists.made_for[r] != sign:
            place = bring_row(frame, pairs, r, manhattan) if place < 0 else place
            make_list(lists, frame, pairs, place, r, sign, room)
        if sign > 0:
            lists.reach[r] = beyond(largest_of(farthest), unit) - nearest
        n_open[r] += count_eights(eight_open, r, first, n_lanes)


@inlined
def _value(
    look: Look,
    ends: tuple[int, int, int],
    beside: AnyArray,
    here: int,
    c: int,
    sign: int,
    manhattan: bool,
    n_neighbors: Any,
    needs: tuple[int, int],
    points: Counts | None,
    duels: Duels,
) -> tuple[Any, Any, Any]:
    """Return the distances by which the row's class and others win, and the distance by which that is decided.

    With `points`, all votes are decided by the distance of the last neighbor.
    """
    if points is not None:
        last = value_duels(look, ends, beside, here, c, sign, manhattan, n_neighbors, duels)
        return last, last, last
    if n_neighbors is not None:
        same, other = value_winner(look, ends, beside, here, c, sign, manhattan, needs)
    else:
        same, other = value_nearest(look, ends, beside, here, c, sign, manhattan)
    return same, other, least(same, other)


@inlined
def _errors_of(
    others: np.int32,
    farthest: np.int32,
    unit: float,
    largest: float,
    units: float,
    manhattan: bool,
    ranks: AnyArray,
    widest: np.float32,
) -> Errors:
    """Return what is known of the errors of distances up to the farthest."""
    limit, bound = bounds_of(others, farthest, unit, largest, units, manhattan)
    reach = float(farthest) * unit
    if len(ranks) > 0 and reach < _EXACT and grid_error(reach, largest, units, manhattan) < 0.25:
        return Errors(True, min(limit, _EXACT), _ZERO, bound + widest)
    return Errors(False, limit, bound, bound + widest)
