"""What a row of float32 distances proves about its winning class, given their largest errors."""

from __future__ import annotations

from typing import Any

import numpy as np

from sweepless._typing import AnyArray, Counts, Values
from sweepless.kernels._jit import index, inner, integer
from sweepless.kernels.neighbors.definition import INF32, insert, vote

_ABREAST = 32  # columns whose least is found at once


@inner
def decide(
    near: AnyArray,
    bits: AnyArray,
    own: int,
    class_start: Counts,
    col_class: Counts,
    n_neighbors: int,
    slope: float,
    offset: float,
    best: Values,
    best_column: Counts,
    votes: Counts | None,
) -> tuple[int, float]:
    """Return the winning class of a row and -1, or, where the winner is not proved, how far the nearest may be.

    For one neighbor it is enough to prove whether the row's own class wins; any other class is returned as -1.
    `bits` are the bits of `near`; both have one cell more than there are columns.
    """
    if votes is None:
        # A label that no column has, as in a test sample, has an empty range.
        start = class_start[own] if own >= 0 else 0
        stop = class_start[own + 1] if own >= 0 else 0
        n_columns = len(bits) - 1
        before, behind = least(bits, integer(0), start), least(bits, stop, n_columns)
        bits[n_columns] = least(bits, start, stop)
        same = float(near[n_columns])
        bits[n_columns] = before if before < behind else behind
        other = float(near[n_columns])
        low = same if same < other else other
        high = other if same < other else same
        if low < np.inf and (high == np.inf or high - low > slope * (high + low) + 2.0 * offset):
            return (own if same < other else -1), -1.0
        return -1, (low if low > 0.0 else 0.0) * (1.0 + slope) + offset
    n_found = nearest(near, bits, n_neighbors + 1, best, best_column)
    if n_found <= n_neighbors:
        return -1, np.inf
    low = best[n_neighbors - 1]
    high = best[n_neighbors]
    if high - low > slope * (high + low) + 2.0 * offset:
        return vote(best_column, n_neighbors, col_class, votes), -1.0
    return -1, max(low, 0.0) * (1.0 + slope) + offset


@inner
def least(bits: AnyArray, start: int, stop: int) -> Any:
    """Return the least of a range of floats, read as integers because only their minima are vectorized.

    The order of the bits is that of the floats unless they are negative, which happens only by rounding. Of negative
    floats the one nearest zero is found; any of them shows that the range reaches zero, and that is all we use.
    """
    lowest = INF32
    for j in range(index(start), index(stop)):
        lowest = bits[j] if bits[j] < lowest else lowest
    return lowest


@inner
def nearest(near: AnyArray, bits: AnyArray, count: int, best: Values, best_column: Counts) -> int:
    """Collect the `count` least values with their columns; return how many finite ones there are.

    As many parts as are sought have a least value within the bound, so what is beyond it is passed over. Which of
    several negative values are found does not matter, since nothing is proved of them.
    """
    n_columns, bound = len(near) - 1, np.float32(np.inf)
    n_found: int = integer(0)
    for first in range(0, n_columns, _ABREAST):
        bits[n_columns] = least(bits, first, min(first + _ABREAST, n_columns))
        if near[n_columns] < bound:
            n_found = insert(best, best_column, n_found, count, float(near[n_columns]), first)
            bound = np.float32(best[count - 1]) if n_found == count else bound
    n_found = integer(0)
    for first in range(0, n_columns, _ABREAST):
        stop = min(first + _ABREAST, n_columns)
        bits[n_columns] = least(bits, first, stop)
        if near[n_columns] > bound:
            continue
        for j in range(first, stop):
            value = float(near[j])
            if near[j] <= bound and value < np.inf and (n_found < count or value < best[count - 1]):
                n_found = insert(best, best_column, n_found, count, value, j)
    return n_found
