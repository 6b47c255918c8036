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
FLOATS = ir.VectorType(ir.FloatType(), WIDTH)
UNALIGNED = 4  # bytes


class Vector(types.Type):
    def __init__(self, name: str, layout: Any) -> None:
        super().__init__(name)
        self.layout = layout


floats, doubles = Vector("Vector16", FLOATS), Vector("Vector8", ir.VectorType(ir.DoubleType(), DOUBLES))
sixteen_doubles, unsigned = Vector("Sums16", ir.VectorType(ir.DoubleType(), WIDTH)), types.uint64
mask = Vector("Mask16", ir.VectorType(ir.IntType(1), WIDTH))
whole = Vector("Whole16", ir.VectorType(ir.IntType(32), WIDTH))


def vector_of(scalar: Any) -> Any:
    return {types.float64: doubles, types.int32: whole}.get(scalar, floats)


@register_model(Vector)
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


def operation(plain: Callable[..., Any]) -> Callable[[Callable[..., Any]], Any]:
    """Take the function that types and writes an operation, or the plain one if nothing is compiled."""
    return lambda function: plain if numba.config.DISABLE_JIT else intrinsic(function)


def place_of(context: Any, builder: Any, kind: Any, layout: Any, array: Any, row: Any, lane: Any) -> Any:
    struct = context.make_array(kind)(context, builder, array)
    place = cgutils.get_item_pointer(context, builder, kind, struct, [row, lane], wraparound=False)
    return builder.bitcast(place, layout.as_pointer())


@operation(lambda array, row, lane: array[row, lane : lane + _lanes(array)].copy())
def load(_: Any, array: Any, row: Any, lane: Any) -> Any:
    """Return the values of a row from a lane on."""
    vector = vector_of(array.dtype)

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        loaded = builder.load(place_of(context, builder, array, vector.layout, *values))
        loaded.align = UNALIGNED
        return loaded

    return vector(array, unsigned, unsigned), write


@operation(lambda array, row, lane: None)
def prefetch(_: Any, array: Any, row: Any, lane: Any) -> Any:
    """Have the line of the cache fetched that holds the value of a row at a lane, while other work is done."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        byte, number = ir.IntType(8), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte.as_pointer(), number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [byte.as_pointer()], kind)
        place = place_of(context, builder, array, byte, *values)
        builder.call(function, [place, number(0), number(3), number(1)])  # to read, to keep, data
        return context.get_dummy_value()

    return types.void(array, unsigned, unsigned), write


def _store(array: Any, row: Any, lane: Any, vector: Any) -> None:
    array[row, lane : lane + len(vector)] = vector


@operation(_store)
def store(_: Any, array: Any, row: Any, lane: Any, vector: Any) -> Any:
    """Write a vector into a row from a lane on."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        stored = builder.store(values[3], place_of(context, builder, array, vector.layout, *values[:3]))
        stored.align = UNALIGNED
        return context.get_dummy_value()

    return types.void(array, unsigned, unsigned, vector), write


def repeated(builder: Any, value: Any, layout: Any) -> Any:
    nothing, first = ir.Constant(layout, ir.Undefined), ir.Constant(ir.IntType(32), 0)
    places = ir.Constant(ir.VectorType(ir.IntType(32), layout.count), [0] * layout.count)
    return builder.shuffle_vector(builder.insert_element(nothing, value, first), nothing, places)


@operation(lambda value: np.full(DOUBLES if isinstance(value, float) else WIDTH, value, dtype=type(value)))
def every(_: Any, value: Any) -> Any:
    """Return a vector of one value, sixteen of 32 bits or eight doubles."""
    vector = vector_of(value)

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return repeated(builder, values[0], vector.layout)

    return vector(value), write


def call(builder: Any, name: str, *values: Any, flags: tuple[str, ...] = ()) -> Any:
    """Call a function of the compiler's for vectors."""
    kind = ir.FunctionType(FLOATS, [FLOATS] * len(values))
    function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.v{WIDTH}f32")
    return builder.call(function, values, fastmath=flags)


