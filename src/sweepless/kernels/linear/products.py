"""Products of many rows with one table, a tile of the result in registers.

A BLAS is made for large matrices. Here one side is as short as a subset, and what is multiplied is worked on between
two products, as long as it is in the cache.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types

from sweepless._typing import Values
from sweepless.kernels._eights import eights
from sweepless.kernels._jit import index, inner
from sweepless.kernels._lanes import DOUBLES, aligned, doubles, operation, place_of, repeated
from sweepless.kernels._processor import has_wide_registers

_index = types.uint64
_ROWS, _VECTORS = (8, 3) if has_wide_registers() else (2, 2)  # of a tile; sums are the same for any


def as_table(rows: Values) -> Values:
    """Return a copy of rows that end in zeros, so that they are whole vectors."""
    table = np.asarray(aligned(len(rows), eights(rows.shape[1]), np.float64))
    table[:, : rows.shape[1]], table[:, rows.shape[1] :] = rows, 0.0
    return table


def _tile(n_rows: int, n_vectors: int) -> Any:
    def plain(rows: Any, first: Any, table: Any, lane: Any, out: Any) -> None:
        here = slice(first, first + n_rows), slice(lane, lane + n_vectors * DOUBLES)
        out[here] = rows[here[0], : len(table)] @ table[:, here[1]]

    @operation(plain)
    def tile(_: Any, rows: Any, first: Any, table: Any, lane: Any, out: Any) -> Any:
        """Multiply some rows by some vectors of a table; every sum goes from its first row to its last."""

        def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            layout, number, (row, lane) = doubles.layout, ir.DoubleType(), (values[1], values[3])
            fmuladd = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(layout, [layout] * 3), f"llvm.fmuladd.v{DOUBLES}f64"
            )
            numbers = [builder.add(row, row.type(i)) for i in range(n_rows)]
            lanes = [builder.add(lane, lane.type(k * DOUBLES)) for k in range(n_vectors)]
            nothing = ir.Constant(layout, [0.0] * DOUBLES)
            sums = [[cgutils.alloca_once_value(builder, nothing) for _ in lanes] for _ in numbers]
            for each in [one for line in sums for one in line]:
                builder.store(nothing, each)  # the room is made once, but the loop may be entered often
            n_terms = cgutils.unpack_tuple(builder, context.make_array(table)(context, builder, values[2]).shape)[0]
            with cgutils.for_range(builder, n_terms) as loop:
                vectors = [
                    builder.load(place_of(context, builder, table, layout, values[2], loop.index, k), align=DOUBLES)
                    for k in lanes
                ]
                for i, line in zip(numbers, sums, strict=True):
                    scale = builder.load(place_of(context, builder, rows, number, values[0], i, loop.index))
                    scales = repeated(builder, scale, layout)
                    for total, vector in zip(line, vectors, strict=True):
                        builder.store(builder.call(fmuladd, [scales, vector, builder.load(total)]), total)
            for i, line in zip(numbers, sums, strict=True):
                for k, total in zip(lanes, line, strict=True):
                    place = place_of(context, builder, out, layout, values[4], i, k)
                    builder.store(builder.load(total), place, align=DOUBLES)
            return context.get_dummy_value()

        return types.void(rows, _index, table, _index, out), write

    return tile


_whole, _narrow, _single, _least = _tile(_ROWS, _VECTORS), _tile(_ROWS, 1), _tile(1, _VECTORS), _tile(1, 1)


@inner
def multiply(rows: Values, start: int, stop: int, table: Values, out: Values) -> None:
    """Fill in the products of some rows, as far as a table has rows, with that table."""
    whole, n_lanes = stop - (stop - start) % _ROWS, table.shape[1]
    wide = n_lanes - n_lanes % (_VECTORS * DOUBLES)
    for lane in range(0, wide, _VECTORS * DOUBLES):
        for row in range(start, whole, _ROWS):
            _whole(rows, index(row), table, index(lane), out)
        for row in range(whole, stop):
            _single(rows, index(row), table, index(lane), out)
    for lane in range(wide, n_lanes, DOUBLES):
        for row in range(start, whole, _ROWS):
            _narrow(rows, index(row), table, index(lane), out)
        for row in range(whole, stop):
            _least(rows, index(row), table, index(lane), out)
