"""Keys of the probabilities of naive Bayes: nearly right ones, which rank all samples but those that are very near.

Scores are rounded sums instead of exact ones, and exponentials have fewer digits. Both are allowed for in the limits
of the keys; what they leave open is computed with all its digits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sweepless._typing import AnyArray, Counts, Values
from sweepless.kernels._eights import POWER_ERROR, greater, keys_of, two_to
from sweepless.kernels._jit import index, inlined, inner, kernel
from sweepless.kernels._lanes import DOUBLES, every, lesser, load, minus, muladd, over, plus, store, times
from sweepless.kernels.bayes.moments import ROUNDING
from sweepless.kernels.keys import NO_ORDER, layout_of, limit_of, place_of, shift_of

_ROUGH = 4.0 * POWER_ERROR  # twice that changes a probability
_SMALLEST = 2e-323  # some steps between the smallest doubles
_LOG2_E = 1.4426950408889634
_LOWEST = -1000.0
# The rows of a pad after those of classes.
_TOP, _INVERSE, _VALUES, _LENGTHS, _FOUND = range(5)
N_MORE = 5


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
    known: Values,
    pads: Values,
    spot: AnyArray,
    keys: AnyArray,
    limits: Counts,
) -> None:
    """Fill in the keys of a fold, given the scores of the members.

    Of every class there is a line in `known` and `pads`, and there are `N_MORE` pads; all of them, marks and the spot
    are whole vectors.
    """
    start, stop, n_classes = cells[fold, 0], cells[fold, -1], len(standing)
    for c in range(n_classes):
        _fill(standing[c, start:stop], known[c])
    for m in range(len(columns)):
        _fill(columns[m, start:stop], pads[n_classes + _VALUES])
        for c in range(n_classes):
            mean, height = every(means[m, fold, c]), every(sign * heights[m, fold, c])
            slope = every(-sign * slopes[m, fold, c])
            for i in range(index(0), index(pads.shape[1]), index(DOUBLES)):
                apart = minus(load(pads, index(n_classes + _VALUES), i), mean)
                _keep(pads, c, i, muladd(slope, times(apart, apart), plus(load(known, index(c), i), height)))
        call = coldness * calls[m, fold]
        limits[m] = _key(pads, stop - start, coldness, call, codes, marks, n_bits, spot, keys, m)


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
    known: Values,
    pads: Values,
    spot: AnyArray,
    keys: AnyArray,
    limits: Counts,
) -> None:
    """Do the same for counts, where the scores of the members do without the logarithms of their sums."""
    start, stop, n_classes = cells[fold, 0], cells[fold, -1], len(standing)
    for c in range(n_classes):
        _fill(standing[c, start:stop], known[c])
    _fill(lengths[start:stop], pads[n_classes + _LENGTHS])
    for m in range(len(columns)):
        _fill(columns[m, start:stop], pads[n_classes + _VALUES])
        for c in range(n_classes):
            close = closing[m, fold, c]
            weight, less_long = every(sign * (logs[m, fold, c] - close)), every(-close)
            for i in range(index(0), index(pads.shape[1]), index(DOUBLES)):
                score = muladd(load(pads, index(n_classes + _LENGTHS), i), less_long, load(known, index(c), i))
                _keep(pads, c, i, muladd(load(pads, index(n_classes + _VALUES), i), weight, score))
        call = coldness * calls[m, fold]
        limits[m] = _key(pads, stop - start, coldness, call, codes, marks, n_bits, spot, keys, m)


@inner
def _fill(values: Values, pad: Values) -> None:
    """Copy values, the last one as often as there is room: it changes no extreme."""
    n_values = index(len(values))
    for i in range(n_values):
        pad[i] = values[i]
    for i in range(n_values, index(len(pad))):
        pad[i] = values[n_values - index(1)]


@inlined
def _keep(pads: Values, c: int, i: int, scores: Any) -> None:
    """Keep the scores of a class, and the greatest so far."""
    top = index(len(pads) - N_MORE + _TOP)
    store(pads, index(c), i, scores)
    store(pads, top, i, greater(scores, load(pads, top, i)) if c > 0 else scores)


@inner
def _key(
    pads: Values,
    n_samples: int,
    coldness: float,
    call: float,
    codes: Counts,
    marks: AnyArray,
    n_bits: int,
    spot: AnyArray,
    keys: AnyArray,
    m: int,
) -> int:
    """Fill in the keys of one candidate from its scores and the greatest of them; return their limit."""
    n_classes, width, step = len(pads) - N_MORE, index(pads.shape[1]), index(DOUBLES)
    inverses, found = index(n_classes + _INVERSE), index(n_classes + _FOUND)
    nothing, scale = every(0.0), every(coldness * _LOG2_E)
    farthest, lowest, greatest, whole = nothing, nothing, nothing, nothing
    for i in range(index(0), width, step):
        top, total = load(pads, index(n_classes + _TOP), i), nothing
        farthest = greater(greater(top, minus(nothing, top)), farthest)
        origin = minus(nothing, times(top, scale))
        for c in range(index(n_classes)):
            x = greater(every(_LOWEST), muladd(load(pads, c, i), scale, origin))
            part = two_to(x)
            store(pads, c, i, part)
            lowest, total = lesser(x, lowest), plus(total, part)
        inverse = over(every(1.0), total)
        store(pads, inverses, i, inverse)
        greatest, whole = greater(inverse, greatest), plus(whole, inverse)
    rounding = 4.0 * ROUNDING * (_extreme(pads, found, farthest) + 8.0)
    layout = layout_of(_SMALLEST, rounding, call + _ROUGH)
    first = place_of(0.99 * 2.0 ** -_extreme(pads, found, minus(nothing, lowest)) / n_classes, layout)
    last = place_of((1.0 + _ROUGH) * _extreme(pads, found, greatest), layout)
    store(pads, found, index(0), whole)
    if not pads[found, :DOUBLES].sum() < np.inf or not layout.off < np.inf:  # it is no number if any score is none
        return NO_ORDER
    shift, mirror = shift_of(first, last, n_bits), layout.mirror - first
    to_low, to_high = every(layout.to_low), every(1.0 + layout.to_high)
    for row in range(index(len(codes))):
        code, start = index(codes[row]), row * index(n_samples)
        for i in range(index(0), width, step):
            part, inverse = load(pads, code, i), load(pads, inverses, i)
            high = muladd(minus(nothing, part), inverse, to_high)
            eight = keys_of(muladd(part, inverse, to_low), high, first, mirror, shift, n_bits, marks, row, i)
            if i + step <= index(n_samples):
                store(keys, index(m), start + i, eight)
            else:
                store(spot, index(0), index(0), eight)
                for k in range(index(n_samples) - i):
                    keys[m, start + i + k] = spot[0, k]
    return limit_of(layout, shift)


@inlined
def _extreme(pads: Values, found: int, values: Any) -> float:
    """Return the greatest of eight numbers that are not negative."""
    store(pads, found, index(0), values)
    greatest = 0.0
    for k in range(index(DOUBLES)):
        greatest = max(greatest, pads[found, k])
    return greatest
