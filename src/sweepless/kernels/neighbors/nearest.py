"""The nearest neighbor from short lists: whether it is of a row's own class, for all candidates of a block at once.

Distances of whole numbers are whole numbers, of which float32 loses nothing if they are small. Then there is nothing to
allow for, and room behind the point for the rank of a column, which decides between equally near ones.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Mask
from sweepless.kernels._jit import index, inlined, integer, kernel
from sweepless.kernels._lanes import WIDTH, every, least, load, store, with_term
from sweepless.kernels.neighbors.definition import Frame
from sweepless.kernels.neighbors.grid import Pairs, grid_error
from sweepless.kernels.neighbors.lists import (
    Lists,
    Room,
    bounds_of,
    bring_list,
    count_eights,
    has_to_be_made,
    make_list,
)

_RANKS = 1 << 12  # ranks that are told apart
_EXACT = np.float32(2**24 // _RANKS)  # below, float32 holds whole numbers and ranks; far above, few are tied
_HALF = np.float32(0.5)
_FAR32 = np.float32(np.inf)


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
    ranks: AnyArray,
    bases: AnyArray,
    near: AnyArray,
    first: int,
    is_open: Mask,
    eight_open: AnyArray,
    n_open: Counts,
    tally: AnyArray,
) -> None:
    """Settle what lists prove about some rows in a block of candidates, if need be by lists that are made anew.

    Such a row is counted on its account if its nearest column is of its class; others stay open. `beside` holds all
    candidates' values of a sample side by side. A row is proved if its nearest column of one kind, own class or
    others, precedes the other kind and all unlisted columns by more than `margin` and the errors of its distances.
    `ranks` are those of all samples, as fractions of one, if all values are whole numbers; else there are none. `bases`
    and `near` are working space; `first` is the place of the block in `is_open`. `n_open` counts the eights of
    candidates of which one is left open; `eight_open` are the bits of these.
    """
    start, lanes = index(first), index(len(margin))
    for p in range(len(some)):
        r, here = some[p], index(frame.row_sample[some[p]])
        account, n_left = frame.row_account[r], integer(0)
        bring_list(lists, pairs, r, here, manhattan, room)
        for attempt in range(2):
            if has_to_be_made(lists, r, sign, attempt, n_left):
                make_list(lists, frame, pairs, r, sign, manhattan, room)
            elif attempt == 1:
                break
            farthest = float(lists.farthest[r]) * unit
            is_exact = bool(
                len(ranks) > 0 and farthest < _EXACT and grid_error(farthest, largest, units, manhattan) < 0.25
            )
            _find_nearest(lists, r, unit, ranks, is_exact, here, beside, sign, manhattan, bases, near)
            others = lists.beyond[r, 0 if sign > 0 else 1]
            limit, bound = bounds_of(others, lists.farthest[r], unit, largest, units, manhattan)
            limit, doubt = (min(limit, _EXACT), np.float32(0.0)) if is_exact else (limit, np.float32(1.0))
            for c in range(lanes):
                apart = doubt * (bound + margin[c])
                to_same, to_other = near[0, c], near[1, c]
                is_nearest = (limit - to_same > apart) | (limit - to_other > apart)
                proved = (abs(to_same - to_other) > apart) & is_nearest & is_open[r, start + c]
                is_open[r, start + c] ^= proved
                tally[account, c] += np.int32(proved & (to_same < to_other))
            n_left = count_eights(eight_open, r, first, len(margin))
        n_open[r] += n_left


@inlined
def _find_nearest(
    lists: Lists,
    r: int,
    unit: float,
    ranks: AnyArray,
    is_exact: bool,
    here: int,
    beside: AnyArray,
    sign: int,
    manhattan: bool,
    bases: AnyArray,
    near: AnyArray,
) -> None:
    """Find the least distances to listed columns of the row's class, and to those of others, for every candidate.

    Where they are exact, they are whole numbers with the ranks of their columns behind the point.
    """
    far, signs = every(_FAR32), every(np.float32(sign))
    start, stop, end = index(lists.ends[r, 0]), index(lists.ends[r, 1]), index(lists.ends[r, 2])
    for k in range(index(lists.sample.shape[1])):
        bases[k] = np.float32(lists.distance[r, k]) * np.float32(unit)
    for k in range(end if is_exact else index(0)):
        bases[k] = np.float32(np.int32(bases[k] + _HALF)) + ranks[index(lists.sample[r, k])]
    for c in range(index(0), index(near.shape[1]), index(WIDTH)):
        value, same, other = load(beside, here, c), far, far
        for k in range(start):
            there = load(beside, index(lists.sample[r, k]), c)
            other = least(with_term(every(bases[k]), signs, value, there, manhattan), other)
        for k in range(start, stop):  # a list is in the order of classes
            there = load(beside, index(lists.sample[r, k]), c)
            same = least(with_term(every(bases[k]), signs, value, there, manhattan), same)
        for k in range(stop, end):
            there = load(beside, index(lists.sample[r, k]), c)
            other = least(with_term(every(bases[k]), signs, value, there, manhattan), other)
        store(near, index(0), c, same)
        store(near, index(1), c, other)
