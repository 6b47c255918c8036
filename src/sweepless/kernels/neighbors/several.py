"""Several nearest neighbors from short lists: their votes, or the mean of their targets.

The neighbors of a row are proved if the kth of the columns that are looked at precedes the next one and all others by
more than the errors. A column is among the neighbors if it is within the kth.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Mask, Values
from sweepless.kernels._jit import index, inlined, inner, integer, kernel
from sweepless.kernels._lane_choices import (
    add_where,
    close_where,
    count_where,
    divided,
    no_sums,
    note_where,
    where_within,
)
from sweepless.kernels._lanes import WIDTH, every, greatest, load, plus, store
from sweepless.kernels.neighbors.definition import Frame, points
from sweepless.kernels.neighbors.grid import Pairs, bring_row
from sweepless.kernels.neighbors.lists import Lists, Room, bring_list, count_eights, is_useless, make_list
from sweepless.kernels.neighbors.ranked import Ranked, begin_row, end_row, find_least
from sweepless.kernels.neighbors.regression import average, weigh
from sweepless.kernels.neighbors.tied import Step

_NONE, _ONE, _VOTE = np.int32(0), np.int32(1), np.int32(2)  # a vote counts two, so that one decides between equals


class Weighing(NamedTuple):
    """What it takes to weigh neighbors by their distance."""

    rows: Values  # the members' values by sample
    limit: float  # see `regression`
    neighbors: Counts  # working space
    weights: Values


@kernel
def settle_votes(
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
    step: Step,
    ranked: Ranked,
    gains: Counts | None,
    weights: AnyArray | None,
    votes: AnyArray,
    ballot: Counts,
    first: int,
    is_open: Mask,
    eight_open: AnyArray,
    n_open: Counts,
    tally: AnyArray,
) -> None:
    """Settle the votes that can be proved in some rows; arguments as in `settle_by_lists`.

    `weights` tell what a vote for each class counts; if there are none, the class that wins counts. `ranked`, `votes`
    and `ballot` (both per class) are working space.
    """
    n_classes, start, widest = len(ballot), index(first), _widest(margin)
    for p in range(len(some)):
        r, here, own = some[p], index(frame.row_sample[some[p]]), frame.row_class[some[p]]
        account = index(frame.row_account[r])
        bring_list(lists, pairs, r, here, manhattan, room)
        if is_useless(lists, r, sign):
            make_list(lists, frame, pairs, bring_row(frame, pairs, r, manhattan), r, sign, room)
        begin_row(lists, r, sign, unit, largest, units, manhattan, ranked)
        for c in range(index(0), index(margin.shape[1]), index(WIDTH)):
            eight = (start + c) // index(8)
            if eight_open[r, eight] | eight_open[r, eight + index(1)] == 0:
                continue
            is_far = find_least(
                lists,
                frame,
                pairs,
                r,
                here,
                c,
                unit,
                largest,
                units,
                widest,
                beside,
                margin,
                sign,
                manhattan,
                is_crowded,
                step,
                ranked,
                is_open[r, start:],
            )
            last, gap, apart = _edge_of(ranked)
            ends, own_votes, rivals = ranked.ends[index(is_far)], every(_NONE), every(_NONE)
            if weights is not None:
                counted = every(_NONE)
                for v in range(n_classes):
                    here_from, here_to = index(ends[v]), index(ends[v + 1])
                    if len(weights) > 0:
                        counted = _count(counted, weights[v], ranked.distance, here_from, here_to, last)
                    else:
                        total = _count(every(_NONE), _ONE, ranked.distance, here_from, here_to, last)
                        counted = where_within(total, rivals, counted, every(np.int32(v)))  # equal ones to the lowest
                        rivals = greatest(rivals, total)
                note_where(tally, account, c, close_where(is_open, index(r), start + c, gap, apart), counted)
                continue
            for v in range(n_classes):
                total = every(_ONE if v < own else _NONE)  # equal votes go to the lowest class
                total = _count(total, _VOTE, ranked.distance, index(ends[v]), index(ends[v + 1]), last)
                if v == own:
                    own_votes = total
                else:
                    rivals = greatest(rivals, total)
                store(votes, index(v), index(0), total)
            if gains is None:
                proved = close_where(is_open, index(r), start + c, gap, apart)
                count_where(tally, account, c, proved, rivals, plus(own_votes, every(_ONE)))
                continue
            for k in range(index(WIDTH)):
                if is_open[r, start + c + k] and ranked.edge[1, k] > ranked.edge[2, k]:
                    for v in range(n_classes):
                        ballot[v] = integer(votes[v, k] // _VOTE)
                    tally[account, c + k] += points(0, own, ballot, gains)
                    is_open[r, start + c + k] = False
        end_row(lists, frame, pairs, r, sign, unit, manhattan, room, ranked)
        n_open[r] += count_eights(eight_open, r, first, margin.shape[1])


@kernel
def predict_by_lists(
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
    step: Step,
    ranked: Ranked,
    weighing: Weighing | None,
    means: Values,
    targets: Values,
    first: int,
    is_open: Mask,
    eight_open: AnyArray,
    n_open: Counts,
    predicted: Values,
) -> None:
    """Fill in, per candidate, target and row, the mean of the neighbors' targets where it can be proved who they are.

    Targets are added in the order of the columns, as everywhere. With `weighing`, neighbors weigh as in
    `predict_neighbors`: lists prove who they are, and the definition says how far. Otherwise there is one target, and
    those of other columns count nothing; what is open still is filled in, too, and is not right. `means` is working
    space for some rows, which are written together, because predictions for one candidate lie side by side.
    """
    n_neighbors, start, widest = float(len(ranked.best) - 1), index(first), _widest(margin)
    for p in range(len(some)):
        r, here = some[p], index(frame.row_sample[some[p]])
        bring_list(lists, pairs, r, here, manhattan, room)
        if is_useless(lists, r, sign):
            make_list(lists, frame, pairs, bring_row(frame, pairs, r, manhattan), r, sign, room)
        begin_row(lists, r, sign, unit, largest, units, manhattan, ranked)
        for c in range(index(0), index(margin.shape[1]), index(WIDTH)):
            eight = (start + c) // index(8)
            if eight_open[r, eight] | eight_open[r, eight + index(1)] == 0:
                continue
            is_far = find_least(
                lists,
                frame,
                pairs,
                r,
                here,
                c,
                unit,
                largest,
                units,
                widest,
                beside,
                margin,
                sign,
                manhattan,
                is_crowded,
                step,
                ranked,
                is_open[r, start:],
            )
            last, gap, apart = _edge_of(ranked)
            samples = ranked.far.sample if is_far else ranked.near.sample
            n_looked = index(ranked.ends[index(is_far), -1])
            if weighing is not None:
                for k in range(index(WIDTH)):
                    if is_open[r, start + c + k] and ranked.edge[1, k] > ranked.edge[2, k]:
                        how = here, c, k, sign, manhattan, targets, r
                        _predict_weighed(weighing, step, ranked, samples, n_looked, *how, predicted[c + k])
                        is_open[r, start + c + k] = False
                continue
            total = no_sums()
            for k in range(n_looked):
                total = add_where(total, targets[0, index(samples[k])], load(ranked.distance, k, index(0)), last)
            store(means, index(p % len(means)), c, divided(total, n_neighbors))
            close_where(is_open, index(r), start + c, gap, apart)
        end_row(lists, frame, pairs, r, sign, unit, manhattan, room, ranked)
        n_open[r] += count_eights(eight_open, r, first, margin.shape[1])
        n_waiting = p % len(means) + 1
        if weighing is None and (n_waiting == len(means) or p + 1 == len(some)):
            for m in range(index(len(predicted))):
                for k in range(index(n_waiting)):
                    predicted[m, 0, some[p + 1 - n_waiting + k]] = means[k, m]


@inner
def _predict_weighed(
    weighing: Weighing,
    step: Step,
    ranked: Ranked,
    samples: AnyArray,
    n_looked: int,
    here: int,
    c: int,
    k: int,
    sign: int,
    manhattan: bool,
    targets: Values,
    r: int,
    predicted: Values,
) -> None:
    """Fill in the weighed means of a row with one candidate, whose neighbors are proved."""
    n_found, last = index(0), ranked.edge[0, k]
    for j in range(n_looked):
        weighing.neighbors[n_found] = samples[j]
        n_found += index(ranked.distance[j, k] <= last)
    column, slot = step.columns[index(step.places[c + k])], step.slots[c + k]
    how = slot, sign, manhattan, weighing.limit, weighing.weights
    weigh(here, weighing.neighbors, n_found, weighing.rows, column, *how)
    average(weighing.neighbors, n_found, weighing.weights, targets, r, predicted)


@inlined
def _count(total: Any, weight: np.int32, distance: AnyArray, first: int, stop: int, last: Any) -> Any:
    """Return a total with a weight added for each of some columns, where it is within the last distance."""
    for k in range(first, stop):
        total = add_where(total, weight, load(distance, k, index(0)), last)
    return total


@inlined
def _edge_of(ranked: Ranked) -> tuple[Any, Any, Any]:
    """Return the kth least distance, by how much others are farther, and by how much they should be."""
    zero = index(0)
    return load(ranked.edge, zero, zero), load(ranked.edge, index(1), zero), load(ranked.edge, index(2), zero)


@inlined
def _widest(margin: AnyArray) -> np.float32:
    """Return the greatest margin of all candidates."""
    widest = np.float32(0.0)
    for c in range(margin.shape[1]):
        widest = max(widest, margin[0, c])
    return widest
