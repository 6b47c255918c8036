"""1-NN on a member and a candidate: a walk outwards from the row along the sorted member.

A distance is at least its part in the member. So the walk ends where this part alone is greater than the least distance
so far, after some sixty of 700 columns; of these the definition decides among the few that float32 cannot tell apart.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Mask, Values
from sweepless.kernels._jit import index, integer, kernel
from sweepless.kernels._lanes import WIDTH, any_below, bits_within, every, least, load, lowest_bit, store, with_term
from sweepless.kernels.neighbors.by_definition import WORD, room_for_distances
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
    # Words begin anywhere and are read as a whole.
    near, sites = room_for_distances(n_columns + 2 * WIDTH + WORD), np.full((n_groups, n_columns + 2 * WIDTH), far)
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
    zero, ones = every(np.float32(0.0)), every(np.float32(1.0))
    end, spare = index(sites.shape[1] - WIDTH), index(near.shape[1] - WIDTH)
    for c in range(len(places)):
        column, last_group = columns[index(places[c])], integer(-1)
        for p in range(len(some)):
            r = some[p]
            if not is_open[r, c]:
                continue
            group, here, at_group = frame.row_group[r], frame.row_sample[r], index(frame.row_group[r])
            if group != last_group:
                last_group = group
                for j in range(index(frame.class_start[group, -1])):
                    beside[0, j + index(WIDTH)] = np.float32(column[index(samples[group, j])] - middles[c])
            first, value = np.float32(member[here] - middle), np.float32(column[here] - middles[c])
            ours, theirs, lowest, offset = every(first), every(value), every(_INF32), offsets[c]
            left = right = index(starts[r] + WIDTH)
            goes_left, goes_right = left > index(WIDTH), right < end
            while goes_left or goes_right:
                for side in range(2):
                    if not (goes_right if side == 0 else goes_left):
                        continue
                    left -= index(WIDTH) if side == 1 else index(0)
                    at = right if side == 0 else left
                    part = with_term(zero, ones, ours, load(sites, at_group, at), manhattan)
                    part = with_term(part, ones, theirs, load(beside, index(0), at), manhattan)
                    store(near, index(0), at, part)
                    lowest = least(part, lowest)
                    right += index(WIDTH) if side == 0 else index(0)
                    # Nothing that follows is as near as this, which is its part in the member, but for errors.
                    edge = sites[at_group, right if side == 0 else left - index(1)]
                    edge = np.float32(term(edge - first, manhattan) * (1.0 - 4.0 * SLOPE) - 4.0 * offset)
                    is_over = any_below(lowest, every(edge))
                    goes_right = goes_right and (side == 1 or (right < end and not is_over))
                    goes_left = goes_left and (side == 0 or (left > index(WIDTH) and not is_over))
            left, right = max(left, index(WIDTH)), min(right, end)
            store(near, index(0), spare, lowest)
            low = bits[0, spare]
            for k in range(spare, spare + index(WIDTH)):  # as integers, whose minima are vectorized
                low = bits[0, k] if bits[0, k] < low else low
            bits[0, spare] = low
            reach = max(float(near[0, spare]), 0.0) * (1.0 + SLOPE) + offset
            near[0, spare] = np.float32((reach + offset) / (1.0 - SLOPE) * (1.0 + 2.0**-22))
            within = bits[0, spare]
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
