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
from sweepless.kernels._lanes import WIDTH, _ints, _operation, _place, _repeated, _sums

_WHOLE = _ints.layout
_index = types.uint64


def _paired(name: str, plain: Callable[[Any, Any], Any]) -> Any:
    def operation(_: Any, one: Any, other: Any) -> Any:
        def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return getattr(builder, name)(*values)

        return _ints(_ints, _ints), write

    return _operation(plain)(operation)


added = _paired("add", np.add)
taken = _paired("sub", np.subtract)
shared = _paired("and_", np.bitwise_and)
joined = _paired("or_", np.bitwise_or)
unlike = _paired("xor", np.bitwise_xor)


def _compared(sign: str, plain: Callable[[Any, Any], Any]) -> Any:
    def operation(_: Any, one: Any, other: Any) -> Any:
        def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return builder.sext(builder.icmp_unsigned(sign, *values), _WHOLE)

        return _ints(_ints, _ints), write

    return _operation(lambda *both: -plain(*(each.view(np.uint32) for each in both)).astype(np.int32))(operation)


# All bits where it is true, none where it is false; numbers are taken for those without a sign.
below = _compared("<", np.less)
equal = _compared("==", np.equal)


@_operation(lambda sums, count, whole, inverse, mask: sums + np.where(mask, count / whole, 0.0))
def add_shares(_: Any, sums: Any, count: Any, whole: Any, inverse: Any, mask: Any) -> Any:
    """Return sums with counts divided by a number, whose inverse is given, added where a mask is set.

    A product with the inverse is nearly the quotient, and is rounded as a division is by what it leaves over.
    """

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind = ir.FunctionType(_sums.layout, [_sums.layout] * 3)
        fma = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fma.v{WIDTH}f64")
        counts = builder.sitofp(values[1], _sums.layout)
        wholes, inverses = (_repeated(builder, each, _sums.layout) for each in values[2:4])
        share = builder.fmul(counts, inverses)
        left = builder.call(fma, [builder.fneg(share), wholes, counts])
        share = builder.call(fma, [left, inverses, share])
        is_set = builder.icmp_signed("!=", values[4], ir.Constant(_WHOLE, [0] * WIDTH))
        return builder.fadd(values[0], builder.select(is_set, share, ir.Constant(_sums.layout, [0.0] * WIDTH)))

    return _sums(_sums, _ints, types.float64, types.float64, _ints), write


def _loaded(context: Any, builder: Any, kind: Any, array: Any, row: Any, lane: Any) -> Any:
    found = builder.load(_place(context, builder, kind, _WHOLE, array, row, lane))
    found.align = 4
    return found


def _stored(context: Any, builder: Any, kind: Any, array: Any, row: Any, lane: Any, vector: Any) -> None:
    builder.store(vector, _place(context, builder, kind, _WHOLE, array, row, lane)).align = 4


def _transpose(lines: Any, first: Any, lane: Any, pad: Any) -> None:
    pad[lane : lane + WIDTH] = lines[first : first + WIDTH, lane : lane + WIDTH].T


@_operation(_transpose)
def transpose(_: Any, lines: Any, first: Any, lane: Any, pad: Any) -> Any:
    """Make sixteen numbers of sixteen lines, from a lane on, rows of the pad."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        lines, first, lane, pad = values
        number, nothing = ir.IntType(64), ir.IntType(64)(0)
        rows = [
            _loaded(context, builder, signature.args[0], lines, builder.add(first, number(k)), lane)
            for k in range(WIDTH)
        ]
        kind = ir.VectorType(ir.IntType(32), WIDTH)
        for _ in range(4):  # four times, the first half of all rows is shuffled with the second one, as cards are
            mixed = []
            for one, other in zip(rows[: WIDTH // 2], rows[WIDTH // 2 :]):
                for start in (0, WIDTH // 2):
                    places = [start + k // 2 + WIDTH * (k % 2) for k in range(WIDTH)]
                    mixed.append(builder.shuffle_vector(one, other, ir.Constant(kind, places)))
            rows = mixed
        for k, row in enumerate(rows):
            _stored(context, builder, signature.args[3], pad, builder.add(lane, number(k)), nothing, row)
        return context.get_dummy_value()

    return types.void(lines, _index, _index, pad), write


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


def _pairs_of_merge() -> Iterator[tuple[int, int]]:
    """Yield the pairs that put sixteen in order that rise and then fall, or fall and then rise."""
    for step in (8, 4, 2, 1):
        for i in range(WIDTH):
            if not i & step:
                yield i, i + step


def _exchanged(builder: Any, one: Any, other: Any) -> tuple[Any, Any]:
    is_less = builder.icmp_signed("<", one, other)
    return builder.select(is_less, one, other), builder.select(is_less, other, one)


def _network(pairs: list[tuple[int, int]]) -> Any:
    def plain(pad: Any, first: Any) -> None:
        for i, j in pairs:
            order_two(pad, first + i, first + j)

    def operation(_: Any, pad: Any, first: Any) -> Any:
        def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            places = [(builder.add(values[1], ir.IntType(64)(k)), ir.IntType(64)(0)) for k in range(WIDTH)]
            rows = [_loaded(context, builder, signature.args[0], values[0], *place) for place in places]
            for i, j in pairs:
                rows[i], rows[j] = _exchanged(builder, rows[i], rows[j])
            for place, row in zip(places, rows):
                _stored(context, builder, signature.args[0], values[0], *place, row)
            return context.get_dummy_value()

        return types.void(pad, _index), write

    return _operation(plain)(operation)


_sort_sixteen, _merge_sixteen = _network(list(_pairs_of_sort())), _network(list(_pairs_of_merge()))


def _order_two(pad: Any, low: Any, high: Any) -> None:
    pad[low], pad[high] = np.minimum(pad[low], pad[high]), np.maximum(pad[low], pad[high])


@_operation(_order_two)
def order_two(_: Any, pad: Any, low: Any, high: Any) -> Any:
    """Put the numbers of two rows in order."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        pad, *rows = values
        nothing = ir.IntType(64)(0)
        both = _exchanged(builder, *(_loaded(context, builder, signature.args[0], pad, row, nothing) for row in rows))
        for row, vector in zip(rows, both):
            _stored(context, builder, signature.args[0], pad, row, nothing, vector)
        return context.get_dummy_value()

    return types.void(pad, _index, _index), write


@inner
def sort_lanes(pad: Any, n_rows: int) -> None:
    """Sort the first rows of the pad in every lane; those up to whole sixteens hold the greatest number there is.

    This is Batcher's bitonic sort, which never compares what is beyond the rows with anything that is greater.
    """
    stop, sixteen = index(n_rows), index(WIDTH)
    for first in range(index(0), stop, sixteen):
        _sort_sixteen(pad, first)
    half = sixteen
    while half < stop:
        for middle in range(half, stop, half + half):
            for i in range(min(half, stop - middle)):
                order_two(pad, middle - index(1) - i, middle + i)
        step = half >> index(1)
        while step >= sixteen:
            for middle in range(step, stop, step + step):
                for i in range(min(step, stop - middle)):
                    order_two(pad, middle - step + i, middle + i)
            step >>= index(1)
        for first in range(index(0), stop, sixteen):
            _merge_sixteen(pad, first)
        half += half


def sixteens(n: int) -> int:
    """Return the number of rows of whole blocks that hold so many."""
    return -(-n // WIDTH) * WIDTH
