"""Sums of many terms that are the same to the last bit in any order, also after terms have been taken away.

A term is rounded to a multiple of the coarse spacing, and what is left of it to a multiple of the fine one. Both are so
chosen that a sum of as many terms as there are features stays a multiple that a double holds, so every addition and
subtraction is exact. The fine spacing is that of doubles near 2**52 / features, far below what matters.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from sweepless._typing import Values
from sweepless.kernels._jit import index, inlined, inner


class Grid(NamedTuple):
    """The two spacings, each as the number to add and to subtract again in order to round to it."""

    limit: float  # the largest term; larger ones are cut, and NaN counts as the lowest
    coarse: float
    fine: float

    @staticmethod
    def of(n_terms: int, largest: float = 1.0) -> Grid:
        """Return the grid for sums of so many terms; multiples of 1/4 are coarse unless terms are larger than usual."""
        bits = max(3, math.ceil(math.log2(n_terms + 1)))
        unit = max(1.0, 2.0 ** (math.ceil(math.log2(largest)) + bits - 50))
        return Grid(unit * 2.0 ** (50 - bits), unit * 1.5 * 2.0**50, unit * 1.5 * 2.0 ** (bits - 4))


@inner
def add_exactly(high: Values, low: Values, sign: float, terms: Values, grid: Grid) -> None:
    """Add the terms (sign 1), or take them away (-1)."""
    for i in range(index(len(terms))):
        term = min(terms[i] if terms[i] > -grid.limit else -grid.limit, grid.limit)
        rough = (term + grid.coarse) - grid.coarse
        high[i] += sign * rough
        low[i] += sign * (((term - rough) + grid.fine) - grid.fine)


@inner
def sum_exactly(sums: Values, start: float, high: Values, low: Values, sign: float, terms: Values, grid: Grid) -> None:
    """Set the start plus the sums with the terms, or without them; the sums so far stay as they are."""
    for i in range(index(len(terms))):
        sums[i] = start + next_sum(high[i], low[i], sign, terms[i], grid)


@inlined
def next_sum(high: float, low: float, sign: float, term: float, grid: Grid) -> float:
    """Return a sum with one term more, or without it."""
    term = min(term if term > -grid.limit else -grid.limit, grid.limit)
    rough = (term + grid.coarse) - grid.coarse
    rest = ((term - rough) + grid.fine) - grid.fine
    total: float = (high + sign * rough) + (low + sign * rest)
    return total
