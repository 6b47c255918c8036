"""The class of the nearest neighbor from short lists, where it is not enough to know whether it is the row's own."""

from __future__ import annotations

from typing import Any

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Mask
from sweepless.kernels._jit import index, inlined, integer, kernel
from sweepless.kernels._lane_choices import any_below, close_where, largest_of, note_where, where_within
from sweepless.kernels._lanes import WIDTH, every, greatest, least, load, minus, plus, with_term
from sweepless.kernels.neighbors.definition import Frame
from sweepless.kernels.neighbors.grid import FAR, Pairs, bring_row
from sweepless.kernels.neighbors.lists import (
    FAR32,
    Lists,
    Room,
    bounds_of,
    bring_list,
    count_eights,
    is_useless,
    make_list,
)
from sweepless.kernels.neighbors.looks import MOST_FAR, Look, beyond, look_at_all, look_at_listed
from sweepless.kernels.neighbors.nearest import Looks

_ZERO, _FIRST = np.float32(0.0), np.int32(0)


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
    is_crowded: bool,
    looks: Looks,
    ends: Counts,
    first: int,
    is_open: Mask,
    eight_open: AnyArray,
    n_open: Counts,
    found: AnyArray,
) -> None:
    """Settle what lists prove about the nearest class; arguments as in `settle_by_lists`.

    It is added to `found`, per row and candidate. It is proved if its nearest column precedes those of all other
    classes, and all that are not looked at. `looks` and `ends` (where classes begin and end) are working space.
    """
    start, one, widest, near, far = index(first), np.float32(unit), _ZERO, looks.near, looks.far
    for c in range(margin.shape[1]):
        widest = max(widest, margin[0, c])
    for p in range(len(some)):
        r, here = some[p], index(frame.row_sample[some[p]])
        bring_list(lists, pairs, r, here, manhattan, room)
        if is_useless(lists, r, sign):
            make_list(lists, frame, pairs, bring_row(frame, pairs, r, manhattan), r, sign, room)
        nearest, others, farthest, c = lists.nearest[r], lists.beyond[r, 0 if sign > 0 else 1], every(_ZERO), index(0)
        limit, bound = bounds_of(others, lists.farthest[r], unit, largest, units, manhattan)
        within, most = np.int32(nearest + min(lists.reach[r], FAR - nearest)), bound + widest
        if sign < 0:
            within = beyond(np.float32(nearest) * one + most, unit)
        _find_ends(lists.label[r], near, look_at_listed(lists, r, sign, within, unit, near)[2], ends[0])
        place, far_within, n_far, far_limit, far_bound = integer(-1), np.int32(0), integer(0), limit, bound
        while c < index(margin.shape[1]):
            best, second, labels = _find_nearest(near, ends[0], here, beside, c, sign, manhattan)
            if within < FAR and any_below(every(np.float32(within) * one - most), best):
                within = max(beyond(largest_of(best) + most, unit), np.int32(within + 1))
                _find_ends(lists.label[r], near, look_at_listed(lists, r, sign, within, unit, near)[2], ends[0])
                continue
            farthest = greatest(farthest, best)
            is_far = any_below(every(limit - most), best)
            n_far += integer(is_far)
            is_far = is_far and not is_crowded
            if is_far:
                need = beyond(largest_of(best) + most + most, unit)
                if need > far_within:
                    far_within, place = need, bring_row(frame, pairs, r, manhattan) if place < 0 else place
                    far_ends, longest = look_at_all(frame, pairs, place, r, sign, far_within, unit, far)
                    _find_ends(frame.col_class[frame.row_group[r]], far, far_ends[2], ends[1])
                    longest = max(longest, far_within)
                    far_limit, far_bound = bounds_of(far_within, longest, unit, largest, units, manhattan)
                best, second, labels = _find_nearest(far, ends[1], here, beside, c, sign, manhattan)
            gap = minus(least(second, every(far_limit if is_far else limit)), best)
            apart = plus(load(margin, index(0), c), every(far_bound if is_far else bound))
            note_where(found, index(r), c, close_where(is_open, index(r), start + c, gap, apart), labels)
            c += index(WIDTH)
        if n_far > MOST_FAR and lists.made_for[r] != sign:
            place = bring_row(frame, pairs, r, manhattan) if place < 0 else place
            make_list(lists, frame, pairs, place, r, sign, room)
        if sign > 0:
            lists.reach[r] = beyond(largest_of(farthest), unit) - nearest
        n_open[r] += count_eights(eight_open, r, first, margin.shape[1])


@inlined
def _find_ends(labels: AnyArray, look: Look, n_found: int, ends: Counts) -> None:
    """Find where the classes of columns that are looked at begin and end; all columns are in the order of classes."""
    k = index(0)
    for v in range(len(ends) - 1):
        while k < n_found and labels[index(look.place[0, k])] <= v:
            k += index(1)
        ends[v + 1] = k


@inlined
def _find_nearest(
    look: Look, ends: Counts, here: int, beside: AnyArray, c: int, sign: int, manhattan: bool
) -> tuple[Any, Any, Any]:
    """Find the least distance of every class with sixteen candidates; return the two least of these.

    Return also whose the first is; of equal ones it is the lowest class.
    """
    value, signed = load(beside, here, c), np.float32(sign)
    best, second, labels = every(FAR32), every(FAR32), every(_FIRST)
    for v in range(len(ends) - 1):
        nearest = every(FAR32)
        for k in range(index(ends[v]), index(ends[v + 1])):
            there = load(beside, index(look.sample[k]), c)
            nearest = least(with_term(every(look.base[k]), signed, value, there, manhattan), nearest)
        second = least(second, greatest(best, nearest))
        labels = where_within(best, nearest, labels, every(np.int32(v)))
        best = least(best, nearest)
    return best, second, labels
