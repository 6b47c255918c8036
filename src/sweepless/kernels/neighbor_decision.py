"""What a row of float32 distances proves about its winning class, given how far each may be off."""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Values
from sweepless.kernels._jit import index, inner, integer
from sweepless.kernels.neighbors import INF32, vote


@inner
def decide(
    near: AnyArray,
    bits: AnyArray,
    own: int,
    class_start: Counts,
    n_neighbors: int,
    slope: float,
    offset: float,
    best: Values,
    best_column: Counts,
    votes: Counts | None,
) -> tuple[int, float]:
    """Return the winning class of a row and -1, or, where that is not proved, how far the nearest may reach.

    For one neighbour "the own class or another" is all there is to prove; another one is told as -1.
    `bits` are the bits of `near`, which both have one cell more than there are columns.
    """
    if votes is None:
        # A label that no column has, as a test sample's may be, has an empty range.
        start = class_start[own] if own >= 0 else 0
        stop = class_start[own + 1] if own >= 0 else 0
        same, other = least(near, bits, start, stop)
        if is_apart(same, other, slope, offset):
            return (own if same < other else -1), -1.0
        low = same if same < other else other
        return -1, (low if low > 0.0 else 0.0) * (1.0 + slope) + offset
    n_found = nearest(near, n_neighbors + 1, best, best_column)
    if n_found <= n_neighbors:
        return -1, np.inf
    low = best[n_neighbors - 1]
    high = best[n_neighbors]
    if high - low > slope * (high + low) + 2.0 * offset:
        return vote(best_column, n_neighbors, class_start, votes), -1.0
    return -1, max(low, 0.0) * (1.0 + slope) + offset


@inner
def is_apart(same: float, other: float, slope: float, offset: float) -> bool:
    """Tell whether two least distances differ by more than their errors."""
    low = same if same < other else other
    high = other if same < other else same
    return low < np.inf and (high == np.inf or high - low > slope * (high + low) + 2.0 * offset)


@inner
def least(near: AnyArray, bits: AnyArray, start: int, stop: int) -> tuple[float, float]:
    """Return the least of near[start:stop] and of the rest, read as integers because only those reduce vectorised.

    The order agrees for non-negative floats. Among negative ones, which only rounding produces, the
    one nearest zero is found: any of them tells that the range reaches zero, and none is trusted further.
    """
    n_columns = len(bits) - 1
    same = other = INF32
    begin, end = integer(0), start
    for part in range(3):  # before the range, the range, behind it
        lowest = INF32
        for j in range(index(begin), index(end)):
            lowest = bits[j] if bits[j] < lowest else lowest
        if part == 1:
            same = lowest
        else:
            other = lowest if lowest < other else other
        begin, end = end, (stop if part == 0 else n_columns)
    bits[n_columns] = same
    least_same = float(near[n_columns])
    bits[n_columns] = other
    return least_same, float(near[n_columns])


@inner
def nearest(near: AnyArray, count: int, best: Values, best_column: Counts) -> int:
    """Collect the `count` least values with their columns; return how many finite ones there are."""
    n_found = 0
    for j in range(len(near) - 1):
        value = float(near[j])
        if value < np.inf and (n_found < count or value < best[count - 1]):
            place = n_found if n_found < count else count - 1
            while place > 0 and best[place - 1] > value:
                best[place] = best[place - 1]
                best_column[place] = best_column[place - 1]
                place -= 1
            best[place] = value
            best_column[place] = j
            n_found = n_found + 1 if n_found < count else count
    return n_found
