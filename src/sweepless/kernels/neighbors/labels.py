"""The class of the nearest neighbor from short lists, where it is not enough to know whether it is the row's own."""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Mask
from sweepless.kernels._jit import index, inner, integer, maker
from sweepless.kernels._lanes import WIDTH, every, greatest, least, load, store, with_term
from sweepless.kernels.neighbors.definition import Frame
from sweepless.kernels.neighbors.grid import Pairs, bring_row
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


@maker
def settle_labels(
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
    bases: AnyArray,
    near: AnyArray,
    first: int,
    is_open: Mask,
    eight_open: AnyArray,
    n_open: Counts,
    found: AnyArray,
) -> None:
    """Settle what lists prove about the nearest class; arguments as in `settle_by_lists`.

    It is added to `found`, per row and candidate. It is proved if its nearest column precedes those of all other
    classes, and all unlisted columns. `near` is working space for these two distances and the least of every class.
    """
    start, lanes = index(first), index(margin.shape[1])
    labels, ends = np.zeros(margin.shape[1], dtype=np.int32), np.zeros(len(near), dtype=np.int64)
    for p in range(len(some)):
        r, here, n_left = some[p], index(frame.row_sample[some[p]]), integer(0)
        bring_list(lists, pairs, r, here, manhattan, room)
        for attempt in range(2):
            if has_to_be_made(lists, r, sign, attempt, n_left):
                make_list(lists, frame, pairs, bring_row(frame, pairs, r, manhattan), r, sign, room)
            elif attempt == 1:
                break
            n_classes = _part(lists, r, unit, bases, ends)
            _find_nearest(lists.sample[r], ends[: n_classes + 1], here, beside, sign, manhattan, bases, near)
            for s in range(n_classes):
                label = np.int32(lists.label[r, ends[s]])
                for c in range(lanes):
                    labels[c] = label if near[index(2 + s), c] <= near[0, c] else labels[c]
            others = lists.beyond[r, 0 if sign > 0 else 1]
            limit, bound = bounds_of(others, lists.farthest[r], unit, largest, units, manhattan)
            for c in range(lanes):
                apart, best = bound + margin[0, c], near[0, c]
                proved = (near[1, c] - best > apart) & (limit - best > apart) & is_open[r, start + c]
                is_open[r, start + c] ^= proved
                found[r, c] += np.int32(proved) * labels[c]
            n_left = count_eights(eight_open, r, first, margin.shape[1])
        n_open[r] += n_left


@inner
def _part(lists: Lists, r: int, unit: float, bases: AnyArray, ends: Counts) -> int:
    """Find where the classes of a list begin and end; return their number."""
    n_classes, n_near = integer(0), integer(lists.ends[r, 2])
    for k in range(n_near):  # a list is in the order of classes
        if k == 0 or lists.label[r, k] != lists.label[r, k - 1]:
            ends[n_classes] = k
            n_classes += 1
        bases[k] = np.float32(lists.distance[r, k]) * np.float32(unit)
    ends[n_classes] = n_near
    return int(n_classes)


@inner
def _find_nearest(
    samples: AnyArray,
    ends: Counts,
    here: int,
    beside: AnyArray,
    sign: int,
    manhattan: bool,
    bases: AnyArray,
    near: AnyArray,
) -> None:
    """Find the least distance of every class, and the least and the second of these, for every candidate."""
    far, signed = every(_FAR32), np.float32(sign)
    for c in range(index(0), index(near.shape[1]), index(WIDTH)):
        value, best, second = load(beside, here, c), far, far
        for s in range(len(ends) - 1):
            nearest = far
            for k in range(index(ends[s]), index(ends[s + 1])):
                there = load(beside, index(samples[k]), c)
                nearest = least(with_term(every(bases[k]), signed, value, there, manhattan), nearest)
            store(near, index(2 + s), c, nearest)
            second = least(second, greatest(best, nearest))
            best = least(best, nearest)
        store(near, index(0), c, best)
        store(near, index(1), c, second)
