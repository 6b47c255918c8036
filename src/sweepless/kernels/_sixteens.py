"""Sixteen whole numbers of 32 bits at a time, and sixteen lines that are sorted at once, each in a lane of its own.

In a lane, two numbers are put in order by a minimum and a maximum, whatever they are. Which ones are compared depends
on how many there are only, so there is no branch, and no number moves from lane to lane.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types

from sweepless.kernels._jit import index, inner
from sweepless.kernels._lanes import WIDTH, operation, place_of, repeated, sixteen_doubles, whole

_WHOLE = whole.layout
_index = types.uint64


def _paired(name: str, plain: Callable[[Any, Any], Any]) -> Any:
    def typed(_: Any, one: Any, other: Any) -> Any:
        def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return getattr(builder, name)(*values)

        return whole(whole, whole), write

    return operation(plain)(typed)


shared = _paired("and_", np.bitwise_and)
joined = _paired("or_", np.bitwise_or)
unlike = _paired("xor", np.bitwise_xor)


def _compared(sign: str, plain: Callable[[Any, Any], Any]) -> Any:
    def typed(_: Any, one: Any, other: Any) -> Any:
        def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return builder.sext(builder.icmp_unsigned(sign, *values), _WHOLE)

        return whole(whole, whole), write

    return operation(lambda *both: -plain(*(each.view(np.uint32) for each in both)).astype(np.int32))(typed)


# All bits where it is true, none where it is false; numbers are taken for those without a sign.
below = _compared("<", np.less)
equal = _compared("==", np.equal)


@operation(lambda sums, more, one, other: np.where(one == other, sums + more, sums))
def add_where_equal(_: Any, sums: Any, more: Any, one: Any, other: Any) -> Any:
    """Return sums with more added where two numbers are equal."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        sums, more, one, other = values
        return builder.select(builder.icmp_signed("==", one, other), builder.add(sums, more), sums)

    return whole(whole, whole, whole, whole), write


@operation(lambda sums, count, divisor, inverse, mask: sums + np.where(mask, count / divisor, 0.0))
def add_shares(_: Any, sums: Any, count: Any, divisor: Any, inverse: Any, mask: Any) -> Any:
    """Return sums with counts divided by a number, whose inverse is given, added where a mask is set.

    A product with the inverse is nearly the quotient, and is rounded as a division is by what it leaves over.
    """

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind = ir.FunctionType(sixteen_doubles.layout, [sixteen_doubles.layout] * 3)
        fma = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fma.v{WIDTH}f64")
        counts = builder.sitofp(values[1], sixteen_doubles.layout)
        wholes, inverses = (repeated(builder, each, sixteen_doubles.layout) for each in values[2:4])
        share = builder.fmul(counts, inverses)
        left = builder.call(fma, [builder.fneg(share), wholes, counts])
        share = builder.call(fma, [left, inverses, share])
        is_set = builder.icmp_signed("!=", values[4], ir.Constant(_WHOLE, [0] * WIDTH))
        return builder.fadd(
            values[0], builder.select(is_set, share, ir.Constant(sixteen_doubles.layout, [0.0] * WIDTH))
        )

    return sixteen_doubles(sixteen_doubles, whole, types.float64, types.float64, whole), write


def _loaded(context: Any, builder: Any, kind: Any, array: Any, row: Any, lane: Any) -> Any:
    found = builder.load(place_of(context, builder, kind, _WHOLE, array, row, lane))
    found.align = 4
    return found


def _stored(context: Any, builder: Any, kind: Any, array: Any, row: Any, lane: Any, vector: Any) -> None:
    builder.store(vector, place_of(context, builder, kind, _WHOLE, array, row, lane)).align = 4


def _transpose(lines: Any, first: Any, lane: Any, pad: Any, row: Any, start: Any) -> None:
    pad[row : row + WIDTH, start : start + WIDTH] = lines[first : first + WIDTH, lane : lane + WIDTH].T


