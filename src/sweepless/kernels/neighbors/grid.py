"""Distances of pairs as whole numbers: sums of terms are exact in any order, so features leave no trace when they go.

Columns are centered and scaled so that the largest possible distance of the subset is between 2**26 and 2**30. A term
is computed in float32 and rounded to a whole number. Distances of columns that may not classify a row are FAR or more.

With u = 2**-24, the casts of two values lose at most 2u of the column's range, and their difference x at most u|x|. So
the square loses 4u |x| range + 2u x², and its own rounding and that to a whole number 2u x² and half a unit. Sums of
|x| range are at most the root of the distance times the sum of the spans (Cauchy and Schwarz). An absolute value loses
2u range + 3u |x|, and half a unit.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from sweepless._typing import AnyArray, Counts, Features
from sweepless.kernels._jit import index, inner, integer, kernel
from sweepless.kernels.neighbors.definition import Frame, term

FAR = np.int32(1 << 30)
_HALF = np.float32(0.5)
_INF32 = np.float32(np.inf)
_ABREAST = 2048  # columns that share a cache


class Pairs(NamedTuple):
    """The distances of all rows on the grid, and the moves that they follow.

    The largest term of a pair may have left: it is a bound.
    """

    moved: AnyArray  # the feature of every move
    gathered: AnyArray  # its values per group and column
    signs: AnyArray  # whether it came (1) or went (-1)
    ranges: AnyArray  # its least and greatest value, if it went
    n_done: Counts  # how many moves a row has followed; one that has followed none begins with nothing
    sums: AnyArray  # per row and column; a single row if none is kept
    largest: AnyArray


@kernel
def grid_error(distance: float, largest: float, units: float, manhattan: bool) -> float:
    """Bound the error of a distance: `largest` is the largest possible one, `units` half a unit for every member.

    A quarter is added for products of errors.
    """
    root = largest if manhattan else math.sqrt(distance * largest)
    return 5.0 * 2.0**-24 * (root + distance) + units


@inner
def whole_term(difference: Any, manhattan: bool) -> np.int32:
    """Return a term on the grid."""
    return np.int32(term(difference, manhattan) + _HALF)


@inner
def bring_row(frame: Frame, pairs: Pairs, r: int, manhattan: bool) -> int:
    """Let a row follow all moves; return where its distances and largest terms are."""
    is_kept = len(pairs.sums) == len(pairs.n_done)
    place, n_done = (r, pairs.n_done[r]) if is_kept else (integer(0), integer(0))
    here, group, n_columns = frame.row_sample[r], frame.row_group[r], pairs.sums.shape[1]
    if n_done == 0:
        for j in range(index(n_columns)):
            fold = frame.col_fold[group, j]
            pairs.sums[place, j] = FAR if fold < 0 or fold == frame.row_fold[r] else np.int32(0)
            pairs.largest[place, j] = 0
    for first in range(0, n_columns, _ABREAST):
        start, stop = index(first), index(min(first + _ABREAST, n_columns))
        for m in range(n_done, len(pairs.moved)):
            value, sign = pairs.moved[m, here], np.int32(pairs.signs[m])
            for j in range(start, stop):
                step = whole_term(value - pairs.gathered[m, group, j], manhattan)
                pairs.sums[place, j] += sign * step
                longer = step > pairs.largest[place, j]  # never of a feature that goes
                pairs.largest[place, j] = step if longer else pairs.largest[place, j]
    pairs.n_done[r] = len(pairs.moved)
    return place


@kernel
def show_rows(frame: Frame, pairs: Pairs, some: Features, unit: float, manhattan: bool, shown: AnyArray) -> None:
    """Write some rows as float32 distances; infinite where a column may not classify a row."""
    for p in range(len(some)):
        place = bring_row(frame, pairs, some[p], manhattan)
        show_row(pairs, place, unit, shown[p])


@inner
def show_row(pairs: Pairs, place: int, unit: float, shown: AnyArray) -> None:
    """Write one row, which is brought up to date."""
    one = np.float32(unit)
    for j in range(index(pairs.sums.shape[1])):
        distance = pairs.sums[place, j]
        shown[j] = np.float32(distance) * one if distance < FAR else _INF32
