"""Keys of 31 bits in the order of outputs, with the true class in the lowest bits, so that NumPy sorts both at once.

The outputs of a candidate are laid out between the least and the greatest of them such that what another arithmetic may
change is about the same everywhere. So a candidate has one limit: two of its keys that differ by no more, without
their classes, might have to be swapped.

Margins are laid out evenly. Probabilities are laid out by their odds: up to one half by the bits of p, which are about
evenly spaced in log p, and above it by those of 1 - p. What is added to each is large beside what it may be off by.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Values
from sweepless.kernels._jit import index, inner, kernel

KEY_BITS = 31
NO_ORDER = 2**32  # a limit that no two keys exceed
_LARGER = 2.0**26
_LEAST_ADDED, _MOST_ADDED = 1e-290, 0.25
_STEEPEST = 0.25  # odds that may be off by more are not told apart
_BUT_SIGN = np.int64(2**63 - 1)


@kernel
def key_margins(
    outputs: Values, codes: Counts, doubts: Values, marks: AnyArray, n_bits: int, pad: Values, keys: AnyArray, limits: Counts
) -> None:
    """Fill in keys of the outputs of these classes, one class after the other, and the limit of every candidate.

    `marks` are the true classes of all samples, once for each of these classes; the pad holds as many numbers.
    """
    n_levels = 2.0 ** (KEY_BITS - n_bits) - 1.0
    for m in range(len(outputs)):
        _gather(outputs[m], codes, pad)
        low, high = _extremes(pad)
        scale = n_levels / (high - low) if -np.inf < low < high < np.inf else 0.0
        line = keys[m]
        for t in range(index(len(pad))):
            line[t] = (np.int64((pad[t] - low) * scale) << n_bits) | marks[t]
        far = max(abs(low), abs(high))
        bound = 2.0 * (doubts[m, 0] + doubts[m, 1] * far + doubts[m, 2] * far * (1.0 + far)) * scale
        limits[m] = 1 + int(max(bound, 0.0)) if 0.0 < scale and bound < n_levels else NO_ORDER


@kernel
def key_shares(
    outputs: Values,
    codes: Counts,
    doubts: Values,
    marks: AnyArray,
    n_bits: int,
    pad: Values,
    places: Counts,
    keys: AnyArray,
    limits: Counts,
) -> None:
    """Do the same for probabilities; `places` is one more pad."""
    for m in range(len(outputs)):
        _gather(outputs[m], codes, pad)
        limits[m] = key_by_odds(pad, doubts[m, 0], doubts[m, 1], doubts[m, 2], marks, n_bits, places, keys[m])


@inner
def key_by_odds(
    shares: Values, least: float, share: float, odds: float, marks: AnyArray, n_bits: int, places: Counts, keys: AnyArray
) -> int:
    """Fill in the keys of the probabilities of a candidate, given its three doubts; return its limit.

    Every step is a short loop of its own, which vectorizes better.
    """
    to_low = max(_LEAST_ADDED, least * _LARGER)
    to_high = max(_LEAST_ADDED, (least + share) * _LARGER)
    if not (to_low < _MOST_ADDED and to_high < _MOST_ADDED and share + odds < _STEEPEST):
        return NO_ORDER
    mirror = np.float64(0.5 + to_low).view(np.int64) + np.float64(0.5 + to_high).view(np.int64)
    for t in range(index(len(shares))):
        here = shares[t]
        low, high = np.float64(here + to_low).view(np.int64), np.float64((1.0 - here) + to_high).view(np.int64)
        places[t] = low if here <= 0.5 else mirror - high
    first, last = _BUT_SIGN, -_BUT_SIGN
    for t in range(index(len(shares))):
        first, last = min(first, places[t]), max(last, places[t])
    if first < 0:  # something is no probability
        return NO_ORDER
    n_more = (np.float64(last - first).view(np.int64) >> 52) - 1022 - (KEY_BITS - n_bits)
    shift = max(n_more, 0)  # by the bits that there is no room for
    for t in range(index(len(shares))):
        keys[t] = (((places[t] - first) >> shift) << n_bits) | marks[t]
    off = max(least, 0.0) / to_low + max(least + share, 0.0) / to_high + share + odds
    return 1 + (int(2.0**54 * off) >> shift)


@inner
def _gather(outputs: Values, codes: Counts, found: Values) -> None:
    n_samples = outputs.shape[1]
    for row in range(len(codes)):
        line, start = outputs[codes[row]], index(row * n_samples)
        for t in range(index(n_samples)):
            found[start + t] = line[t]


@inner
def _extremes(line: Values) -> tuple[float, float]:
    """Return the least and the greatest by whole numbers of the same order, which vectorize; NaN is an extreme, too."""
    first, last = _BUT_SIGN, -_BUT_SIGN
    for t in range(index(len(line))):
        bits = np.float64(line[t]).view(np.int64)
        bits ^= (bits >> 63) & _BUT_SIGN
        first, last = min(first, bits), max(last, bits)
    first ^= (first >> 63) & _BUT_SIGN
    last ^= (last >> 63) & _BUT_SIGN
    return np.int64(first).view(np.float64), np.int64(last).view(np.float64)
