"""The several least distances of a list, for sixteen candidates at once.

A list is looked through from its nearest column on. Adding a feature only lengthens distances, so the search ends where
all columns that follow are farther without it than the last of the least is with it. On madelon, five neighbors are
found among 12 of 40 columns with a hundred members, and among 22 of 72 with twenty. A removal looks at all columns, but
it also puts only those in order that are nearer than the last.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sweepless._typing import AnyArray, Counts
from sweepless.kernels._jit import index, inner, integer
from sweepless.kernels._lane_choices import any_below
from sweepless.kernels._lanes import WIDTH, aligned, every, greatest, least, load, minus, store, with_term
from sweepless.kernels.neighbors.lists import Lists, bounds_of

ABREAST = 4  # columns that are valued side by side
_SHELVES = 32  # of equal width between the nearest and the farthest column
_FAR32 = np.float32(1e38)  # finite, so that differences are numbers; no sum of terms comes near


class Ranked(NamedTuple):
    """Working space: the columns of a list, shelf by shelf, filled up to whole fours by columns that are FAR away."""

    found: Counts  # the places of columns that may be among the least, in the order of the list
    rank: Counts  # of each place in the list
    place: Counts  # of each rank; and so on:
    sample: Counts
    base: AnyArray  # the distance without a candidate
    floor: AnyArray  # what this distance and all that follow are at least
    shelf_end: Counts
    best: AnyArray  # the k + 1 least of sixteen candidates
    distance: AnyArray  # with each candidate, per place
    near: AnyArray  # the kth least distance of each candidate, and by how much the others are farther


def room_to_rank(length: int, n_neighbors: int, n_lanes: int) -> Ranked:
    """Return working space for lists of some length and some candidates, which fill whole vectors."""
    length = -(-length // ABREAST) * ABREAST
    found, rank, place, sample = np.zeros((4, length + 1), dtype=np.int64)
    base, floor = np.empty((2, length), dtype=np.float32)
    shelf_end, best = np.empty(_SHELVES, dtype=np.int64), aligned(n_neighbors + 1, WIDTH)
    columns = found, rank, place, sample, base, floor
    return Ranked(*columns, shelf_end, best, aligned(length, n_lanes), aligned(2, n_lanes))


@inner
def find_least(
    lists: Lists,
    r: int,
    here: int,
    unit: float,
    largest: float,
    units: float,
    beside: AnyArray,
    sign: int,
    manhattan: bool,
    first: int,
    eight_open: AnyArray,
    ranked: Ranked,
) -> tuple[int, np.float32]:
    """Find the least distances of a row for all candidates, sixteen at a time, where one of the sixteen is open.

    Returns how many columns may be among the least, whose distances are noted, and by how much the errors of two
    distances may differ.
    """
    signed, far, zero, n_best = np.float32(sign), every(_FAR32), index(0), index(len(ranked.best))
    n_near = _rank_list(lists, r, unit, ranked)
    others, n_seen, n_found = lists.beyond[r, 0 if sign > 0 else 1], zero, integer(0)
    limit, bound = bounds_of(others, lists.farthest[r], unit, largest, units, manhattan)
    for c in range(zero, index(beside.shape[1]), index(WIDTH)):
        eight, k = (index(first) + c) // index(8), zero
        if eight_open[r, eight] | eight_open[r, eight + index(1)] == 0:
            continue
        value, previous, last = load(beside, here, c), far, far
        for b in range(n_best):
            store(ranked.best, b, zero, far)
        while k < index(n_near) and (k < n_seen or sign < 0 or any_below(every(ranked.floor[k]), last)):
            one = _valued(ranked, k, value, beside, c, signed, manhattan)
            two = _valued(ranked, k + index(1), value, beside, c, signed, manhattan)
            three = _valued(ranked, k + index(2), value, beside, c, signed, manhattan)
            four = _valued(ranked, k + index(3), value, beside, c, signed, manhattan)
            k += index(ABREAST)
            if not any_below(least(least(one, two), least(three, four)), last):
                continue
            for b in range(n_best):
                previous, last = last, load(ranked.best, b, zero)
                last, one = least(last, one), greatest(last, one)
                last, two = least(last, two), greatest(last, two)
                last, three = least(last, three), greatest(last, three)
                last, four = least(last, four), greatest(last, four)
                store(ranked.best, b, zero, last)
        store(ranked.near, zero, c, previous)
        store(ranked.near, index(1), c, minus(least(last, every(limit)), previous))
        for other in range(zero, c, index(WIDTH)):  # which were done before
            for rank in range(n_seen, k):
                store(ranked.distance, index(ranked.place[rank]), other, far)
        n_seen = k
    for place in range(index(n_near)):  # without a branch that no processor could foresee
        ranked.found[n_found] = integer(place)
        n_found += ranked.rank[place] < integer(n_seen)
    return n_found, bound


@inner
def _rank_list(lists: Lists, r: int, unit: float, ranked: Ranked) -> int:
    """Put the columns of a row's list in the order of their distances; return their number."""
    one, shift, n_near, n_before = np.float32(unit), np.int32(0), integer(lists.ends[r, 2]), integer(0)
    nearest = lists.nearest[r]
    while (lists.farthest[r] - nearest) >> shift >= _SHELVES:
        shift += np.int32(1)
    for shelf in range(index(_SHELVES)):
        ranked.shelf_end[shelf] = 0
    for k in range(index(n_near)):
        ranked.shelf_end[index((lists.distance[r, k] - nearest) >> shift)] += 1
    for shelf in range(index(_SHELVES)):
        n_within = ranked.shelf_end[shelf]
        ranked.shelf_end[shelf] = n_before
        n_before += n_within
    for k in range(index(n_near)):
        distance = lists.distance[r, k]
        shelf = (distance - nearest) >> shift
        rank = ranked.shelf_end[index(shelf)]
        ranked.shelf_end[index(shelf)] = rank + 1
        ranked.rank[k], ranked.place[index(rank)] = rank, integer(k)
        ranked.sample[index(rank)] = lists.sample[r, k]
        ranked.base[index(rank)] = np.float32(distance) * one
        ranked.floor[index(rank)] = np.float32(nearest + np.int32(shelf << shift)) * one
    for rank in range(n_near, -(-n_near // ABREAST) * ABREAST):
        ranked.place[rank], ranked.sample[rank] = rank, lists.sample[r, 0]
        ranked.base[rank] = ranked.floor[rank] = _FAR32
    return int(n_near)


@inner
def _valued(ranked: Ranked, k: int, value: Any, beside: AnyArray, c: int, signed: Any, manhattan: bool) -> Any:
    """Return the distances of a column with sixteen candidates, and note them."""
    there = load(beside, index(ranked.sample[k]), c)
    distance = with_term(every(ranked.base[k]), signed, value, there, manhattan)
    store(ranked.distance, index(ranked.place[k]), c, distance)
    return distance
