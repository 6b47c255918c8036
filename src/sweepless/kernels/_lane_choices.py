"""What vectors choose by comparing their lanes: values, sums, masks, places (see `_lanes`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types

from sweepless.kernels._lanes import (
    UNALIGNED,
    WIDTH,
    call,
    floats,
    mask,
    operation,
    place_of,
    repeated,
    sixteen_doubles,
    unsigned,
    whole,
)
from sweepless.kernels._processor import has_wide_registers


@operation(lambda: np.zeros(WIDTH))
def no_sums(_: Any) -> Any:
    """Return sixteen doubles that are zero, to sum up doubles for as many float32."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return ir.Constant(sixteen_doubles.layout, [0.0] * WIDTH)

    return sixteen_doubles(), write


@operation(lambda sums, value, one, other: sums + np.where(one <= other, value, sums.dtype.type(0)))
def add_where(_: Any, sums: Any, value: Any, one: Any, other: Any) -> Any:
    """Return sums with one value added where a vector is at most another."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        is_within = builder.fcmp_ordered("<=", *values[2:])
        more = repeated(builder, values[1], sums.layout)
        added = builder.add(values[0], more) if sums == whole else builder.fadd(values[0], more)
        return builder.select(is_within, added, values[0])

    return sums(sums, value, floats, floats), write


@operation(lambda sums, number: sums / number)
def divided(_: Any, sums: Any, number: Any) -> Any:
    """Return sixteen doubles divided by one number."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.fdiv(values[0], repeated(builder, values[1], sums.layout))

    return sums(sums, types.float64), write


@operation(lambda one, other: bool((one < other).any()))
def any_below(_: Any, one: Any, other: Any) -> Any:
    """Return whether any value is less than the other."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        bits = builder.bitcast(builder.fcmp_ordered("<", *values), ir.IntType(WIDTH))
        return builder.icmp_unsigned("!=", bits, ir.Constant(ir.IntType(WIDTH), 0))

    return types.boolean(floats, floats), write


def _plain_close(array: Any, row: Any, lane: Any, one: Any, other: Any) -> Any:
    closed = array[row, lane : lane + WIDTH] & (one > other)
    array[row, lane : lane + WIDTH] ^= closed
    return closed


@operation(_plain_close)
def close_where(_: Any, array: Any, row: Any, lane: Any, one: Any, other: Any) -> Any:
    """Make those true values of a row false, from a lane on, where one vector is above another; return which."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        layout = ir.VectorType(ir.IntType(8), WIDTH)
        place = place_of(context, builder, array, layout, *values[:3])
        is_open = builder.load(place)
        is_open.align = 1
        is_above = builder.sext(builder.fcmp_ordered(">", *values[3:]), layout)
        closed = builder.and_(is_open, is_above)
        builder.store(builder.xor(is_open, closed), place).align = 1  # all of it: who reads a part next need not wait
        return builder.icmp_unsigned("!=", closed, ir.Constant(layout, [0] * WIDTH))

    return mask(array, unsigned, unsigned, floats, floats), write


def _plain_count(array: Any, row: Any, lane: Any, mask: Any, one: Any, other: Any) -> None:
    array[row, lane : lane + WIDTH] += mask & (one < other)


@operation(_plain_count)
def count_where(_: Any, array: Any, row: Any, lane: Any, mask: Any, one: Any, other: Any) -> Any:
    """Add one to the whole numbers of a row, from a lane on, where a mask is set and one vector is below another."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        layout = ir.VectorType(ir.IntType(32), WIDTH)
        place = place_of(context, builder, array, layout, *values[:3])
        counts = builder.load(place)
        counts.align = UNALIGNED
        below = builder.icmp_signed if one == whole else builder.fcmp_ordered
        is_counted = builder.and_(values[3], below("<", *values[4:]))
        builder.store(builder.add(counts, builder.zext(is_counted, layout)), place).align = UNALIGNED
        return context.get_dummy_value()

    return types.void(array, unsigned, unsigned, mask, one, one), write


def _plain_note(array: Any, row: Any, lane: Any, is_set: Any, numbers: Any) -> None:
    array[row, lane : lane + WIDTH] += np.where(is_set, numbers, 0)


@operation(_plain_note)
def note_where(_: Any, array: Any, row: Any, lane: Any, is_set: Any, numbers: Any) -> Any:
    """Add whole numbers to those of a row, from a lane on, where a mask is set."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        place = place_of(context, builder, array, whole.layout, *values[:3])
        noted = builder.load(place)
        noted.align = UNALIGNED
        added = builder.select(values[3], values[4], ir.Constant(whole.layout, [0] * WIDTH))
        builder.store(builder.add(noted, added), place).align = UNALIGNED
        return context.get_dummy_value()

    return types.void(array, unsigned, unsigned, mask, whole), write


def _folded(builder: Any, vector: Any, choose: Callable[[Any, Any], Any]) -> Any:
    """Return what is left of a vector if each half is chosen from two, again and again."""
    number = ir.IntType(32)
    for half in (8, 4, 2, 1):
        places = ir.Constant(ir.VectorType(number, WIDTH), [(k + half) % WIDTH for k in range(WIDTH)])
        vector = choose(vector, builder.shuffle_vector(vector, vector, places))
    return builder.extract_element(vector, ir.Constant(number, 0))


