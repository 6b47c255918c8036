"""Several nearest neighbors from short lists: their votes, or the mean of their targets.

The neighbors of a row are proved if the kth of its listed columns precedes the next one and all that are not listed by
more than the errors, as in `neighbors.lists`. All candidates of a block go side by side: their k + 1 least distances
are found by minima and maxima alone, and a column is among the neighbors if it is within the kth.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Mask, Values
from sweepless.kernels._jit import index, inner, integer, kernel
from sweepless.kernels.neighbors.definition import Frame, points, term
from sweepless.kernels.neighbors.grid import FAR, Pairs
from sweepless.kernels.neighbors.lists import Lists, Room, count_eights, has_to_be_made, list_bounds, make_list

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

    From `distances` to `ballot` is working space: per listed column, per neighbor and two more, per class.
    """
    n_neighbors = len(best) - 2
    lanes, start = index(len(margin)), index(first)
    for p in range(len(some)):
        r, n_left = some[p], integer(0)
        here = frame.row_sample[r]
        for attempt in range(2):
            if has_to_be_made(lists, r, sign, attempt, n_left):
                make_list(lists, frame, pairs, r, sign, manhattan, room)
            elif attempt == 1:
                break
            n_near = _prove(lists, r, here, unit, largest, units, beside, margin, sign, manhattan, distances, best)
            for v in range(len(votes)):
                for c in range(lanes):
                    votes[v, c] = 0
            for k in range(n_near):
                label = lists.label[r, k]
                for c in range(lanes):
                    votes[label, c] += np.int32(distances[k, c] <= best[n_neighbors - 1, c])
            for c in range(correct.shape[0]):
                if is_open[r, start + c] and best[n_neighbors + 1, c] > 0:
                    winner = 0
                    for v in range(len(votes)):
                        ballot[v] = votes[v, c]
                        winner = v if votes[v, c] > votes[winner, c] else winner
                    correct[c, frame.row_account[r]] += points(winner, frame.row_class[r], ballot, gains)
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
    one, signed = np.float32(unit), np.float32(sign)
    lanes = index(len(margin))
    n_best = len(best) - 1
    for b in range(n_best):
        for c in range(lanes):
            best[b, c] = _FAR32
    moving = best[n_best]
    n_near = 0
    for k in range(lists.sample.shape[1]):
        if lists.distance[r, k] >= FAR:
            break
        n_near += 1
        there, base = lists.sample[r, k], np.float32(lists.distance[r, k]) * one
        for c in range(lanes):
            distances[k, c] = base + signed * term(beside[here, c] - beside[there, c], manhattan)
        for c in range(lanes):
            moving[c] = distances[k, c]
        for b in range(n_best):
            for c in range(lanes):
                low, high = best[b, c], moving[c]
                best[b, c] = low if low < high else high
                moving[c] = high if low < high else low
    limit, bound = list_bounds(lists, r, sign, unit, largest, units, manhattan)
    for c in range(lanes):
        apart = bound + margin[c]
        last, following = best[n_best - 2, c], best[n_best - 1, c]
        moving[c] = np.float32((following - last > apart) & (limit - last > apart))
    return n_near
