"""Huber regression with its scale, at the optimum, by the one partition of samples that is its own.

What is minimized over coefficients w and a scale σ is Σ σ (1 + h((y - xw) / σ)) + Σ μw², with h(u) = u² for |u| <= ε
and 2ε|u| - ε² beyond (Huber 1981, Owen 2007). It is jointly convex. Once it is known which samples lie beyond, and on
which side, w solves (G + μσ) w = b + εσs, with products G and b of the samples within and s the sum of those beyond
with their signs, and σ is the root of (n - ε² n_beyond) σ² = Σ r² over those within. A partition that its own solution
reproduces is that of the optimum. The solution depends on nothing but the partition, so it does not matter from where
that was reached.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Values
from sweepless.kernels._jit import index, inner, inner_maker, maker
from sweepless.kernels.factor import solve_transposed, solve_upper
from sweepless.kernels.linear.huber_partition import (
    factor_of,
    halves_of,
    regroup,
    scale_of,
    set_residuals,
    side_of,
    solve_partition,
    square_within,
    sum_products,
    system_of,
)

_MOST_PARTITIONS = 100
_CLOSE = 2.0**-26  # of a scale: a residual so near the bend may be on either side of it
_LEAST_PIVOT = 2.0**-14  # of the samples' products: below it, rounding could move a residual to the bend
_ROUNDING = 2.0**-46  # of the objective
_SHORTEST = 2.0**-30


@inner
def _agrees(residuals: Values, bend: float, sides: AnyArray) -> bool:
    """Tell whether every residual lies on its side of the bends."""
    changed = False
    for t in range(len(residuals)):
        changed |= sides[t] != side_of(residuals[t], bend)
    return not changed


@inner
def _objective(residuals: Values, scale: float, epsilon: float, w: Values, penalties: Values) -> float:
    total = scale * len(residuals)
    bend = epsilon * scale
    for r in residuals:
        size = abs(r)
        total += r * (r / scale) if size <= bend else epsilon * (2.0 * size - bend)
    for j in range(len(w)):
        total += penalties[j] * w[j] * w[j]
    return total


@inner_maker
def _optimum(
    stack: Values,
    samples: Values,
    order: Counts,
    target: Values,
    wild: Counts,
    penalties: Values,
    diagonal: Values,
    epsilon: float,
    grid: float,
    sides: AnyArray,
    sums: Counts,
    w: Values,
) -> float:
    """Fill in the coefficients of the optimum, starting at a partition; return the scale, NaN if it is not certain."""
    n_samples, own = len(target), stack[len(stack) - 2]
    residuals, last_w, last, last_scale = np.empty(n_samples), np.zeros(len(w)), target.copy(), 1.0
    has_last = False
    for _ in range(_MOST_PARTITIONS):
        scale, least = solve_partition(
            stack, order, target, wild, penalties, diagonal, epsilon, grid, sides, sums, 2.0 * last_scale, w, residuals
        )
        if least >= 0.0 and _agrees(residuals, epsilon * scale, sides):
            for t in range(n_samples):
                if abs(abs(residuals[t]) - epsilon * scale) <= _CLOSE * scale:
                    return np.nan
            return scale if least >= _LEAST_PIVOT and scale >= _CLOSE else np.nan
        if has_last:  # a partition's solution lies in a direction that lowers the objective, perhaps too far ahead
            most = (1.0 + _ROUNDING) * _objective(last, last_scale, epsilon, last_w, penalties)
            length = 1.0
            while not _objective(residuals, scale, epsilon, w, penalties) <= most and length > _SHORTEST:
                length /= 2.0
                for j in range(len(w)):
                    w[j] = (w[j] + last_w[j]) / 2.0
                for t in range(n_samples):
                    residuals[t] = (residuals[t] + last[t]) / 2.0
                scale = (scale + last_scale) / 2.0
        regroup(residuals, epsilon * scale, grid, own, samples, sides, sums)
        last_w[:], last[:], last_scale, has_last = w, residuals, scale, True
    return np.nan


@inner_maker
def _look_ahead(
    stack: Values,
    upper: Values,
    halves: Values,
    target: Values,
    penalty: float,
    epsilon: float,
    grid: float,
    within: float,
    square: float,
    sums: Counts,
    residuals: Values,
) -> float:
    """Fill in what the last feature leaves of the target if no sample changes sides, about; return the scale."""
    last = len(upper)
    edge, both, w = np.empty((last, 1)), np.empty((last + 1, 2)), np.empty(last + 1)
    for j in range(last):
        edge[j, 0] = sums[last, j] / grid
    solve_transposed(upper, edge)
    pivot, end, pull = sums[last, last] / grid + penalty, sums[last, last + 1] / grid, sums[last + 2, last] / grid
    for j in range(last):
        both[j] = halves[j]
        pivot -= edge[j, 0] * edge[j, 0]
        end -= edge[j, 0] * halves[j, 0]
        pull -= edge[j, 0] * halves[j, 1]
    pivot = np.sqrt(pivot)
    both[last, 0], both[last, 1] = end / pivot, pull / pivot
    scale = scale_of(both, epsilon, within, square)
    w[last] = (both[last, 0] + epsilon * scale * both[last, 1]) / pivot
    for j in range(last):
        edge[j, 0] = both[j, 0] + epsilon * scale * both[j, 1] - edge[j, 0] * w[last]
    solve_upper(upper, edge)
    w[:last] = edge[:, 0]
    set_residuals(stack, np.arange(last + 1), w, target, residuals)
    return scale


@maker
def huber_optima(
    stack: Values,
    tested: Values,
    orders: Counts,
    target: Values,
    wild: Counts,
    penalties: Values,
    epsilon: float,
    grid: float,
    start: AnyArray,
    columns: Values,
    own_penalties: Values,
    predicted: Values,
    sides: AnyArray,
) -> None:
    """Fill in what the optimum of each subset predicts, NaN if it is not certain, and its partition.

    Parameters
    ----------
    stack, tested : array of shape (features, samples)
        Training and test part, a feature per row. Where there are candidates, the last feature is replaced by each of
        them. One more row of the stack is the target, with zeros for wild numbers.
    orders : array of shape (subsets, features)
        The rows of each subset, ascending by feature.
    target, wild : array
        The target, about as large as 1, and which of its numbers are so large that the others would lose digits in
        sums with them.
    penalties : array
        Those of the rows.
    epsilon : float
        Where the loss bends.
    grid : float
        Products are rounded to multiples of its inverse, a power of two; sums of them fit into 62 bits.
    start : array of int8
        The partition to begin with: -1, 0 or 1 for samples below, within and above the bends.
    columns, own_penalties : array
        The candidates, training part first, and their penalties.
    """
    n_train, last, nobody = len(target), len(stack) - 2, np.zeros_like(start)
    samples, sums, squares = stack.T.copy(), np.zeros((last + 3, last + 2), dtype=np.int64), np.empty(last + 1)
    inside, signs = grid * (start == 0), grid * start
    for i in range(last + 2):
        sum_products(inside * stack[i], stack, sums[i])
    sum_products(signs, stack, sums[last + 2])
    for i in range(last + 1):
        squares[i] = square_within(stack[i], nobody)
    residuals, members = np.empty(n_train), np.arange(last)
    if len(columns):
        within, square = n_train - epsilon * epsilon * np.count_nonzero(start), square_within(target, start)
        each, w = (penalties[:last], squares[:last]), np.empty(last)
        scale = solve_partition(stack, members, target, wild, *each, epsilon, grid, start, sums, 1.0, w, residuals)[0]
        matrix, ends, pull = system_of(stack, members, target, wild, grid, start, sums)
        upper = factor_of(matrix, each[0], scale, each[1])[0]
        halves = halves_of(upper, ends, pull)
    for c in range(len(orders)):
        order, own, sides[c] = orders[c], sums.copy(), start
        if len(columns):
            stack[last], tested[last], penalties[last] = columns[c, :n_train], columns[c, n_train:], own_penalties[c]
            squares[last] = square_within(stack[last], nobody)
            sum_products(inside * stack[last], stack, own[last])
            sum_products(signs, stack[last : last + 1], own[last + 2, last:])
            own[: last + 2, last] = own[last]
            penalty = scale * penalties[last]
            ahead = _look_ahead(stack, upper, halves, target, penalty, epsilon, grid, within, square, own, residuals)
            if 0.0 < ahead < np.inf:
                regroup(residuals, epsilon * ahead, grid, stack[last], samples, sides[c], own)
        w = np.empty(len(order))
        each = penalties[order], squares[order]
        found = _optimum(stack, samples, order, target, wild, *each, epsilon, grid, sides[c], own, w)
        line = predicted[c]
        line[:] = 0.0 if found > 0.0 else np.nan
        for j in range(len(order)):
            row, coefficient = tested[order[j]], w[j]
            for t in range(index(len(line))):
                line[t] += coefficient * row[t]
