"""Several nearest neighbors from short lists: their votes, or the mean of their targets.

The neighbors of a row are proved if the kth of its listed columns precedes the next one and all that are not listed by
more than the errors, as in `neighbors.lists`. A column is among the neighbors if it is within the kth.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Mask, Values
from sweepless.kernels._jit import index, integer, kernel
from sweepless.kernels._lane_choices import add_where, no_sums
from sweepless.kernels._lanes import WIDTH, every, greatest, load, minus, store
from sweepless.kernels.neighbors.definition import Frame, points
from sweepless.kernels.neighbors.grid import Pairs, bring_row
from sweepless.kernels.neighbors.lists import Lists, Room, bring_list, count_eights, has_to_be_made, make_list
from sweepless.kernels.neighbors.ranked import Ranked, find_least


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
    ranked: Ranked,
    gains: Counts | None,
    votes: AnyArray,
    ballot: Counts,
    ends: Counts,
    first: int,
    is_open: Mask,
    eight_open: AnyArray,
    n_open: Counts,
    tally: Counts,
) -> None:
    """Settle the votes that the lists prove in some rows; arguments as in `settle_by_lists`.

    `ranked` and from `votes` to `ends` is working space: per class and one more, per class, per class and one more.
    """
    n_classes, one, half, none = len(ballot), np.float32(1.0), np.float32(0.5), np.float32(0.0)
    start, lanes = index(first), index(margin.shape[1])
    for p in range(len(some)):
        r, n_left = some[p], integer(0)
        here, own, account = index(frame.row_sample[r]), frame.row_class[r], frame.row_account[r]
        bring_list(lists, pairs, r, here, manhattan, room)
        for attempt in range(2):
            if has_to_be_made(lists, r, sign, attempt, n_left):
                make_list(lists, frame, pairs, bring_row(frame, pairs, r, manhattan), r, sign, room)
            elif attempt == 1:
                break
            n_found, bound = find_least(
                lists, r, here, unit, largest, units, beside, sign, manhattan, first, eight_open, ranked
            )
            k = 0
            for v in range(n_classes):  # a list is in the order of classes
                while k < n_found and lists.label[r, ranked.found[k]] <= v:
                    k += 1
                ends[v + 1] = k
            for c in range(index(0), lanes, index(WIDTH)):
                last, rivals = load(ranked.near, index(0), c), every(none)
                for v in range(n_classes):
                    total = every(half if v < own else none)  # equal votes go to the lowest class
                    for n in range(index(ends[v]), index(ends[v + 1])):
                        total = add_where(total, one, load(ranked.distance, index(ranked.found[n]), c), last)
                    store(votes, index(v), c, total)
                    rivals = rivals if v == own else greatest(rivals, total)
                store(votes, index(n_classes), c, minus(load(votes, index(own), c), rivals))
            if gains is None:
                for c in range(lanes):
                    proved = (ranked.near[1, c] > bound + margin[0, c]) & is_open[r, start + c]
                    is_open[r, start + c] ^= proved
                    tally[account, c] += integer(proved & (votes[n_classes, c] >= none))
            else:
                for c in range(lanes):
                    if is_open[r, start + c] and ranked.near[1, c] > bound + margin[0, c]:
                        for v in range(n_classes):
                            ballot[v] = integer(votes[v, c])
                        tally[account, c] += points(0, own, ballot, gains)
                        is_open[r, start + c] = False
            n_left = count_eights(eight_open, r, first, margin.shape[1])
        n_open[r] += n_left


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
    ranked: Ranked,
    totals: Values,
    targets: Values,
    first: int,
    is_open: Mask,
    eight_open: AnyArray,
    n_open: Counts,
    predicted: Values,
) -> None:
    """Fill in, per candidate and row, the mean of the neighbors' targets where the lists prove who they are.

    Targets are added in the order of the columns, as everywhere; those of other columns count nothing.
    """
    n_neighbors, start, lanes = float(len(ranked.best) - 1), index(first), index(margin.shape[1])
    for p in range(len(some)):
        r, here, n_left = some[p], index(frame.row_sample[some[p]]), integer(0)
        bring_list(lists, pairs, r, here, manhattan, room)
        for attempt in range(2):
            if has_to_be_made(lists, r, sign, attempt, n_left):
                make_list(lists, frame, pairs, bring_row(frame, pairs, r, manhattan), r, sign, room)
            elif attempt == 1:
                break
            n_found, bound = find_least(
                lists, r, here, unit, largest, units, beside, sign, manhattan, first, eight_open, ranked
            )
            for c in range(index(0), lanes, index(WIDTH)):
                last, total = load(ranked.near, index(0), c), no_sums()
                for k in range(index(n_found)):
                    place = index(ranked.found[k])
                    total = add_where(total, targets[lists.sample[r, place]], load(ranked.distance, place, c), last)
                store(totals, index(0), c, total)
            for c in range(lanes):
                if is_open[r, start + c] and ranked.near[1, c] > bound + margin[0, c]:
                    predicted[c, r] = totals[0, c] / n_neighbors
                    is_open[r, start + c] = False
            n_left = count_eights(eight_open, r, first, margin.shape[1])
        n_open[r] += n_left
