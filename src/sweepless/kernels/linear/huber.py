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
from sweepless.kernels._jit import index, inner, kernel
from sweepless.kernels.linear.huber_partition import samples_beyond, solve_partition
from sweepless.kernels.linear.newton import weighted_gram

_MOST_PARTITIONS = 100
_CLOSE = 2.0**-26  # of a scale: a residual so near the bend may be on either side of it
_LEAST_PIVOT = 2.0**-14  # of the samples' products: below it, rounding could move a residual to the bend
_ROUNDING = 2.0**-46  # of the objective
_SHORTEST = 2.0**-30


@inner
def _sides(residuals: Values, bend: float, sides: AnyArray) -> bool:
    """Set on which side of the bends every residual lies; tell whether any has changed."""
    changed = False
    for t in range(len(residuals)):
        side = 1 if residuals[t] > bend else -1 if residuals[t] < -bend else 0
        changed |= sides[t] != side
        sides[t] = side
    return changed


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


@inner
def _optimum(
    stack: Values,
    order: Counts,
    gram: Values,
    right: Values,
    target: Values,
    tamed: Values,
    penalties: Values,
    epsilon: float,
    guess: float,
    sides: AnyArray,
    known: Values,
    w: Values,
) -> float:
    """Fill in the coefficients of the optimum, starting at a partition; return the scale, NaN if it is not certain."""
    n_samples = len(target)
    residuals, last_w, last, last_scale = np.empty(n_samples), np.zeros(len(w)), target.copy(), guess
    has_last = False
    for _ in range(_MOST_PARTITIONS):
        scale, least = solve_partition(
            stack,
            order,
            gram,
            right,
            target,
            tamed,
            penalties,
            epsilon,
            guess,
            sides,
            known,
            2.0 * last_scale,
            w,
            residuals,
        )
        known = known[:0]
        if not _sides(residuals, epsilon * scale, sides) and least >= 0.0:
            for t in range(n_samples):
                if abs(abs(residuals[t]) - epsilon * scale) <= _CLOSE * scale:
                    return np.nan
            return scale if least >= _LEAST_PIVOT and scale >= _CLOSE * guess else np.nan
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
        _sides(residuals, epsilon * scale, sides)
        last_w[:], last[:], last_scale, has_last = w, residuals, scale, True
    return np.nan


@kernel
def huber_optima(
    stack: Values,
    tested: Values,
    orders: Counts,
    gram: Values,
    right: Values,
    target: Values,
    tamed: Values,
    penalties: Values,
    epsilon: float,
    guess: float,
    start: AnyArray,
    columns: Values,
    edges: Values,
    own_penalties: Values,
    predicted: Values,
    sides: AnyArray,
) -> None:
    """Fill in what the optimum of each subset predicts, NaN if it is not certain, and its partition.

    Parameters
    ----------
    stack, tested : array of shape (features, samples)
        Training and test part, a feature per row. Where there are candidates, the last row is replaced by each of them.
    orders : array of shape (subsets, features)
        The rows of each subset, ascending by feature.
    gram, right : array
        The products of the rows with each other and with the tamed target.
    target, tamed : array
        The target, and the same with zeros for its wildest numbers, in whose products the others would lose digits.
    penalties : array
        Those of the rows.
    epsilon, guess : float
        Where the loss bends; and about how large the scale may be.
    start : array of int8
        The partition to begin with: -1, 0 or 1 for samples below, within and above the bends.
    columns, edges, own_penalties : array
        The candidates, training part first; their products with the rows and the target; and their penalties.
    """
    last, n_train = len(stack) - 1, len(target)
    n_kept = len(stack) - (len(columns) > 0)
    known = weighted_gram(samples_beyond(stack, np.arange(n_kept), start)[0], np.ones(np.count_nonzero(start)))
    w, own = np.empty(orders.shape[1]), np.empty(orders.shape[1])
    for c in range(len(orders)):
        if len(columns):
            stack[last], tested[last] = columns[c, :n_train], columns[c, n_train:]
            square = 0.0
            for t in range(n_train):
                square += columns[c, t] * columns[c, t]
            gram[last, :last] = edges[c, :last]
            gram[:last, last] = edges[c, :last]
            gram[last, last], right[last], penalties[last] = square, edges[c, last], own_penalties[c]
        order = orders[c]
        for j in range(len(order)):
            own[j] = penalties[order[j]]
        sides[c] = start
        scale = _optimum(stack, order, gram, right, target, tamed, own, epsilon, guess, sides[c], known, w)
        line = predicted[c]
        line[:] = 0.0 if scale > 0.0 else np.nan
        for j in range(len(order)):
            row, coefficient = tested[order[j]], w[j]
            for t in range(index(len(line))):
                line[t] += coefficient * row[t]
