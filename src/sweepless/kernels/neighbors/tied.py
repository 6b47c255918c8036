"""Near ties between a few columns, told apart by the definition."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Mask, Values
from sweepless.kernels._jit import index, inner, integer
from sweepless.kernels._lane_choices import lanes_within, lowest_bit
from sweepless.kernels._lanes import WIDTH, every, load, with_term
from sweepless.kernels.neighbors.definition import rooted, term
from sweepless.kernels.neighbors.lists import FAR32
from sweepless.kernels.neighbors.looks import Look

FEW = 8  # columns that may be tied; more are left to who knows which of them coincide
_NOWHERE = np.float32(-1e38)


class Step(NamedTuple):
    """What the definition needs to know of a step."""

    rows: Values  # the members' values of every sample, if they are at hand; else there are none
    members: Values  # columns, a row each
    at: Features  # which of them the members are, in ascending order
    columns: Values  # those of the candidates, a row each
    places: Features  # which of them those of a block are
    slots: Counts  # and where they belong among the members
    order: Counts  # the rank of every sample, which decides between equally near ones


class Ties(NamedTuple):
    """Working space for sixteen candidates."""

    reach: AnyArray  # up to where columns may be among those that decide, a single row
    n_tied: Counts  # how many columns are
    column: Counts  # which the first of these are, and one more
    distance: Values  # how far they are by the definition


def room_for_ties() -> Ties:
    """Return working space."""
    n_tied, column = np.empty(WIDTH, np.int64), np.empty((WIDTH, FEW + 1), np.int64)
    return Ties(np.empty((1, WIDTH), np.float32), n_tied, column, np.empty((WIDTH, FEW)))


@inner
def tell_apart(
    step: Step,
    ties: Ties,
    look: Look,
    ends: tuple[int, int, int],
    needs: tuple[int, int],
    limit: np.float32,
    beside: AnyArray,
    here: int,
    sign: int,
    manhattan: bool,
    c: int,
    points: Counts | None,
    is_open: Mask,
    tally: Counts,
) -> None:
    """Settle the open ones of sixteen candidates, from `c` on, if all columns within reach are looked at.

    Of these, those from `ends[0]` to `ends[1]` are of the row's class, which wins if it has as many neighbors as it
    `needs` before the others have theirs. `is_open` is the mask of the row in this block, and `tally` counts who wins.
    With `points` for votes, no class wins before all neighbors are known: either would need one more than there are.
    """
    for k in range(index(WIDTH)):
        ties.n_tied[k] = 0
        ties.reach[0, k] = ties.reach[0, k] if is_open[c + k] and ties.reach[0, k] < limit else _NOWHERE
    value, signed, zero, few = load(beside, here, c), np.float32(sign), index(0), index(FEW)
    reach = load(ties.reach, zero, zero)
    for j in range(ends[2]):
        there = load(beside, index(look.sample[j]), c)
        word = lanes_within(with_term(every(look.base[j]), signed, value, there, manhattan), reach)
        while word != 0:
            k = lowest_bit(word)
            word &= word - index(1)
            at = index(ties.n_tied[k])
            ties.column[k, at if at < few else few], ties.n_tied[k] = j, at + index(1)
    for k in range(index(WIDTH)):
        if ties.n_tied[k] > FEW:
            continue
        own, others = needs
        for p in range(index(ties.n_tied[k])):
            there = index(look.sample[ties.column[k, p]])
            ties.distance[k, p] = distance_of(step, c + k, here, there, sign, manhattan)
        for _ in range(ties.n_tied[k]):
            column = _take_nearest(step, look, ties.n_tied[k], ties.column[k], ties.distance[k])
            is_own = ends[0] <= column < ends[1]
            own, others = own - is_own, others - (not is_own)
            if points is None:
                is_settled, gained = own == 0 or others == 0, integer(is_own)
            else:
                is_settled, gained = own + others == needs[0] + 1, points[index(1 + needs[0] - own)]
            if is_settled:
                is_open[c + k] = False
                tally[c + k] += gained
                break


@inner
def _take_nearest(step: Step, look: Look, n_tied: int, columns: Counts, distances: Values) -> int:
    """Return the nearest of some columns, the first in order of equally near ones, and take it away."""
    first = 0
    for p in range(1, n_tied):
        one, other = index(look.sample[columns[p]]), index(look.sample[columns[first]])
        is_equal = distances[p] == distances[first]
        if distances[p] < distances[first] or (is_equal and step.order[one] < step.order[other]):
            first = p
    distances[first] = np.inf
    column: int = index(columns[first])
    return column


@inner
def tell_ranks_apart(
    step: Step,
    samples: AnyArray,
    n_found: int,
    n_neighbors: int,
    distances: AnyArray,
    edge: AnyArray,
    tied: Counts,
    totals: Values,
    here: int,
    c: int,
    limit: np.float32,
    sign: int,
    manhattan: bool,
    is_open: Mask,
) -> None:
    """Find out by the definition which columns are among the k nearest of the open ones of sixteen candidates.

    Of these, the kth distance, by how much the others are farther, and by how much they should be are at the `edge`,
    and what all columns that were not looked at keep is the `limit`. What is found is noted in the distances, and at
    the edge. Columns within the kth by more than the errors are among the nearest, others if there is room for them.
    `tied` and `totals` are working space.
    """
    for k in range(index(WIDTH)):
        last, apart, n_left, n_tied = edge[0, k], edge[2, k], n_neighbors, 0
        if not is_open[c + k] or edge[1, k] > apart or not last + apart < limit:
            continue
        for j in range(n_found):
            if distances[j, k] < last - apart:
                n_left -= 1
            elif distances[j, k] <= last + apart:
                tied[min(n_tied, FEW - 1)] = j
                n_tied += 1
        if n_tied > FEW:
            continue
        for p in range(n_tied):
            totals[p] = distance_of(step, c + k, here, index(samples[tied[p]]), sign, manhattan)
            distances[tied[p], k] = FAR32
        for _ in range(min(n_left, n_tied)):
            first = 0
            for p in range(1, n_tied):
                one, other = index(samples[tied[p]]), index(samples[tied[first]])
                is_equal = totals[p] == totals[first]
                if totals[p] < totals[first] or (is_equal and step.order[one] < step.order[other]):
                    first = p
            distances[tied[first], k], totals[first] = last, np.inf
        edge[1, k] = FAR32


@inner
def distance_of(step: Step, lane: int, here: int, there: int, sign: int, manhattan: bool) -> float:
    """Return the distance of two samples by the definition, with the candidate or without it."""
    slot, place, total, rows = index(step.slots[lane]), step.places[lane], 0.0, step.rows
    n_members, after = index(len(step.at)), slot if sign > 0 else slot + index(1)
    if len(rows) > 0:
        for k in range(slot):
            total += term(rows[here, k] - rows[there, k], manhattan)
    else:
        for k in range(slot):
            total += _term(step.members, step.at[k], here, there, manhattan)
    if sign > 0:
        total += _term(step.columns, place, here, there, manhattan)
    if len(rows) > 0:
        for k in range(after, n_members):
            total += term(rows[here, k] - rows[there, k], manhattan)
    else:
        for k in range(after, n_members):
            total += _term(step.members, step.at[k], here, there, manhattan)
    return rooted(total, manhattan)


@inner
def _term(columns: Values, place: int, here: int, there: int, manhattan: bool) -> float:
    return term(columns[index(place), here] - columns[index(place), there], manhattan)
