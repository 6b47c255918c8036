"""Short lists of nearest neighbours that settle most rows of a 1-NN criterion without looking further.

Per row the K nearest columns of the working subset, nearest first, and the distance of the next one.
Adding a feature only lengthens squared distances, so what is not listed stays at least that far away;
removing one shortens them by at most the feature's largest square there. Distances and errors are those
of the float32 filter (see `neighbors`): what they cannot prove is left open.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Mask, Values
from sweepless.kernels._jit import index, kernel
from sweepless.kernels.neighbors import INF32, OFFSET, SLOPE, Frame, fill_row

_BLOCK = 64  # candidates whose values of all samples share the second-level cache


@kernel
def nearest_lists(
    frame: Frame,
    filtered: AnyArray,
    rows: Values,
    manhattan: bool,
    first_row: int,
    last_row: int,
    n_listed: int,
    list_distance: AnyArray,
    list_column: AnyArray,
    list_sample: AnyArray,
    list_same: AnyArray,
) -> None:
    """Find the nearest columns of some rows; the last entry of a list only bounds what is not in it.

    The columns of the old list (-1 where there is none) tell within which distance the new list lies:
    only what is that near is sorted in.
    """
    n_columns = frame.col_sample.shape[1]
    computed = np.empty(n_columns, dtype=np.float32)
    is_near = np.zeros((n_columns + 7) // 8 * 8, dtype=np.uint8)
    eight_near = is_near.view(np.uint64)
    for r in range(first_row, last_row):
        base = computed
        if len(filtered):
            base = filtered[r]
        else:
            fill_row(frame, rows, r, manhattan, computed)
        found = list_distance[r, :n_listed]
        columns = list_column[r, :n_listed]
        within = np.float32(-np.inf)
        for k in range(n_listed):
            within = max(within, base[columns[k]]) if columns[k] >= 0 else np.float32(np.inf)
        for j in range(index(n_columns)):
            is_near[j] = base[j] <= within
        for k in range(n_listed):
            found[k] = np.inf
            columns[k] = -1
        for eight in range(len(eight_near)):
            if eight_near[eight] == 0:
                continue
            for j in range(8 * eight, 8 * eight + 8):
                if is_near[j] and base[j] < found[-1]:
                    place = n_listed - 1
                    while place > 0 and found[place - 1] > base[j]:
                        found[place] = found[place - 1]
                        columns[place] = columns[place - 1]
                        place -= 1
                    found[place] = base[j]
                    columns[place] = j
        group = frame.row_group[r]
        own_start = frame.class_start[group, frame.row_class[r]]
        own_stop = frame.class_start[group, frame.row_class[r] + 1]
        for k in range(n_listed):
            list_sample[r, k] = frame.col_sample[group, max(columns[k], 0)]
            list_same[r, k] = own_start <= columns[k] < own_stop


@kernel
def settle_by_lists(
    frame: Frame,
    n_listed: int,
    list_distance: AnyArray,
    list_sample: AnyArray,
    list_same: AnyArray,
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
    slope = np.float32(2.0 * SLOPE)
    # All loops over candidates are free of branches. Minima are taken of the floats' bits, because only
    # integers do it vectorised; see `neighbor_filter.least`.
    beside = np.zeros((n_samples, _BLOCK), dtype=np.float32)
    near = np.empty((n_listed - 1, _BLOCK), dtype=np.float32)
    near_bits = near.view(np.int32)
    same = np.empty(_BLOCK, dtype=np.int32)
    other = np.empty(_BLOCK, dtype=np.int32)
    beyond = np.empty(_BLOCK, dtype=np.float32)
    beyond_bits = beyond.view(np.int32)
    low = np.empty(_BLOCK, dtype=np.float32)
    low_bits = low.view(np.int32)
    high = np.empty(_BLOCK, dtype=np.float32)
    high_bits = high.view(np.int32)
    margin = np.zeros(_BLOCK, dtype=np.float32)
    half = np.zeros(_BLOCK, dtype=np.float32)
    proved = np.empty(_BLOCK, dtype=np.int32)
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
            margin[c] = 2.0 * (OFFSET * spans[first + c] + drift) * (1.0 + 1e-6)
            half[c] = 0.0
            for sample in range(n_samples):
                beside[sample, c] = centred[first + c, sample]
                half[c] = max(half[c], abs(beside[sample, c]))
        for r in range(n_rows):
            here = beside[frame.row_sample[r]]
            for k in range(n_listed - 1):
                there = beside[list_sample[r, k]]
                distance = list_distance[r, k]
                values = near[k]
                if manhattan:
                    for c in range(index(lanes)):
                        values[c] = distance + signed * abs(here[c] - there[c])
                else:
                    for c in range(index(lanes)):
                        difference = here[c] - there[c]
                        values[c] = distance + signed * (difference * difference)
            for c in range(index(lanes)):
                same[c] = INF32
                other[c] = INF32
            for k in range(n_listed - 1):
                bits = near_bits[k]
                least = same if list_same[r, k] else other
                for c in range(index(lanes)):
                    least[c] = min(least[c], bits[c])
            # What is not listed stays at least this far away: the centred column lies in [-half, half], half its
            # range unless the centre had to be rounded, so no term here is larger than that of |here| + half.
            distance = list_distance[r, n_listed - 1]
            if sign > 0:
                for c in range(index(lanes)):
                    beyond[c] = distance
            elif manhattan:
                for c in range(index(lanes)):
                    beyond[c] = distance - (abs(here[c]) + half[c])
            else:
                for c in range(index(lanes)):
                    largest = abs(here[c]) + half[c]
                    beyond[c] = distance - largest * largest
            for c in range(index(lanes)):
                low_bits[c] = min(same[c], other[c])
                high_bits[c] = min(max(same[c], other[c]), beyond_bits[c])
            counted = tally[frame.row_account[r]]
            bound = slope * distance
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