def _write_square(builder: Any, values: Any, adds: bool) -> Any:
    base, here, there = values
    difference = builder.fsub(here, there)
    factor = difference if adds else builder.fneg(difference)
    return call(builder, "fmuladd", factor, difference, base)


@operation(lambda base, here, there: base + (here - there) ** 2)
def with_square(_: Any, base: Any, here: Any, there: Any) -> Any:
    """Return `base` with the squares of differences; rounded once where that is faster."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _write_square(builder, values, adds=True)

    return floats(floats, floats, floats), write


@operation(lambda base, here, there: base - (here - there) ** 2)
def without_square(_: Any, base: Any, here: Any, there: Any) -> Any:
    """Return `base` without them."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _write_square(builder, values, adds=False)

    return floats(floats, floats, floats), write


@operation(lambda base, sign, here, there: base + sign * abs(here - there))
def with_size(_: Any, base: Any, sign: Any, here: Any, there: Any) -> Any:
    """Return `base` with the sizes of differences, added or subtracted."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        size = call(builder, "fabs", builder.fsub(*values[2:]))
        return call(builder, "fmuladd", repeated(builder, values[1], FLOATS), size, values[0])

    return floats(floats, types.float32, floats, floats), write


@operation(np.subtract)
def minus(_: Any, one: Any, other: Any) -> Any:
    """Return the differences of each two values."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.sub(*values) if one == whole else builder.fsub(*values)

    return one(one, one), write


@operation(np.add)
def plus(_: Any, one: Any, other: Any) -> Any:
    """Return the sums of each two values."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.add(*values) if one == whole else builder.fadd(*values)

    return one(one, one), write


@operation(lambda vector: (vector + np.float32(0.5)).astype(np.int32))
def rounded(_: Any, vector: Any) -> Any:
    """Return the whole numbers next to numbers that are not negative."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        half = ir.Constant(FLOATS, [0.5] * WIDTH)
        return builder.fptosi(builder.fadd(values[0], half), whole.layout)

    return whole(floats), write


@operation(np.minimum)
def least(_: Any, one: Any, other: Any) -> Any:
    """Return the lesser of each two values, none of which may be NaN: then it is one instruction."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        if one == whole:
            return builder.select(builder.icmp_signed("<", *values), *values)
        return call(builder, "minnum", *values, flags=("nnan",))

    return one(one, one), write


@operation(np.maximum)
def greatest(_: Any, one: Any, other: Any) -> Any:
    """Return the greater of each two values, none of which may be NaN."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        if one == whole:
            return builder.select(builder.icmp_signed(">", *values), *values)
        return call(builder, "maxnum", *values, flags=("nnan",))

    return one(one, one), write


@operation(lambda one, other, base: one * other + base)
def muladd(_: Any, one: Any, other: Any, base: Any) -> Any:
    """Return products of doubles plus `base`; rounded once where that is faster."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind = ir.FunctionType(doubles.layout, [doubles.layout] * 3)
        function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fmuladd.v{DOUBLES}f64")
        return builder.call(function, values)

    return doubles(doubles, doubles, doubles), write


@operation(lambda one, other: one * other)
def times(_: Any, one: Any, other: Any) -> Any:
    """Return products of doubles."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.fmul(*values)

    return doubles(doubles, doubles), write


@operation(lambda one, other: one / other)
def over(_: Any, one: Any, other: Any) -> Any:
    """Return quotients of doubles."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.fdiv(*values)

    return doubles(doubles, doubles), write


@operation(lambda one, other: np.where(one < other, one, other))
def lesser(_: Any, one: Any, other: Any) -> Any:
    """Return the first of each two doubles where it is less, else the second, which may be NaN."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.select(builder.fcmp_ordered("<", *values), *values)

    return doubles(doubles, doubles), write


@inner
def with_term(base: Any, sign: np.float32, here: Any, there: Any, manhattan: bool) -> Any:
    """Return distances with the terms of one column, added or subtracted."""
    if manhattan:
        return with_size(base, sign, here, there)
    return with_square(base, here, there) if sign > 0 else without_square(base, here, there)
