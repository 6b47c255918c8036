"""The class of the nearest neighbor from short lists, where it is not enough to know whether it is the row's own."""

from __future__ import annotations

from typing import Any

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Mask
from sweepless.kernels._jit import index, inlined, integer, kernel
from sweepless.kernels._lane_choices import add_where, any_below, close_where, largest_of, note_where
from sweepless.kernels._lanes import WIDTH, every, greatest, least, load, minus, plus, rounded, store, with_term
from sweepless.kernels.neighbors.definition import Frame
from sweepless.kernels.neighbors.grid import FAR, Pairs, bring_row
from sweepless.kernels.neighbors.lists import (
    FAR32,
    Lists,
    Room,
    bounds_of,
    bring_list,
    count_eights,
    has_to_be_made,
    make_list,
)
from sweepless.kernels.neighbors.looks import Look, beyond, look_at_listed

_ZERO = np.float32(0.0)


@kernel
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
    look: Look,
    ends: Counts,
    near: AnyArray,
    first: int,
    is_open: Mask,
    eight_open: AnyArray,
    n_open: Counts,
    found: AnyArray,
) -> None:
    """Settle what lists prove about the nearest class; arguments as in `settle_by_lists`.

    It is added to `found`, per row and candidate. It is proved if its nearest column precedes those of all other
    classes, and all that are not looked at. From `look` to `near` is working space: for listed columns, for where their
    classes begin and end, and for the least distance of every class.
    """
    start, one, widest = index(first), np.float32(unit), _ZERO
    for c in range(margin.shape[1]):
        widest = max(widest, margin[0, c])
    for p in range(len(some)):
        r, here, n_left = some[p], index(frame.row_sample[some[p]]), integer(0)
        bring_list(lists, pairs, r, here, manhattan, room)
        for attempt in range(2):
            if has_to_be_made(lists, r, sign, attempt, n_left):
                make_list(lists, frame, pairs, bring_row(frame, pairs, r, manhattan), r, sign, room)
            elif attempt == 1:
                break
            nearest, others, farthest = lists.nearest[r], lists.beyond[r, 0 if sign > 0 else 1], every(_ZERO)
            limit, bound = bounds_of(others, lists.farthest[r], unit, largest, units, manhattan)
            within, most, c = np.int32(nearest + min(lists.reach[r], FAR - nearest)), bound + widest, index(0)
            if sign < 0:
                within = beyond(np.float32(nearest) * one + most, unit)
            _look(lists, r, sign, within, unit, look, ends)
            while c < index(margin.shape[1]):
                best, second = _find_nearest(look, ends, here, beside, c, sign, manhattan, near)
                if within < FAR and any_below(every(np.float32(within) * one - most), best):
                    within = max(beyond(largest_of(best) + most, unit), np.int32(within + 1))
                    _look(lists, r, sign, within, unit, look, ends)
                    continue
                farthest, labels = greatest(farthest, best), every(_ZERO)
                for v in range(1, len(ends) - 1):  # the first class adds nothing
                    labels = add_where(labels, np.float32(v), load(near, index(v), index(0)), best)
                second = least(second, every(limit))
                apart = plus(load(margin, index(0), c), every(bound))
                proved = close_where(is_open, index(r), start + c, minus(second, best), apart)
                note_where(found, index(r), c, proved, rounded(labels))
                c += index(WIDTH)
            if sign > 0:
                lists.reach[r] = beyond(largest_of(farthest), unit) - nearest
            n_left = count_eights(eight_open, r, first, margin.shape[1])
        n_open[r] += n_left


@inlined
def _look(lists: Lists, r: int, sign: int, within: np.int32, unit: float, look: Look, ends: Counts) -> None:
    """Look at the listed columns up to a bound, and find where their classes begin and end."""
    _, _, n_found = look_at_listed(lists, r, sign, within, unit, look)
    k = index(0)
    for v in range(len(ends) - 1):  # a list is in the order of classes
        while k < n_found and lists.label[r, index(look.place[0, k])] <= v:
            k += index(1)
        ends[v + 1] = k


@inlined
def _find_nearest(
    look: Look, ends: Counts, here: int, beside: AnyArray, c: int, sign: int, manhattan: bool, near: AnyArray
) -> tuple[Any, Any]:
    """Find the least distance of every class with sixteen candidates; return the least and the second of these."""
    value, signed = load(beside, here, c), np.float32(sign)
    best, second = every(FAR32), every(FAR32)
    for v in range(len(ends) - 1):
        nearest = every(FAR32)
        for k in range(index(ends[v]), index(ends[v + 1])):
            there = load(beside, index(look.sample[k]), c)
            nearest = least(with_term(every(look.base[k]), signed, value, there, manhattan), nearest)
        store(near, index(v), index(0), nearest)
        second = least(second, greatest(best, nearest))
        best = least(best, nearest)
    return best, second
