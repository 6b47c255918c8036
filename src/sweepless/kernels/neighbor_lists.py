"""Short lists of nearest neighbours that settle most rows of a 1-NN criterion without looking further.

Per row the K nearest columns of the working subset, nearest first, and the distance of the next one.
Adding a feature only lengthens squared distances, so what is not listed stays at least that far away;
removing one shortens them by at most the feature's largest square there. Distances and errors are those
of the float32 filter (see `neighbors`): what they cannot prove is left open.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Values
from sweepless.kernels._jit import index, kernel
from sweepless.kernels.neighbors import OFFSET, SLOPE

_INF32 = np.int32(0x7F800000)
_BLOCK = 64  # candidates whose values of all samples share the second-level cache


@kernel
def nearest_lists(
    filtered: AnyArray,
    row_class: Counts,
    row_group: Counts,
    col_sample: Counts,
    class_start: Counts,
    list_distance: AnyArray,
    list_column: AnyArray,
    list_sample: AnyArray,
    list_same: AnyArray,
) -> None:
    """Find the nearest columns of every row; the last entry of a list only bounds what is not in it.

    The columns of the old list (-1 where there is none) tell within which distance the new list lies:
    only what is that near is sorted in.
    """
    n_listed = list_distance.shape[1]
    n_columns = filtered.shape[1]
    is_near = np.zeros((n_columns + 7) // 8 * 8, dtype=np.uint8)
    eight_near = is_near.view(np.uint64)
    for r in range(filtered.shape[0]):
        base = filtered[r]
        found = list_distance[r]
        columns = list_column[r]
        within = np.float32(-np.inf)
        for k in range(n_listed):
            within = max(within, base[columns[k]]) if columns[k] >= 0 else np.float32(np.inf)
        for j in range(index(n_columns)):
            is_near[j] = base[j] <= within
        found[:] = np.inf
        columns[:] = -1
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
        group = row_group[r]
        own_start = class_start[group, row_class[r]]
        own_stop = class_start[group, row_class[r] + 1]
        for k in range(n_listed):
            list_sample[r, k] = col_sample[group, max(columns[k], 0)]
            list_same[r, k] = own_start <= columns[k] < own_stop


@kernel
def settle_by_lists(
    list_distance: AnyArray,
    list_sample: AnyArray,
    list_same: AnyArray,
    row_sample: Counts,
    row_fold: Counts,
    centred: AnyArray,
    ranges: Values,
    drift: float,
    sign: int,
    correct: Counts,
    is_open: AnyArray,
) -> None:
    """Count, per candidate and fold, the rows whose nearest neighbour is proved to be of their class.

    Rows of which neither this nor the contrary is proved are marked open. All candidates of a block go
    through a list together: their values of one sample lie side by side.
    """
    n_rows, n_listed = list_distance.shape
    n_samples = centred.shape[1]
    infinity = np.float32(np.inf)
    # Minima are taken of the floats' bits, because only integers do it vectorised; see `neighbors.least`.
    near = np.empty((n_listed - 1, _BLOCK), dtype=np.float32)
    near_bits = near.view(np.int32)
    signed = np.float32(sign)
    removed = np.float32(sign < 0)
    slope = np.float32(2.0 * SLOPE)
    beside = np.zeros((n_samples, _BLOCK), dtype=np.float32)
    same = np.empty(_BLOCK, dtype=np.float32)
    same_bits = same.view(np.int32)
    other = np.empty(_BLOCK, dtype=np.float32)
    other_bits = other.view(np.int32)
    margin = np.zeros(_BLOCK, dtype=np.float32)
    half = np.zeros(_BLOCK, dtype=np.float32)
    for first in range(0, len(centred), _BLOCK):
        width = min(_BLOCK, len(centred) - first)
        for c in range(width):
            margin[c] = 2.0 * (OFFSET * ranges[first + c] * ranges[first + c] + drift) * (1.0 + 1e-6)
            half[c] = 0.0
            for sample in range(n_samples):
                beside[sample, c] = centred[first + c, sample]
                half[c] = max(half[c], abs(beside[sample, c]))
        for r in range(n_rows):
            here = beside[row_sample[r]]
            for k in range(n_listed - 1):
                there = beside[list_sample[r, k]]
                distance = list_distance[r, k]
                values = near[k]
                for c in range(index(_BLOCK)):
                    difference = here[c] - there[c]
                    values[c] = distance + signed * (difference * difference)
            same_bits[:] = _INF32
            other_bits[:] = _INF32
            for k in range(n_listed - 1):
                bits = near_bits[k]
                least = same_bits if list_same[r, k] else other_bits
                for c in range(index(_BLOCK)):
                    least[c] = min(least[c], bits[c])
            distance = list_distance[r, n_listed - 1]
            fold = row_fold[r]
            for c in range(width):
                # The centred column lies in [-half, half], half its range unless the centre had to be
                # rounded: no square here is larger than this.
                largest = abs(here[c]) + half[c]
                beyond = distance - removed * (largest * largest)
                low = min(same[c], other[c])
                high = min(max(same[c], other[c]), beyond)
                if low < infinity and (high == infinity or high - low > slope * distance + margin[c]):
                    correct[first + c, fold] += same[c] < other[c]
                else:
                    is_open[first + c, r] = True