@operation(lambda vector: vector.max())
def largest_of(_: Any, vector: Any) -> Any:
    """Return the greatest value of a vector, none of which may be NaN."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        def choose(one: Any, other: Any) -> Any:
            if vector == whole:
                return builder.select(builder.icmp_signed(">", one, other), one, other)
            return call(builder, "maxnum", one, other, flags=("nnan",))

        return _folded(builder, values[0], choose)

    return (types.int32 if vector == whole else types.float32)(vector), write


@operation(lambda vector: vector.min())
def smallest_of(_: Any, vector: Any) -> Any:
    """Return the least of sixteen whole numbers."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _folded(builder, values[0], lambda a, b: builder.select(builder.icmp_signed("<", a, b), a, b))

    return types.int32(whole), write


@operation(lambda one, other, yes, no: np.where(one <= other, yes, no))
def where_within(_: Any, one: Any, other: Any, yes: Any, no: Any) -> Any:
    """Return whole numbers: the first of each two where one value is at most another, else the second."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        compare = builder.icmp_signed if one == whole else builder.fcmp_ordered
        return builder.select(compare("<=", *values[:2]), *values[2:])

    return whole(one, one, whole, whole), write


def _plain_collect(found: Any, n_found: Any, first: Any, numbers: Any, bound: Any) -> Any:
    places = first + np.flatnonzero(numbers <= bound)
    found[0, n_found : n_found + len(places)] = places
    return n_found + np.uint64(len(places))


@operation(_plain_collect)
def collect_within(_: Any, found: Any, n_found: Any, first: Any, numbers: Any, bound: Any) -> Any:
    """Write behind what was found the places, from `first` on, of the numbers within a bound; return how many it is.

    Up to sixteen places more may be written: one instruction packs all that are within, where the processor has it, and
    where it has not each is written, and overwritten by the next if it is not within.
    """

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        layout, number, word = whole.layout, ir.IntType(32), ir.IntType(64)
        is_within, end = builder.icmp_signed("<=", *values[3:]), values[1]
        start = repeated(builder, builder.trunc(values[2], number), layout)
        places = builder.add(start, ir.Constant(layout, list(range(WIDTH))))
        if has_wide_registers():
            kind = ir.FunctionType(layout, [layout, layout, mask.layout])
            name = f"llvm.x86.avx512.mask.compress.v{WIDTH}i32"
            function = cgutils.get_or_insert_function(builder.module, kind, name)
            packed = builder.call(function, [places, ir.Constant(layout, [0] * WIDTH), is_within])
            builder.store(packed, place_of(context, builder, found, layout, values[0], word(0), end)).align = UNALIGNED
            count = builder.ctpop(builder.bitcast(is_within, ir.IntType(WIDTH)))
            return builder.add(end, builder.zext(count, word))
        for k in range(WIDTH):
            one = builder.extract_element(places, number(k))
            builder.store(one, place_of(context, builder, found, number, values[0], word(0), end))
            end = builder.add(end, builder.zext(builder.extract_element(is_within, number(k)), word))
        return end

    return unsigned(found, unsigned, unsigned, whole, whole), write


@operation(lambda one, other: np.uint64(sum(1 << k for k in np.flatnonzero(one <= other).tolist())))
def lanes_within(_: Any, one: Any, other: Any) -> Any:
    """Return as bits in which lanes one is at most the other."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        bits = builder.bitcast(builder.fcmp_ordered("<=", *values), ir.IntType(WIDTH))
        return builder.zext(bits, ir.IntType(64))

    return types.uint64(floats, floats), write


def _plain_bits(array: Any, lane: Any, bound: Any) -> Any:
    return np.uint64(sum(1 << k for k, value in enumerate(array[0, lane : lane + 64]) if value <= bound))


@operation(_plain_bits)
def bits_within(_: Any, array: Any, lane: Any, bound: Any) -> Any:
    """Return as bits which of 64 numbers of a single row, from a lane on, are not above a bound."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        layout, row = ir.VectorType(context.get_value_type(array.dtype), 64), ir.Constant(ir.IntType(64), 0)
        loaded = builder.load(place_of(context, builder, array, layout, values[0], row, values[1]))
        loaded.align = UNALIGNED
        compare = builder.fcmp_ordered if array.dtype == types.float64 else builder.icmp_signed
        return builder.bitcast(compare("<=", loaded, repeated(builder, values[2], layout)), ir.IntType(64))

    return types.uint64(array, unsigned, array.dtype), write


@operation(lambda word: np.uint64(int(word).bit_count()))
def count_of(_: Any, word: Any) -> Any:
    """Return how many bits of a word are set."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.ctpop(values[0])

    return types.uint64(types.uint64), write


@operation(lambda word: np.uint64((int(word) & -int(word)).bit_length() - 1))
def lowest_bit(_: Any, word: Any) -> Any:
    """Return the place of the lowest bit of a word that is not 0."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.cttz(values[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), write
