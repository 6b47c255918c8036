"""Huber regression once it is known which samples lie beyond the bends of its loss (see `kernels.linear.huber`).

Products of samples are rounded to a grid before they are summed, as integers. Such sums are exact, so that samples may
come and go in any order, and the sums of a partition depend on nothing but the partition.
"""

from __future__ import annotations

import math

import numpy as np

from sweepless._typing import AnyArray, Counts, Values
from sweepless.kernels._jit import index, inner, inner_maker
from sweepless.kernels.factor import factorize, solve_transposed, solve_upper

_MOST_SCALES = 20
_NEARLY = 2.0**-18  # a relative step of the scale whose square moves no residual by anything that matters
_FLOOR = 2.0**-40


@inner
def sum_products(line: Values, rows: Values, sums: Counts) -> None:
    """Set the sums of products of a line, in units of the grid, with each of the rows."""
    for j in range(len(rows)):
        row, total = rows[j], np.int64(0)
        for t in range(index(len(line))):
            total += np.int64(np.rint(line[t] * row[t]))
        sums[j] = total


@inner
def side_of(residual: float, bend: float) -> int:
    return 1 if residual > bend else -1 if residual < -bend else 0


@inner
def regroup(
    residuals: Values, bend: float, grid: float, own: Values, samples: Values, sides: AnyArray, sums: Counts
) -> None:
    """Put every sample on its side of the bends, with its products.

    Parameters
    ----------
    samples : array of shape (samples, features and target)
        The last of the features may have changed, to `own`.
    sides, sums : array
        The partition, and the sums of all products of samples within; one more row has the sums of those beyond, with
        their signs.
    """
    width = samples.shape[1]
    for t in range(len(sides)):
        side = side_of(residuals[t], bend)
        if side != sides[t]:
            x, share = samples[t], grid if side == 0 else -grid if sides[t] == 0 else 0.0
            x[width - 2] = own[t]
            for i in range(width):
                scale, line = share * x[i], sums[i]
                for j in range(index(width)):
                    line[j] += np.int64(np.rint(scale * x[j]))
            for j in range(width):
                sums[width, j] += (side - sides[t]) * np.int64(np.rint(grid * x[j]))
            sides[t] = side


@inner_maker
def square_within(residuals: Values, sides: AnyArray) -> float:
    """Return the sum of squares within the bends, in four sums that do not wait for each other."""
    sums = np.zeros(4)
    for t in range(0, len(residuals) - len(residuals) % 4, 4):
        for k in range(4):
            sums[k] += residuals[t + k] * residuals[t + k] * (sides[t + k] == 0)
    for t in range(len(residuals) - len(residuals) % 4, len(residuals)):
        sums[0] += residuals[t] * residuals[t] * (sides[t] == 0)
    return float((sums[0] + sums[1]) + (sums[2] + sums[3]))


@inner
def set_residuals(stack: Values, order: Counts, w: Values, target: Values, out: Values) -> None:
    for t in range(index(len(out))):
        out[t] = target[t]
    for j in range(len(order)):
        row, scale = stack[order[j]], w[j]
        for t in range(index(len(out))):
            out[t] -= scale * row[t]


@inner_maker
def system_of(
    stack: Values, order: Counts, target: Values, wild: Counts, grid: float, sides: AnyArray, sums: Counts
) -> tuple[Values, Values, Values]:
    """Return the products of the samples within with each other and with their targets, and the sum of those beyond."""
    size, width = len(order), sums.shape[1]
    matrix, ends, pull = np.empty((size, size)), np.empty(size), np.empty(size)
    for i in range(size):
        line = sums[order[i]]
        ends[i], pull[i] = line[width - 1] / grid, sums[width, order[i]] / grid
        for j in range(size):
            matrix[i, j] = line[order[j]] / grid
    for t in wild:
        if sides[t] == 0:
            for j in range(size):
                ends[j] += target[t] * stack[order[j], t]
    return matrix, ends, pull


@inner_maker
def factor_of(matrix: Values, penalties: Values, scale: float, diagonal: Values) -> tuple[Values, float]:
    """Return the factor of the penalized products, and the least share of a feature that no others explain."""
    upper = matrix.copy()
    for j in range(len(upper)):
        upper[j, j] += penalties[j] * scale
    factorize(upper, _FLOOR * diagonal)
    least = np.inf
    for j in range(len(upper)):
        least = min(least, upper[j, j] * upper[j, j] / diagonal[j])
    return upper, least


@inner_maker
def halves_of(upper: Values, ends: Values, pull: Values) -> Values:
    """Return what solves for targets and for signs, half of the way."""
    halves = np.empty((len(ends), 2))
    halves[:, 0], halves[:, 1] = ends, pull
    solve_transposed(upper, halves)
    return halves


@inner
def scale_of(halves: Values, epsilon: float, within: float, square: float) -> float:
    """Return the scale if the penalty has no part in it."""
    for j in range(len(halves)):
        square -= halves[j, 0] * halves[j, 0]
        within -= epsilon * epsilon * halves[j, 1] * halves[j, 1]
    return math.sqrt(max(square / within, 0.0))


@inner_maker
def solve_partition(
    stack: Values,
    order: Counts,
    target: Values,
    wild: Counts,
    penalties: Values,
    diagonal: Values,
    epsilon: float,
    grid: float,
    sides: AnyArray,
    sums: Counts,
    rise: float,
    w: Values,
    residuals: Values,
) -> tuple[float, float]:
    """Fill in the solution of a partition; return its scale and the least pivot.

    If the scale would rise without end, because too many samples lie beyond, this is that at `rise`, and no pivot.
    """
    matrix, ends, pull = system_of(stack, order, target, wild, grid, sides, sums)
    within = len(target) - epsilon * epsilon * np.count_nonzero(sides)
    rises, scale = not within > 0.0, rise
    if not rises:
        halves = halves_of(factor_of(matrix, penalties, 1.0, diagonal)[0], ends, pull)
        scale = scale_of(halves, epsilon, within, square_within(target, sides))
    if not 0.0 < scale < np.inf:
        scale = 1.0
    both = np.empty((len(w), 1))
    for _ in range(_MOST_SCALES):
        upper, least = factor_of(matrix, penalties, scale, diagonal)
        for j in range(len(w)):
            both[j, 0] = ends[j] + epsilon * scale * pull[j]
        solve_transposed(upper, both)
        solve_upper(upper, both)
        w[:] = both[:, 0]
        set_residuals(stack, order, w, target, residuals)
        if rises:
            break
        square = square_within(residuals, sides)
        for j in range(len(w)):
            both[j, 0] = epsilon * pull[j] - penalties[j] * w[j]
        solve_transposed(upper, both)
        slope = within
        for j in range(len(w)):
            slope -= both[j, 0] * both[j, 0]
        if not slope > 0.0:
            rises, scale = True, rise
            continue
        step = (within * scale * scale - square) / (2.0 * scale * slope)
        if abs(step) <= _NEARLY * scale:
            solve_upper(upper, both)
            for j in range(len(w)):
                w[j] -= step * both[j, 0]
            set_residuals(stack, order, w, target, residuals)
            return scale - step, least
        scale = max(scale - step, scale / 8.0)
    return scale, -1.0
