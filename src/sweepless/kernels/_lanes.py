"""Vectors of sixteen float32 or eight float64, for loops that spend more on getting ready than on their work.

The compiler makes vectors of a loop by itself, but must first prove that no two arrays overlap, and care for what is
left over. Where such a loop is short and inside another one, we write the vectors, and the other loop is the inner one.
On any machine a vector lives in as many registers as it takes; without a compiler it is an array.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, models, register_model

from sweepless._typing import AnyArray
from sweepless.kernels._jit import inner

WIDTH, DOUBLES = 16, 8
_FLOATS = ir.VectorType(ir.FloatType(), WIDTH)
_UNALIGNED = 4  # bytes


class _Vector(types.Type):
    def __init__(self, name: str, layout: Any) -> None:
        super().__init__(name)
        self.layout = layout


_vector, _doubles = _Vector("Vector16", _FLOATS), _Vector("Vector8", ir.VectorType(ir.DoubleType(), DOUBLES))
_sums, _index = _Vector("Sums16", ir.VectorType(ir.DoubleType(), WIDTH)), types.uint64
_ints = _Vector("Integers16", ir.VectorType(ir.IntType(32), WIDTH))


def _vector_of(scalar: Any) -> Any:
    return {types.float64: _doubles, types.int32: _ints}.get(scalar, _vector)


@register_model(_Vector)
class _VectorModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, kind.layout)


def _lanes(array: AnyArray) -> int:
    return DOUBLES if array.dtype == np.float64 else WIDTH


def aligned(n_rows: int, n_lanes: int, kind: Any = np.float32) -> AnyArray:
    """Return an array for vectors of which none lies in two lines of the cache; lanes fill whole vectors."""
    room = np.empty(n_rows * n_lanes + WIDTH, dtype=kind)
    n_abreast = 64 // room.itemsize
    first = -room.ctypes.data // room.itemsize % n_abreast
    return room[first : first + n_rows * n_lanes].reshape(n_rows, n_lanes)


def _operation(plain: Callable[..., Any]) -> Callable[[Callable[..., Any]], Any]:
    """Take the function that types and writes an operation, or the plain one if nothing is compiled."""
    return lambda function: plain if numba.config.DISABLE_JIT else intrinsic(function)


def _place(context: Any, builder: Any, kind: Any, layout: Any, array: Any, row: Any, lane: Any) -> Any:
    struct = context.make_array(kind)(context, builder, array)
    place = cgutils.get_item_pointer(context, builder, kind, struct, [row, lane], wraparound=False)
    return builder.bitcast(place, layout.as_pointer())


@_operation(lambda array, row, lane: array[row, lane : lane + _lanes(array)].copy())
def load(_: Any, array: Any, row: Any, lane: Any) -> Any:
    """Return the values of a row from a lane on."""
    vector = _vector_of(array.dtype)

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        loaded = builder.load(_place(context, builder, array, vector.layout, *values))
        loaded.align = _UNALIGNED
        return loaded

    return vector(array, _index, _index), write


@_operation(lambda array, row, lane: None)
def prefetch(_: Any, array: Any, row: Any, lane: Any) -> Any:
    """Have the line of the cache fetched that holds the value of a row at a lane, while other work is done."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        byte, number = ir.IntType(8), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte.as_pointer(), number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [byte.as_pointer()], kind)
        place = _place(context, builder, array, byte, *values)
        builder.call(function, [place, number(0), number(3), number(1)])  # to read, to keep, data
        return context.get_dummy_value()

    return types.void(array, _index, _index), write


def _store(array: Any, row: Any, lane: Any, vector: Any) -> None:
    array[row, lane : lane + len(vector)] = vector


@_operation(_store)
def store(_: Any, array: Any, row: Any, lane: Any, vector: Any) -> Any:
    """Write a vector into a row from a lane on."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        stored = builder.store(values[3], _place(context, builder, array, vector.layout, *values[:3]))
        stored.align = _UNALIGNED
        return context.get_dummy_value()

    return types.void(array, _index, _index, vector), write


def _repeated(builder: Any, value: Any, layout: Any) -> Any:
    nothing, first = ir.Constant(layout, ir.Undefined), ir.Constant(ir.IntType(32), 0)
    places = ir.Constant(ir.VectorType(ir.IntType(32), layout.count), [0] * layout.count)
    return builder.shuffle_vector(builder.insert_element(nothing, value, first), nothing, places)


@_operation(lambda value: np.full(DOUBLES if isinstance(value, float) else WIDTH, value, dtype=type(value)))
def every(_: Any, value: Any) -> Any:
    """Return a vector of one value, sixteen of 32 bits or eight doubles."""
    vector = _vector_of(value)

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _repeated(builder, values[0], vector.layout)

    return vector(value), write


@_operation(lambda: np.zeros(WIDTH))
def no_sums(_: Any) -> Any:
    """Return sixteen doubles that are zero, to sum up doubles for as many float32."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return ir.Constant(_sums.layout, [0.0] * WIDTH)

    return _sums(), write