@operation(_transpose)
def transpose(_: Any, lines: Any, first: Any, lane: Any, pad: Any, row: Any, start: Any) -> Any:
    """Make sixteen numbers of sixteen lines, from a lane on, rows of the pad, which begin at a lane of their own.

    They may be of any kind that has 32 bits.
    """

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        lines, first, lane, pad, row, start = values
        number = ir.IntType(64)
        rows = [
            _loaded(context, builder, signature.args[0], lines, builder.add(first, number(k)), lane)
            for k in range(WIDTH)
        ]
        kind = ir.VectorType(ir.IntType(32), WIDTH)
        for _ in range(4):  # four times, the first half of all rows is shuffled with the second one, as cards are
            mixed = []
            for one, other in zip(rows[: WIDTH // 2], rows[WIDTH // 2 :]):
                for half in (0, WIDTH // 2):
                    places = [half + k // 2 + WIDTH * (k % 2) for k in range(WIDTH)]
                    mixed.append(builder.shuffle_vector(one, other, ir.Constant(kind, places)))
            rows = mixed
        for k, line in enumerate(rows):
            _stored(context, builder, signature.args[3], pad, builder.add(row, number(k)), start, line)
        return context.get_dummy_value()

    return types.void(lines, _index, _index, pad, _index, _index), write


def _pairs_of_sort() -> Iterator[tuple[int, int]]:
    """Yield the pairs by which Batcher's odd-even merge sort puts sixteen in order."""
    size = 1
    while size < WIDTH:
        step = size
        while step:
            for start in range(step % size, WIDTH - step, 2 * step):
                for i in range(start, start + step):
                    if i // (2 * size) == (i + step) // (2 * size):
                        yield i, i + step
            step //= 2
        size *= 2


def _pairs_of_merge(n_rows: int) -> Iterator[tuple[int, int]]:
    """Yield the pairs that put rows in order that rise and then fall, or fall and then rise."""
    step = n_rows // 2
    while step:
        for i in range(n_rows):
            if not i & step:
                yield i, i + step
        step //= 2


def _pairs_of_fold(n_each: int) -> Iterator[tuple[int, int]]:
    """Yield the pairs that leave the lesser half in the first rows, and then halves of halves, of so many each.

    The second rows are the mirror image of the first.
    """
    for i in range(n_each):
        yield i, n_each + i
    step = n_each // 2
    while step:
        for i in range(n_each):
            if not i & step:
                yield i, i + step
                yield n_each + i + step, n_each + i
        step //= 2


def _network(n_rows: int, n_mirrored: int, pairs: list[tuple[int, int]]) -> Any:
    """Make an operation of pairs of rows: every `step` from `first` on, and as many backward from `last` on."""

    def rows_of(first: Any, step: Any, last: Any, plus: Any, minus: Any) -> list[Any]:
        found = [first]
        for _ in range(n_rows - 1):
            found.append(plus(found[-1], step))
        for k in range(n_mirrored):
            found.append(minus(found[-1], step) if k else last)
        return found

    def plain(pad: Any, first: Any, step: Any, last: Any) -> None:
        rows = rows_of(int(first), int(step), int(last), int.__add__, int.__sub__)
        for i, j in pairs:
            low, high = pad[rows[i]].copy(), pad[rows[j]].copy()
            pad[rows[i]], pad[rows[j]] = np.minimum(low, high), np.maximum(low, high)

    def typed(_: Any, pad: Any, first: Any, step: Any, last: Any) -> Any:
        def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            nothing = ir.IntType(64)(0)
            places = [(row, nothing) for row in rows_of(values[1], values[2], values[3], builder.add, builder.sub)]
            rows = [_loaded(context, builder, signature.args[0], values[0], *place) for place in places]
            for i, j in pairs:
                least = builder.select(builder.icmp_signed("<", rows[i], rows[j]), rows[i], rows[j])
                # The other one by moves of bits: a maximum would wait for the same part of the processor.
                rows[i], rows[j] = least, builder.xor(builder.xor(rows[i], rows[j]), least)
            for place, row in zip(places, rows):
                _stored(context, builder, signature.args[0], values[0], *place, row)
            return context.get_dummy_value()

        return types.void(pad, _index, _index, _index), write

    return operation(plain)(typed)


_sort, _merge = _network(WIDTH, 0, list(_pairs_of_sort())), _network(WIDTH, 0, list(_pairs_of_merge(WIDTH)))
_merge_eight = _network(8, 0, list(_pairs_of_merge(8)))
_fold_two, _fold_four, _fold_eight, _fold_sixteen = (_network(n, n, list(_pairs_of_fold(n))) for n in (1, 2, 4, 8))
_BLOCK = 8 * WIDTH  # rows of which every sixteenth fit into registers, with as many of another block


@inner
def sort_lanes(pad: Any, n_rows: int) -> None:
    """Sort the first rows of the pad in every lane; the others hold the greatest number there is.

    This is Batcher's bitonic sort, with as many of its steps at a time as there are registers for.
    """
    stop, one, sixteen = index(n_rows), index(1), index(WIDTH)
    for first in range(index(0), stop, sixteen):
        _sort(pad, first, one, first)
    half = sixteen
    while half < stop:
        for middle in range(half, stop, half + half):
            _fold(pad, middle - half, middle + half - one, half)
        for first in range(index(0), stop, sixteen):
            _merge(pad, first, one, first)
        half += half


@inner
def _fold(pad: Any, first: int, last: int, half: int) -> None:
    """Leave in every sixteen rows from the first to the last what belongs there, where each half is in order."""
    sixteen, block = index(WIDTH), index(_BLOCK)
    for i in range(sixteen if half <= block else half):
        if half == sixteen + sixteen:
            _fold_four(pad, first + i, sixteen, last - i)
        elif half == block >> index(1):
            _fold_eight(pad, first + i, sixteen, last - i)
        elif half == block:
            _fold_sixteen(pad, first + i, sixteen, last - i)
        else:
            _fold_two(pad, first + i, sixteen, last - i)
    if half > block:
        step = half >> index(1)
        while step >= block:
            for start in range(first, last, step + step):
                for i in range(step):
                    _fold_two(pad, start + i, sixteen, start + step + i)
            step >>= index(1)
        for start in range(first, last, block):
            for i in range(sixteen):
                _merge_eight(pad, start + i, sixteen, start)


def rows_for(n: int) -> int:
    """Return the number of rows of a pad in which so many are sorted."""
    return max(WIDTH, 1 << (n - 1).bit_length())
