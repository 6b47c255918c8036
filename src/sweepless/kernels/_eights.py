"""More operations on the eight doubles of `_lanes`: powers of two, and keys of eight whole numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types

from sweepless.kernels._jit import inlined
from sweepless.kernels._lanes import DOUBLES, Vector, doubles, every, minus, muladd, operation, place_of, plus, repeated

_WORDS, _HALVES = ir.VectorType(ir.IntType(64), DOUBLES), ir.VectorType(ir.IntType(32), DOUBLES)
_halves, _index = Vector("Halves8", _HALVES), types.uint64
_UNALIGNED = 4  # bytes
_INTEGER = 1.5 * 2.0**52  # added to a number, it leaves the integer in the lowest bits
_SERIES = np.polynomial.Chebyshev.interpolate(np.exp2, 7, domain=[-0.5, 0.5])
_TERMS = tuple(_SERIES.convert(kind=np.polynomial.Polynomial).coef.tolist())
POWER_ERROR = 1e-10  # of a power, as a share of it


@operation(lambda one, other: np.where(one > other, one, other))
def greater(_: Any, one: Any, other: Any) -> Any:
    """Return the first of each two doubles where it is greater, else the second."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", *values), *values)

    return doubles(doubles, doubles), write


@operation(lambda value, marked: (value.view(np.int64) + (marked.view(np.int64) << 52)).view(np.float64))
def with_exponent(_: Any, value: Any, marked: Any) -> Any:
    """Return doubles times two to the power of the whole numbers in the lowest bits of others."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        word, number = (builder.bitcast(each, _WORDS) for each in values)
        moved = builder.shl(number, ir.Constant(_WORDS, [52] * DOUBLES))
        return builder.bitcast(builder.add(word, moved), doubles.layout)

    return doubles(doubles, doubles), write


@inlined
def two_to(x: Any) -> Any:
    """Return 2 to the power of numbers from -1000 to 1000, but for `POWER_ERROR`."""
    integer = every(_INTEGER)
    marked = plus(x, integer)
    r = minus(x, minus(marked, integer))
    series = muladd(r, every(_TERMS[7]), every(_TERMS[6]))
    for k in range(5, -1, -1):
        series = muladd(r, series, every(_TERMS[k]))
    return with_exponent(series, marked)


def _plain_keys(
    low: Any, high: Any, first: Any, mirror: Any, shift: Any, n_bits: Any, marks: Any, row: Any, lane: Any
) -> Any:
    places = np.where(low < high, low.view(np.int64) - first, mirror - high.view(np.int64))
    return ((places >> shift) << n_bits).astype(np.int32) ^ marks[row, lane : lane + DOUBLES]


@operation(_plain_keys)
def keys_of(
    _: Any, low: Any, high: Any, first: Any, mirror: Any, shift: Any, n_bits: Any, marks: Any, row: Any, lane: Any
) -> Any:
    """Return eight keys with their marks (`kernels.keys`), of places by the bits of the lesser of two numbers."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        low, high, first, mirror, shift, n_bits, marks, row, lane = values
        ones = (builder.bitcast(each, _WORDS) for each in (low, high))
        every_word = [repeated(builder, each, _WORDS) for each in (first, mirror, shift)]
        below = builder.sub(next(ones), every_word[0])
        above = builder.sub(every_word[1], next(ones))
        places = builder.select(builder.fcmp_ordered("<", low, high), below, above)
        levels = builder.trunc(builder.lshr(places, every_word[2]), _HALVES)
        levels = builder.shl(levels, repeated(builder, builder.trunc(n_bits, ir.IntType(32)), _HALVES))
        loaded = builder.load(place_of(context, builder, signature.args[6], _HALVES, marks, row, lane))
        loaded.align = _UNALIGNED
        return builder.xor(levels, loaded)

    arguments = (doubles, doubles, types.int64, types.int64, types.int64, types.int64, marks, _index, _index)
    return _halves(*arguments), write


def eights(n: int) -> int:
    """Return the number of lanes of whole vectors that hold so many."""
    return -(-n // DOUBLES) * DOUBLES
