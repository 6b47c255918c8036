"""Several nearest neighbors from short lists: their votes, or the mean of their targets.

The neighbors of a row are proved if the kth of its listed columns precedes the next one and all that are not listed by
more than the errors, as in `neighbors.lists`. All candidates of a block go side by side: their k + 1 least distances
are found by minima and maxima alone, and a column is among the neighbors if it is within the kth.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Mask, Values
from sweepless.kernels._jit import index, inner, integer, kernel
from sweepless.kernels._lanes import WIDTH, every, greatest, least, load, store, with_term
from sweepless.kernels.neighbors.definition import Frame, points
from sweepless.kernels.neighbors.grid import FAR, Pairs
from sweepless.kernels.neighbors.lists import (
    Lists,
    Room,
    bounds_of,
    bring_list,
    count_eights,
    has_to_be_made,
    make_list,
)

_FAR32 = np.float32(np.inf)


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
    gains: Counts | None,
    distances: AnyArray,
    best: AnyArray,
    votes: AnyArray,
    ballot: Counts,
    first: int,
    is_open: Mask,
    eight_open: AnyArray,
    n_open: Counts,
    correct: Counts,
) -> None:
    """Settle the votes that the lists prove in some rows; arguments as in `settle_by_lists`.

    From `distances` to `ballot` is working space: per listed column, per neighbor and two more, per class and one more,
    per class.
    """
    n_neighbors, n_classes = len(best) - 2, len(ballot)
    lanes, start = index(len(margin)), index(first)
    for p in range(len(some)):
        r, n_left = some[p], integer(0)
        here, own, account = frame.row_sample[r], frame.row_class[r], frame.row_account[r]
        bring_list(lists, pairs, r, here, manhattan, room)
        for attempt in range(2):
            if has_to_be_made(lists, r, sign, attempt, n_left):
                make_list(lists, frame, pairs, r, sign, manhattan, room)
            elif attempt == 1:
                break
            n_near = _prove(lists, r, here, unit, largest, units, beside, margin, sign, manhattan, distances, best)
            for v in range(n_classes):
                for c in range(lanes):
                    votes[v, c] = 0
            for k in range(n_near):
                label = lists.label[r, k]
                for c in range(lanes):
                    votes[label, c] += np.int32(distances[k, c] <= best[n_neighbors - 1, c])
            if gains is None:
                for c in range(lanes):
                    proved = (best[n_neighbors + 1, c] > 0) & is_open[r, start + c]
                    votes[n_classes, c] = np.int32(proved)
                    is_open[r, start + c] ^= proved
                for v in range(n_classes):
                    lead = np.int32(v < own)  # equal votes go to the lowest class
                    for c in range(lanes):
                        is_ahead = (votes[own, c] - votes[v, c] >= lead) | (v == own)
                        votes[n_classes, c] &= np.int32(is_ahead)
                for c in range(index(len(correct))):
                    correct[c, account] += votes[n_classes, c]
            else:
                for c in range(len(correct)):
                    if is_open[r, start + c] and best[n_neighbors + 1, c] > 0:
                        for v in range(n_classes):
                            ballot[v] = votes[v, c]
                        correct[c, account] += points(0, own, ballot, gains)
                        is_open[r, start + c] = False
            n_left = count_eights(eight_open, r, first, len(margin))
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
    distances: AnyArray,
    best: AnyArray,
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
    n_neighbors = len(best) - 2
    lanes, start = index(len(margin)), index(first)
    for p in range(len(some)):
        r, n_left = some[p], integer(0)
        here = frame.row_sample[r]
        bring_list(lists, pairs, r, here, manhattan, room)
        for attempt in range(2):
            if has_to_be_made(lists, r, sign, attempt, n_left):
                make_list(lists, frame, pairs, r, sign, manhattan, room)
            elif attempt == 1:
                break
            n_near = _prove(lists, r, here, unit, largest, units, beside, margin, sign, manhattan, distances, best)
            for c in range(lanes):
                totals[c] = 0.0
            for k in range(n_near):
                target = targets[lists.sample[r, k]]
                for c in range(lanes):
                    totals[c] += target if distances[k, c] <= best[n_neighbors - 1, c] else 0.0
            for c in range(len(predicted)):
                if is_open[r, start + c] and best[n_neighbors + 1, c] > 0:
                    predicted[c, r] = totals[c] / float(n_neighbors)
                    is_open[r, start + c] = False
            n_left = count_eights(eight_open, r, first, len(margin))
        n_open[r] += n_left


@inner
def _prove(
    lists: Lists,
    r: int,
    here: int,
    unit: float,
    largest: float,
    units: float,
    beside: AnyArray,
    margin: AnyArray,
    sign: int,
    manhattan: bool,
    distances: AnyArray,
    best: AnyArray,
) -> int:
    """Compute the distances of all listed columns, the k + 1 least, and whether these prove who the neighbors are.

    Returns how many columns there are. The last row of `best` is positive where the neighbors are proved.
    """
    one, signs, far = np.float32(unit), every(np.float32(sign)), every(_FAR32)
    lanes, n_best = index(len(margin)), index(len(best) - 1)
    n_near, farthest = 0, np.int32(0)
    while n_near < lists.sample.shape[1] and lists.distance[r, n_near] < FAR:
        farthest = max(farthest, lists.distance[r, n_near])
        n_near += 1
    for c in range(index(0), lanes, index(WIDTH)):
        value = load(beside, index(here), c)
        for b in range(n_best):
            store(best, b, c, far)
        for k in range(index(0), index(n_near), index(2)):  # two at a time, the nearer one first
            base = every(np.float32(lists.distance[r, k]) * one)
            nearer = with_term(base, signs, value, load(beside, index(lists.sample[r, k]), c), manhattan)
            store(distances, k, c, nearer)
            farther = far
            if k + 1 < n_near:
                base = every(np.float32(lists.distance[r, k + 1]) * one)
                farther = with_term(base, signs, value, load(beside, index(lists.sample[r, k + 1]), c), manhattan)
                store(distances, k + 1, c, farther)
            nearer, farther = least(nearer, farther), greatest(nearer, farther)
            for b in range(n_best):
                low = load(best, b, c)
                store(best, b, c, least(low, nearer))
                low = greatest(low, nearer)
                nearer, farther = least(low, farther), greatest(low, farther)
    limit, bound = bounds_of(lists.beyond[r, 0 if sign > 0 else 1], farthest, unit, largest, units, manhattan)
    for c in range(lanes):
        apart = bound + margin[c]
        last, following = best[n_best - 2, c], best[n_best - 1, c]
        best[n_best, c] = np.float32((following - last > apart) & (limit - last > apart))
    return n_near
