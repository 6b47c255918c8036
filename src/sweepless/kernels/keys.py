"""Keys of 32 bits in the order of outputs, with a mark in the lowest bits, so that NumPy sorts both at once.

The mark of a sample is its true class, or a single bit where all that counts is whether it is the class of the output.
It also has the highest bit, which makes numbers with a sign of those without one.

The outputs of a candidate are laid out between the least and the greatest of them such that what another arithmetic may
change is about the same everywhere. So a candidate has one limit: two of its keys that differ by no more, without
their marks, might have to be swapped.

Margins are laid out evenly. Probabilities are laid out by their odds: up to one half by the bits of p, which are about
evenly spaced in log p, and above it by those of 1 - p. What is added to each is large beside what it may be off by.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sweepless._typing import AnyArray, Counts, Values
from sweepless.kernels._jit import index, inlined, inner, kernel

KEY_BITS = 32
HIGHEST = -(2**31)  # the highest bit
NO_ORDER = 2**32  # a limit that no two keys exceed
_LARGER = 2.0**28
_LEAST_ADDED, _MOST_ADDED = 1e-290, 0.25
_MOST_OFF = 0.25
_BUT_SIGN = np.int64(2**63 - 1)


@kernel
def key_margins(
    outputs: Values,
    codes: Counts,
    doubts: Values,
    marks: AnyArray,
    n_bits: int,
    pad: Values,
    keys: AnyArray,
    limits: Counts,
) -> None:
    """Fill in keys of the outputs of these classes, one class after the other, and the limit of every candidate.

    `marks` are those of all samples, a line for each of these classes, and may be longer; the pad holds a number for
    every key.
    """
    n_levels = 2.0 ** (KEY_BITS - n_bits) - 1.0
    for m in range(len(outputs)):
        _gather(outputs[m], codes, pad)
        low, high = _extremes(pad)
        scale = n_levels / (high - low) if -np.inf < low < high < np.inf else 0.0
        for row in range(len(codes)):
            own, start = marks[row], index(row) * index(outputs.shape[2])
            line, found = pad[start:], keys[m, start:]
            for t in range(index(outputs.shape[2])):
                found[t] = (np.int64((line[t] - low) * scale) << n_bits) + own[t]
        far = max(abs(low), abs(high))
        bound = 2.0 * (doubts[m, 0] + doubts[m, 1] * far + doubts[m, 2] * far * (1.0 + far)) * scale
        limits[m] = 1 + int(max(bound, 0.0)) if scale > 0.0 and bound < n_levels else NO_ORDER


@kernel
def key_shares(
    outputs: Values,
    codes: Counts,
    doubts: Values,
    marks: AnyArray,
    n_bits: int,
    pad: Counts,
    keys: AnyArray,
    limits: Counts,
) -> None:
    """Do the same for probabilities."""
    n_samples = index(outputs.shape[2])
    for m in range(len(outputs)):
        layout = layout_of(doubts[m, 0], doubts[m, 1], doubts[m, 2])
        for row in range(len(codes)):
            line, start = outputs[m, codes[row]], index(row) * n_samples
            for t in range(n_samples):
                pad[start + t] = place_of(line[t], layout)
        limits[m] = key_places(pad, layout, marks, n_bits, keys[m])


class Layout(NamedTuple):
    """How the probabilities of a candidate are laid out."""

    to_low: float  # what is added to p
    to_high: float  # what is added to 1 - p
    mirror: np.int64  # the place of 1 - p is this minus its bits
    off: float  # the share by which p, or 1 - p, with what is added may be off


@inlined
def layout_of(least: float, share: float, odds: float) -> Layout:
    """Lay out probabilities with these three doubts."""
    to_low = max(_LEAST_ADDED, least * _LARGER)
    to_high = max(_LEAST_ADDED, (least + share) * _LARGER)
    mirror = np.float64(0.5 + to_low).view(np.int64) + np.float64(0.5 + to_high).view(np.int64)
    off = max(least, 0.0) / to_low + max(least + share, 0.0) / to_high + share + odds
    is_known = to_low < _MOST_ADDED and to_high < _MOST_ADDED and off < _MOST_OFF
    return Layout(to_low, to_high, mirror, off if is_known else np.inf)


@inlined
def place_of(share: float, layout: Layout) -> np.int64:
    """Return the place of a probability; it is negative if that is none."""
    low = np.float64(share + layout.to_low).view(np.int64)
    high = np.float64((1.0 - share) + layout.to_high).view(np.int64)
    return low if share <= 0.5 else layout.mirror - high


@inner
def key_places(places: Counts, layout: Layout, marks: AnyArray, n_bits: int, keys: AnyArray) -> int:
    """Fill in the keys of places; return their limit."""
    first, last = _BUT_SIGN, -_BUT_SIGN
    for t in range(index(len(places))):
        first, last = min(first, places[t]), max(last, places[t])
    if first < 0 or not layout.off < np.inf:
        return NO_ORDER
    shift, n_samples = shift_of(first, last, n_bits), index(len(places) // len(marks))
    for row in range(len(marks)):
        own, start = marks[row], index(row) * n_samples
        line, found = places[start:], keys[start:]
        for t in range(n_samples):
            found[t] = (((line[t] - first) >> shift) << n_bits) + own[t]
    return limit_of(layout, shift)


@inlined
def shift_of(first: np.int64, last: np.int64, n_bits: int) -> np.int64:
    """Return by how many bits the places from the first to the last are too long."""
    n_more = (np.float64(last - first).view(np.int64) >> 52) - 1022 - (KEY_BITS - n_bits)
    return n_more if n_more > 0 else np.int64(0)


@inlined
def limit_of(layout: Layout, shift: np.int64) -> int:
    """Return the limit of places that are shorter by so many bits."""
    return int(1 + (np.int64(2.0**54 * layout.off) >> shift))


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
