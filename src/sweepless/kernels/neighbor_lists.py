"""1-NN next door to a subset from short lists of near neighbours: most rows need no more.

A list holds the columns that may come nearest after a step. Adding a feature only lengthens distances, so what is
not among the nearest now stays beyond the last of them; removing one shortens a distance by the pair's largest term
at most. Where the nearest of the own class and of the others lie apart by more than the errors of the
filter (see `neighbors`) and one of them before all that is not listed, the row is settled.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Mask, Values
from sweepless.kernels._jit import index, kernel
from sweepless.kernels.neighbors import INF32, OFFSET, SLOPE, Frame, fill_row

_BLOCK = 64  # candidates whose values of all samples share the second-level cache
_SHRINK = np.float32(1.0 - 8.0 * 2.0**-24)  # more than the float32 of a distance, a term and their difference lose


@kernel
def nearest_lists(
    frame: Frame,
    filtered: AnyArray,
    largest: AnyArray,
    rows: Values,
    sign: int,
    manhattan: bool,
    first_row: int,
    last_row: int,
    n_listed: int,
    list_column: AnyArray,
    list_sample: AnyArray,
    list_same: AnyArray,
    list_distance: AnyArray,
    list_beyond: AnyArray,
) -> None:
    """Find the columns of some rows that may come nearest by an addition (sign 1) or a removal (-1).

    `list_beyond` is what all others stay beyond. The columns of the old list (-1 where there is none) tell
    within which distance the new list lies: only what is that near is sorted in.
    """
    n_columns = frame.col_sample.shape[1]
    base = np.empty(n_columns, dtype=np.float32)
    most = np.empty(n_columns, dtype=np.float32)
    least = np.empty(n_columns, dtype=np.float32)  # what a distance can shrink to
    found = np.empty(n_listed + 1, dtype=np.float32)
    columns = np.empty(n_listed + 1, dtype=np.int64)
    is_near = np.zeros((n_columns + 7) // 8 * 8, dtype=np.uint8)
    eight_near = is_near.view(np.uint64)
    for r in range(first_row, last_row):
        if len(filtered):
            base = filtered[r]
            most = largest[r]
        else:
            fill_row(frame, rows, r, manhattan, base, most)
        if sign > 0:
            for j in range(index(n_columns)):
                least[j] = base[j] * _SHRINK
        else:
            for j in range(index(n_columns)):
                least[j] = base[j] * _SHRINK - most[j]
        within = np.float32(-np.inf)
        for k in range(n_listed + 1):
            old = list_column[r, k]
            reached = least[old] if old >= 0 else np.float32(np.inf)
            within = reached if reached > within else within
            found[k] = np.inf
            columns[k] = -1
        for j in range(index(n_columns)):
            is_near[j] = least[j] <= within
        for eight in range(len(eight_near)):
            if eight_near[eight] == 0:
                continue
            for j in range(8 * eight, 8 * eight + 8):
                if is_near[j] and least[j] < found[n_listed]:
                    place = n_listed
                    while place > 0 and found[place - 1] > least[j]:
                        found[place] = found[place - 1]
                        columns[place] = columns[place - 1]
                        place -= 1
                    found[place] = least[j]
                    columns[place] = j
        group = frame.row_group[r]
        own_start = frame.class_start[group, frame.row_class[r]]
        own_stop = frame.class_start[group, frame.row_class[r] + 1]
        for k in range(n_listed + 1):
            j = columns[k]
            list_column[r, k] = j
            list_sample[r, k] = frame.col_sample[group, j] if j >= 0 else 0
            list_distance[r, k] = base[j] if j >= 0 else np.float32(np.inf)
            list_same[r, k] = own_start <= j < own_stop
        list_beyond[r] = found[n_listed]


@kernel
def settle_by_lists(
    frame: Frame,
    n_listed: int,
    list_sample: AnyArray,
    list_same: AnyArray,
    list_distance: AnyArray,
    list_beyond: AnyArray,
    centred: AnyArray,
    spans: Values,
    drift: float,
    sign: int,
    manhattan: bool,
    is_open: Mask,
    correct: Counts,
) -> None:
    """Count, per candidate and account, the rows whose nearest neighbour is proved to be of their class.

    Rows of which neither this nor the contrary is proved are marked open. All candidates of a block go
    through a list together: their values of one sample lie side by side.
    """
    n_rows = len(list_distance)
    n_samples = centred.shape[1]
    n_accounts = correct.shape[1]
    signed = np.float32(sign)
    # All loops over candidates are free of branches. Minima are taken of the floats' bits, because only
    # integers do it vectorised; see `neighbor_filter.least`.
    beside = np.zeros((n_samples, _BLOCK), dtype=np.float32)
    floats = np.zeros((4, _BLOCK), dtype=np.float32)
    near, low, high, margin = floats[0], floats[1], floats[2], floats[3]
    bits = floats.view(np.int32)
    near_bits, low_bits, high_bits = bits[0], bits[1], bits[2]
    least = np.empty((3, _BLOCK), dtype=np.int32)  # of the other classes, of the own; and what is proved
    other, same, proved = least[0], least[1], least[2]
    beyond = np.zeros(1, dtype=np.float32)
    beyond_bits = beyond.view(np.int32)
    tally = np.zeros((n_accounts, _BLOCK), dtype=np.int32)
    n_blocks = (len(centred) + _BLOCK - 1) // _BLOCK
    for block in range(n_blocks):
        first = block * len(centred) // n_blocks
        width = (block + 1) * len(centred) // n_blocks - first
        lanes = (width + 7) // 8 * 8
        for account in range(n_accounts):
            for c in range(_BLOCK):
                tally[account, c] = 0
        for c in range(width):
            margin[c] = 2.0 * ((OFFSET + SLOPE) * spans[first + c] + drift) * (1.0 + 1e-6)
            for sample in range(n_samples):
                beside[sample, c] = centred[first + c, sample]
        for r in range(n_rows):
            here = beside[frame.row_sample[r]]
            for c in range(index(lanes)):
                same[c] = INF32
                other[c] = INF32
            farthest = np.float32(0.0)  # of the listed: errors grow with the distance, and with the term
            for k in range(n_listed):
                distance = list_distance[r, k]
                if distance == np.inf:
                    break
                farthest = distance if distance > farthest else farthest
                there = beside[list_sample[r, k]]
                if manhattan:
                    for c in range(index(lanes)):
                        near[c] = distance + signed * abs(here[c] - there[c])
                else:
                    for c in range(index(lanes)):
                        difference = here[c] - there[c]
                        near[c] = distance + signed * (difference * difference)
                nearest = least[np.int64(list_same[r, k])]
                for c in range(index(lanes)):
                    nearest[c] = near_bits[c] if near_bits[c] < nearest[c] else nearest[c]
            beyond[0] = list_beyond[r]
            rest = beyond_bits[0]
            for c in range(index(lanes)):
                low_bits[c] = same[c] if same[c] < other[c] else other[c]
                second = other[c] if same[c] < other[c] else same[c]
                high_bits[c] = second if second < rest else rest
            bound = np.float32(2.0 * SLOPE) * farthest
            counted = tally[frame.row_account[r]]
            n_proved = 0
            for c in range(index(lanes)):
                proved[c] = high[c] - low[c] > bound + margin[c]
            for c in range(index(lanes)):
                counted[c] += proved[c] & np.int32(same[c] < other[c])
            for c in range(index(width)):
                n_proved += proved[c]
            if n_proved < width:
                for c in range(width):
                    is_open[first + c, r] = proved[c] == 0
        for c in range(width):
            for account in range(n_accounts):
                correct[first + c, account] += tally[account, c]
