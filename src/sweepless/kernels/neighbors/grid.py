"""Distances of pairs as whole numbers: sums of terms are exact in any order, so features leave no trace when they go.

Columns are centred and scaled so that the largest possible distance of the subset is between 2**26 and 2**30. A term is
computed in float32 and rounded to a whole number. Distances of columns that may not classify a row are FAR or more.

With u = 2**-24, the casts of two values lose at most 2u of the column's range, and their difference x at most u|x|. So
the square loses 4u |x| range + 2u x², and its own rounding and that to a whole number 2u x² and half a unit. Sums of
|x| range are at most the root of the distance times the sum of the spans (Cauchy and Schwarz). An absolute value loses
2u range + 3u |x|, and half a unit.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sweepless._typing import AnyArray, Counts, Features
from sweepless.kernels._jit import index, inner, kernel
from sweepless.kernels.neighbors.definition import term

FAR = np.int32(1 << 30)
_HALF = np.float32(0.5)


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


@kernel
def bring_rows(
    some: Features,
    places: Features,
    row_sample: Counts,
    row_fold: Counts,
    row_group: Counts,
    col_fold: Counts,
    moved: AnyArray,
    gathered: AnyArray,
    signs: AnyArray,
    manhattan: bool,
    terms: AnyArray,
    n_done: Counts,
    sums: AnyArray,
    largest: AnyArray,
) -> None:
    """Follow all moves in some rows, whose distances and largest terms are at `places`.

    `moved` holds the feature of every move, `gathered` its values per group and column, and `n_done` how many moves a
    row has followed; one that has followed none begins with nothing. The largest term of a pair may have left: it is
    a bound. `terms` is working space for some columns at a time, which share the second-level cache with their rows.
    """
    n_columns = sums.shape[1]
    for first in range(0, n_columns, len(terms)):
        start, stop = index(first), index(min(first + len(terms), n_columns))
        for p in range(len(some)):
            r, place = some[p], places[p]
            group = row_group[r]
            if n_done[r] == 0:
                for j in range(start, stop):
                    fold = col_fold[group, j]
                    sums[place, j] = FAR if fold < 0 or fold == row_fold[r] else np.int32(0)
                    largest[place, j] = 0
            for m in range(n_done[r], len(moved)):
                here = moved[m, row_sample[r]]
                for j in range(start, stop):
                    terms[j - start] = whole_term(here - gathered[m, group, j], manhattan)
                if signs[m] > 0:
                    for j in range(start, stop):
                        sums[place, j] += terms[j - start]
                    for j in range(start, stop):
                        longer = terms[j - start] > largest[place, j]
                        largest[place, j] = terms[j - start] if longer else largest[place, j]
                else:
                    for j in range(start, stop):
                        sums[place, j] -= terms[j - start]
    for p in range(len(some)):
        n_done[some[p]] = len(moved)


@kernel
def show_rows(places: Features, sums: AnyArray, unit: float, shown: AnyArray) -> None:
    """Write some rows as float32 distances; infinite where a column may not classify a row."""
    one, limit, far = np.float32(unit), np.float32(unit) * np.float32(FAR), np.float32(np.inf)
    for p in range(len(places)):
        for j in range(index(shown.shape[1])):
            shown[p, j] = np.float32(sums[places[p], j]) * one
        for j in range(index(shown.shape[1])):
            shown[p, j] = shown[p, j] if shown[p, j] < limit else far
