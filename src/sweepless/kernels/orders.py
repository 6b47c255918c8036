"""Areas under the ROC curve and average precisions from one order of all samples, if no two keys are nearly equal.

The keys of a candidate are ascending in each of its rows, which are those of `codes`; `rows` tells by which of them a
contest is decided, and `sizes` counts the samples of classes. What hangs on keys that are no farther apart than the
limit of the candidate is left to `ranks`.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Values
from sweepless.kernels._jit import in_wide_vectors, index, inner, kernel
from sweepless.kernels.keys import KEY_BITS, NO_ORDER

OPEN = -2.0  # a value that is left to `ranks`
_BLOCK = 2**16 - 1  # samples whose places sum up to no more than 31 bits


@kernel
def sum_places(ordered: AnyArray, limits: Counts, contests: Counts, rows: Counts, sizes: Counts, areas: Values) -> None:
    """Fill in areas from the places of a class, where all other samples are negative in every contest.

    The mark of a key is a bit. A block is counted in 32 bits, so that more fits into a vector.
    """
    in_wide_vectors()
    for m in range(len(ordered)):
        for k in range(len(contests)):
            line, n_positive = ordered[m, rows[k]], sizes[contests[k, 0]]
            n_near, total = _n_near(line, np.int32(1), 1, limits[m]), 0
            for first in range(0, len(line), _BLOCK):
                block, n_own, places = line[first : first + _BLOCK], np.int32(0), np.int32(0)
                for i in range(index(len(block))):
                    own = block[i] & np.int32(1)
                    n_own += own
                    places += np.int32(i) & -own
                total += places + n_own * first
            n_below, n_negative = total - n_positive * (n_positive - 1) // 2, len(line) - n_positive
            areas[k, m] = 2 * n_below / (2.0 * n_positive * n_negative) if n_near == 0 else OPEN


@kernel
def count_below(
    ordered: AnyArray,
    limits: Counts,
    codes: Counts,
    contests: Counts,
    rows: Counts,
    sizes: Counts,
    n_bits: int,
    below: Counts,
    areas: Values,
) -> None:
    """Fill in areas from how many samples of its code are below those of each class, for all contests of a row at once.

    `below` is a pad with two numbers for every row and each that the bits of a class can hold.
    """
    mask = (1 << n_bits) - 1
    for m in range(len(ordered)):
        for row in range(len(codes)):
            line, code, passed, more = ordered[m, row], codes[row], below[row, 0], below[row, 1]
            for own in range(mask + 1):
                passed[own] = more[own] = 0
            if _n_near(line, np.int32(code), n_bits, limits[m]) > 0:
                passed[code] = -1
                continue
            n_here = np.int64(0)
            for i in range(index(0), index(len(line) - 1), index(2)):  # two sums that do not wait for each other
                own, next_own = line[i] & mask, line[i + index(1)] & mask
                passed[index(own)] += n_here
                n_here += own == code
                more[index(next_own)] += n_here
                n_here += next_own == code
            if len(line) % 2:
                passed[index(line[-1] & mask)] += n_here
        for k in range(len(contests)):
            code, passed, more = contests[k, 0], below[rows[k], 0], below[rows[k], 1]
            n_above, n_negative = np.int64(0), np.int64(0)
            for other in range(1, contests.shape[1]):
                own = contests[k, other]
                n_above += passed[own] + more[own]
                n_negative += sizes[own]
            n_pairs = sizes[code] * n_negative
            areas[k, m] = 2 * (n_pairs - n_above) / (2.0 * n_pairs) if passed[code] >= 0 else OPEN


@kernel
def average_precisions(
    ordered: AnyArray, limits: Counts, rows: Counts, places: Counts, precisions: Values
) -> None:
    """Fill in average precisions, where all other samples are negative in every contest, and marks are bits.

    Of equal outputs none is before the other; so it is open, too, if two of the class are too near. `places` is a pad
    with a number for every sample and one more.
    """
    for m in range(len(ordered)):
        for k in range(len(rows)):
            line = ordered[m, rows[k]]
            precisions[k, m] = OPEN
            if _n_near(line, np.int32(1), 1, limits[m]) > 0:
                continue
            last, n_found, n_tied, total = index(len(line) - 1), index(0), 0, 0.0
            for i in range(index(len(line))):  # without a branch: whose turn it is cannot be predicted
                places[n_found] = i
                n_found += index(line[last - i] & np.int32(1))
            before = np.int64(NO_ORDER)
            for i in range(n_found):
                place = index(places[i])
                here = np.int64(line[last - place] >> 1)
                n_tied += (place > i) & (before - here <= limits[m])  # on top, nothing is above any of them
                total += (i + 1.0) / (place + 1.0)
                before = here
            if n_tied == 0:
                precisions[k, m] = total / n_found


@inner
def _n_near(line: AnyArray, code: np.int32, n_bits: int, limit: int) -> np.int32:
    """Count the samples that might have to be swapped with the one before, of which only one is of the class.

    Two that follow each other are compared, so the nearest are.
    """
    in_wide_vectors()
    mask, least = np.int32((1 << n_bits) - 1), _least(limit, n_bits)
    n_near = np.int32(least == 0)
    for i in range(index(1), index(len(line))):
        value, before = line[i], line[i - index(1)]
        is_mixed = (value & mask == code) != (before & mask == code)
        n_near += np.int32(is_mixed & (np.int32((value | mask) - (before | mask)) < least))
    return n_near


@inner
def _least(limit: int, n_bits: int) -> np.int32:
    """Return by how much two keys with equal bits of a class must differ to be in order; 0 if there is no order."""
    return np.int32((limit + 1) << n_bits) if limit + 1 < 1 << (KEY_BITS - n_bits) else np.int32(0)
