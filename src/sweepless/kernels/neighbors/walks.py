"""1-NN on a member and a candidate: a walk outwards from the row along the sorted member.

A distance is at least its part in the member. So the walk ends where this part alone is greater than the least distance
so far, after some sixty of 700 columns; of these the definition decides among the few that float32 cannot tell apart.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Mask, Values
from sweepless.kernels._jit import index, inner, integer, kernel
from sweepless.kernels._lanes import WIDTH, any_below, bits_within, every, least, load, lowest_bit, store, with_term
from sweepless.kernels.neighbors.by_definition import WORD, bits_of_reach, room_for_distances
from sweepless.kernels.neighbors.definition import SLOPE, Frame, rooted, term

_INF32 = np.float32(np.inf)


def count_by_walks(
    frame: Frame,
    member: Values,
    middle: float,
    columns: Values,
    places: Features,
    middles: Values,
    offsets: Values,
    manhattan: bool,
    some: Features,
    is_open: Mask,
    correct: Counts,
) -> None:
    """Count the correctly classified rows among the open ones, which are some, for the member and each candidate.

    `columns` holds the candidates at some `places`, a row each, with values around `middles`; `offsets` are the errors
    of distances that do not grow with them. Every column of a group must be allowed to classify all of its rows.
    """
    n_groups, n_columns = frame.col_sample.shape
    keys = np.where(frame.col_fold < 0, np.inf, member[frame.col_sample])  # padding comes last
    order, starts = np.argsort(keys, axis=1, kind="stable"), np.empty(len(is_open), dtype=np.int64)
    parts = frame.col_sample, frame.col_class, frame.col_rank
    samples, labels, ranks = (np.take_along_axis(part, order, axis=1) for part in parts)
    far = np.float32(1e35 if manhattan else 1e18)  # beyond all values, with a finite term
    near, sites = room_for_distances(n_columns + 2 * WIDTH), np.full((n_groups, n_columns + 2 * WIDTH), far)
    for group, row in enumerate(np.take_along_axis(keys, order, axis=1)):
        stop = frame.class_start[group, -1]
        sites[group, WIDTH : WIDTH + stop] = row[:stop] - middle
        here = frame.row_group == group
        starts[here] = np.searchsorted(row, member[frame.row_sample[here]])
    some, beside = some[np.argsort(frame.row_group[some], kind="stable")], np.zeros_like(sites[:1])
    _count_by_walks(
        frame,
        samples,
        labels,
        ranks,
        sites,
        starts,
        member,
        middle,
        columns,
        places,
        middles,
        offsets,
        manhattan,
        some,
        is_open,
        beside,
        near,
        near.view(np.int32),
        correct,
    )


@kernel
def _count_by_walks(
    frame: Frame,
    samples: Counts,
    labels: Counts,
    ranks: Counts,
    sites: AnyArray,
    starts: Counts,
    member: Values,
    middle: float,
    columns: Values,
    places: Features,
    middles: Values,
    offsets: Values,
    manhattan: bool,
    some: Features,
    is_open: Mask,
    beside: AnyArray,
    near: AnyArray,
    bits: AnyArray,
    correct: Counts,
) -> None:
    """Count in `some` rows, which come group by group, and whose walks begin at `starts`.

    `samples`, `labels` and `ranks` are those of the columns by their values of the member, which are also in `sites`,
    between FAR ones. From `beside` to `bits` is room: for a candidate's values in the same order, and for distances.
    """
    for c in range(len(places)):
        column, last_group = columns[index(places[c])], integer(-1)
        for p in range(len(some)):
            r = some[p]
            if not is_open[r, c]:
                continue
            group, here = frame.row_group[r], frame.row_sample[r]
            if group != last_group:
                last_group = group
                for j in range(index(frame.class_start[group, -1])):
                    beside[0, j + index(WIDTH)] = np.float32(column[index(samples[group, j])] - middles[c])
            first, value = np.float32(member[here] - middle), np.float32(column[here] - middles[c])
            start = index(starts[r] + WIDTH)
            lowest, left, right = _walk(sites, group, start, beside, first, value, offsets[c], manhattan, near, bits)
            within = bits_of_reach(near, bits, max(lowest, 0.0) * (1.0 + SLOPE) + offsets[c], offsets[c])
            nearest, best = np.inf, integer(-1)
            for begin in range(left, right, index(WORD)):
                word = bits_within(bits, begin, within)
                while word != 0:
                    k = begin + lowest_bit(word)
                    word &= word - index(1)
                    if k >= right:
                        break
                    j = integer(k) - WIDTH
                    there = samples[group, j]
                    distance = term(member[here] - member[there], manhattan) + term(
                        column[here] - column[there], manhattan
                    )
                    distance = rooted(distance, manhattan)
                    if distance < nearest or (distance == nearest and ranks[group, j] < ranks[group, best]):
                        nearest, best = distance, j
            correct[c, frame.row_account[r]] += integer(best >= 0 and labels[group, best] == frame.row_class[r])


@inner
def _walk(
    sites: AnyArray,
    group: int,
    start: int,
    beside: AnyArray,
    first: np.float32,
    value: np.float32,
    offset: float,
    manhattan: bool,
    near: AnyArray,
    bits: AnyArray,
) -> tuple[float, int, int]:
    """Write the distances from the start outwards; return the least, and which of them were written."""
    zero, ones, lowest = every(np.float32(0.0)), every(np.float32(1.0)), every(_INF32)
    here, beside_here, group_at = every(first), every(value), index(group)
    left, right, end = start, start, index(sites.shape[1] - WIDTH)
    goes_left, goes_right = left > index(WIDTH), right < end
    while goes_left or goes_right:
        if goes_right:
            part = with_term(zero, ones, here, load(sites, group_at, right), manhattan)
            part = with_term(part, ones, beside_here, load(beside, index(0), right), manhattan)
            store(near, index(0), right, part)
            lowest, right = least(part, lowest), right + index(WIDTH)
            if right >= end:
                right, goes_right = end, False
            else:
                edge = _edge(term(sites[group_at, right] - first, manhattan), offset)
                goes_right = not any_below(lowest, every(edge))
        if goes_left:
            left -= index(WIDTH)
            part = with_term(zero, ones, here, load(sites, group_at, left), manhattan)
            part = with_term(part, ones, beside_here, load(beside, index(0), left), manhattan)
            store(near, index(0), left, part)
            lowest = least(part, lowest)
            if left <= index(WIDTH):
                left, goes_left = index(WIDTH), False
            else:
                edge = _edge(term(first - sites[group_at, left - index(1)], manhattan), offset)
                goes_left = not any_below(lowest, every(edge))
    end = index(near.shape[1] - WIDTH)
    store(near, index(0), end, lowest)
    low = bits[0, end]
    for k in range(end, end + index(WIDTH)):  # as integers, whose minima are vectorized
        low = bits[0, k] if bits[0, k] < low else low
    bits[0, end] = low
    return float(near[0, end]), left, right


@inner
def _edge(part: float, offset: float) -> np.float32:
    """Return a distance below which nothing that follows can be as near, given its part in the member at least."""
    return np.float32(float(part) * (1.0 - 4.0 * SLOPE) - 4.0 * offset)