@_operation(lambda sums, value, one, other: sums + np.where(one <= other, value, sums.dtype.type(0)))
def add_where(_: Any, sums: Any, value: Any, one: Any, other: Any) -> Any:
    """Return sums with one value added where a vector is at most another."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        is_within = builder.fcmp_ordered("<=", *values[2:])
        nothing = ir.Constant(sums.layout, [0.0] * WIDTH)
        return builder.fadd(values[0], builder.select(is_within, _repeated(builder, values[1], sums.layout), nothing))

    return sums(sums, value, _vector, _vector), write


@_operation(lambda one, other: bool((one < other).any()))
def any_below(_: Any, one: Any, other: Any) -> Any:
    """Return whether any value is less than the other."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        bits = builder.bitcast(builder.fcmp_ordered("<", *values), ir.IntType(WIDTH))
        return builder.icmp_unsigned("!=", bits, ir.Constant(ir.IntType(WIDTH), 0))

    return types.boolean(_vector, _vector), write


def _call(builder: Any, name: str, *values: Any, flags: tuple[str, ...] = ()) -> Any:
    """Call a function of the compiler's for vectors."""
    kind = ir.FunctionType(_FLOATS, [_FLOATS] * len(values))
    function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.v{WIDTH}f32")
    return builder.call(function, values, fastmath=flags)


@_operation(lambda base, sign, here, there: base + sign * (here - there) ** 2)
def with_square(_: Any, base: Any, sign: Any, here: Any, there: Any) -> Any:
    """Return `base` with the squares of differences, added or subtracted; rounded once where that is faster."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        difference = builder.fsub(*values[2:])
        return _call(builder, "fmuladd", values[1], builder.fmul(difference, difference), values[0])

    return _vector(_vector, _vector, _vector, _vector), write


@_operation(lambda base, sign, here, there: base + sign * abs(here - there))
def with_size(_: Any, base: Any, sign: Any, here: Any, there: Any) -> Any:
    """Return `base` with the sizes of differences, added or subtracted."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        size = _call(builder, "fabs", builder.fsub(*values[2:]))
        return _call(builder, "fmuladd", values[1], size, values[0])

    return _vector(_vector, _vector, _vector, _vector), write


@_operation(np.subtract)
def minus(_: Any, one: Any, other: Any) -> Any:
    """Return the differences of each two values."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.fsub(*values)

    return _vector(_vector, _vector), write


@_operation(np.minimum)
def least(_: Any, one: Any, other: Any) -> Any:
    """Return the lesser of each two values, none of which may be NaN: then it is one instruction."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _call(builder, "minnum", *values, flags=("nnan",))

    return _vector(_vector, _vector), write


@_operation(np.maximum)
def greatest(_: Any, one: Any, other: Any) -> Any:
    """Return the greater of each two values, none of which may be NaN."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _call(builder, "maxnum", *values, flags=("nnan",))

    return _vector(_vector, _vector), write


def _plain_bits(array: Any, lane: Any, bound: Any) -> Any:
    return np.uint64(sum(1 << k for k, value in enumerate(array[0, lane : lane + 64]) if value <= bound))


@_operation(_plain_bits)
def bits_within(_: Any, array: Any, lane: Any, bound: Any) -> Any:
    """Return as bits which of 64 whole numbers of a single row, from a lane on, are not above a bound."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        layout, row = ir.VectorType(ir.IntType(32), 64), ir.Constant(ir.IntType(64), 0)
        loaded = builder.load(_place(context, builder, array, layout, values[0], row, values[1]))
        loaded.align = _UNALIGNED
        bounds = _repeated(builder, values[2], layout)
        return builder.bitcast(builder.icmp_signed("<=", loaded, bounds), ir.IntType(64))

    return types.uint64(array, _index, types.int32), write


@_operation(lambda word: np.uint64((int(word) & -int(word)).bit_length() - 1))
def lowest_bit(_: Any, word: Any) -> Any:
    """Return the place of the lowest bit of a word that is not 0."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.cttz(values[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), write


@_operation(lambda one, other, base: one * other + base)
def muladd(_: Any, one: Any, other: Any, base: Any) -> Any:
    """Return products of doubles plus `base`; rounded once where that is faster."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind = ir.FunctionType(_doubles.layout, [_doubles.layout] * 3)
        function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fmuladd.v{DOUBLES}f64")
        return builder.call(function, values)

    return _doubles(_doubles, _doubles, _doubles), write


@_operation(lambda one, other: one * other)
def times(_: Any, one: Any, other: Any) -> Any:
    """Return products of doubles."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.fmul(*values)

    return _doubles(_doubles, _doubles), write


@_operation(lambda one, other: one / other)
def over(_: Any, one: Any, other: Any) -> Any:
    """Return quotients of doubles."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.fdiv(*values)

    return _doubles(_doubles, _doubles), write


@_operation(lambda one, other: np.where(one < other, one, other))
def lesser(_: Any, one: Any, other: Any) -> Any:
    """Return the first of each two doubles where it is less, else the second, which may be NaN."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.select(builder.fcmp_ordered("<", *values), *values)

    return _doubles(_doubles, _doubles), write


@inner
def with_term(base: Any, sign: Any, here: Any, there: Any, manhattan: bool) -> Any:
    """Return distances with the terms of one column, added or subtracted."""
    return with_size(base, sign, here, there) if manhattan else with_square(base, sign, here, there)
