"""Keys of the probabilities of naive Bayes: nearly right ones, which rank all samples but those that are very near.

Scores are rounded sums instead of exact ones, and exponentials have fewer digits. Both are allowed for in the limits
of the keys; what they leave open is computed with all its digits.
"""

from __future__ import annotations

import math

import numpy as np

from sweepless._typing import AnyArray, Counts, Values
from sweepless.kernels._jit import fma, index, inlined, inner, kernel
from sweepless.kernels.bayes.moments import ROUNDING
from sweepless.kernels.keys import key_places, layout_of, place_of

_ROUGH = 1e-9  # more than twice what a power may be off by: the next term of its series
_SMALLEST = 2e-323  # some steps between the smallest doubles
_LOG2_E = 1.4426950408889634
_LOWEST = -1000.0
_TERMS = tuple(math.log(2.0) ** k / math.factorial(k) for k in range(9))
_INTEGER = 1.5 * 2.0**52  # added to a number, it leaves the integer in the lowest bits
_BUT_SIGN = np.int64(2**63 - 1)


@kernel
def key_gaussian(
    fold: int,
    cells: Counts,
    standing: Values,
    sign: float,
    columns: Values,
    means: Values,
    heights: Values,
    slopes: Values,
    coldness: float,
    calls: Values,
    codes: Counts,
    marks: AnyArray,
    n_bits: int,
    pads: Values,
    places: Counts,
    keys: AnyArray,
    limits: Counts,
) -> None:
    """Fill in the keys of a fold, given the scores of the members. There is one pad for each class, and two more."""
    start, stop = cells[fold, 0], cells[fold, -1]
    top = pads[len(standing)]
    for m in range(len(columns)):
        values = columns[m, start:stop]
        _clear(top)
        for c in range(len(standing)):
            line, known, mean = pads[c], standing[c, start:stop], means[m, fold, c]
            height, slope = sign * heights[m, fold, c], sign * slopes[m, fold, c]
            for i in range(index(len(values))):
                apart, most = values[i] - mean, top[i]
                score = known[i] + (height - slope * (apart * apart))
                line[i] = score
                top[i] = score if score > most else most
        limits[m] = _key(pads, coldness, calls[m, fold], codes, marks, n_bits, places, keys[m])


@kernel
def key_words(
    fold: int,
    cells: Counts,
    standing: Values,
    lengths: Values,
    sign: float,
    columns: Values,
    logs: Values,
    closing: Values,
    coldness: float,
    calls: Values,
    codes: Counts,
    marks: AnyArray,
    n_bits: int,
    pads: Values,
    places: Counts,
    keys: AnyArray,
    limits: Counts,
) -> None:
    """Do the same for counts, where the scores of the members do without the logarithms of their sums."""
    start, stop = cells[fold, 0], cells[fold, -1]
    top = pads[len(standing)]
    for m in range(len(columns)):
        values, length = columns[m, start:stop], lengths[start:stop]
        _clear(top)
        for c in range(len(standing)):
            line, known, close = pads[c], standing[c, start:stop], closing[m, fold, c]
            weight = sign * (logs[m, fold, c] - close)
            for i in range(index(len(values))):
                most = top[i]
                score = known[i] + (values[i] * weight - length[i] * close)
                line[i] = score
                top[i] = score if score > most else most
        limits[m] = _key(pads, coldness, calls[m, fold], codes, marks, n_bits, places, keys[m])


@inner
def _clear(top: Values) -> None:
    for i in range(index(len(top))):
        top[i] = -np.inf


@inner
def _key(
    pads: Values,
    coldness: float,
    call: float,
    codes: Counts,
    marks: AnyArray,
    n_bits: int,
    places: Counts,
    keys: AnyArray,
) -> int:
    """Fill in the keys of one candidate from its scores and the greatest of them; return their limit."""
    n_classes = len(pads) - 2
    top, total, n_samples = pads[n_classes], pads[n_classes + 1], index(pads.shape[1])
    scale = coldness * _LOG2_E
    largest = np.int64(0)  # by their bits, numbers that are not negative have the same order, and integers vectorize
    for i in range(n_samples):
        largest = max(largest, np.float64(top[i]).view(np.int64) & _BUT_SIGN)
        total[i] = 0.0
    for c in range(n_classes):
        line = pads[c]
        for i in range(n_samples):
            part = _power((line[i] - top[i]) * scale)
            line[i] = part
            total[i] += part
    for i in range(n_samples):
        total[i] = 1.0 / total[i]
    rounding = 4.0 * ROUNDING * (np.int64(largest).view(np.float64) + 8.0)
    layout = layout_of(_SMALLEST, rounding, coldness * call + _ROUGH)
    for row in range(len(codes)):
        line, start = pads[codes[row]], index(row) * n_samples
        for i in range(n_samples):
            places[start + i] = place_of(line[i] * total[i], layout)
    return key_places(places, layout, marks, n_bits, keys)


@inlined
def _power(x: float) -> float:
    """Return 2 to the power of a number that is not positive: 1 of 0, and nearly nothing of whatever is far below."""
    x = _LOWEST if x < _LOWEST else x
    marked = x + _INTEGER
    r = x - (marked - _INTEGER)
    series = fma(r, fma(r, fma(r, fma(r, _TERMS[8], _TERMS[7]), _TERMS[6]), _TERMS[5]), _TERMS[4])
    series = fma(r, fma(r, fma(r, fma(r, series, _TERMS[3]), _TERMS[2]), _TERMS[1]), 1.0)
    power = np.float64(marked).view(np.int64) << 52
    value: float = np.int64(np.float64(series).view(np.int64) + power).view(np.float64)
    return value
