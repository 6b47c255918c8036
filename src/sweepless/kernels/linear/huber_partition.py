"""Huber regression once it is known which samples lie beyond the bends of its loss (see `kernels.linear.huber`)."""

from __future__ import annotations

import math

import numpy as np

from sweepless._typing import AnyArray, Counts, Values
from sweepless.kernels._jit import index, inner
from sweepless.kernels.factor import factorize, solve_transposed, solve_upper
from sweepless.kernels.linear.newton import weighted_gram

_MOST_SCALES = 20
_SAME = 2.0**-36  # a relative step of the scale that moves no residual by anything that matters
_FLOOR = 2.0**-40


@inner
def _square_within(residuals: Values, sides: AnyArray) -> float:
    """Return the sum of squares within the bends, in four sums that do not wait for each other."""
    sums = np.zeros(4)
    for t in range(0, len(residuals) - len(residuals) % 4, 4):
        for k in range(4):
            sums[k] += residuals[t + k] * residuals[t + k] * (sides[t + k] == 0)
    for t in range(len(residuals) - len(residuals) % 4, len(residuals)):
        sums[0] += residuals[t] * residuals[t] * (sides[t] == 0)
    return float((sums[0] + sums[1]) + (sums[2] + sums[3]))


@inner
def _residuals(stack: Values, order: Counts, w: Values, target: Values, out: Values) -> None:
    out[:] = target
    for j in range(len(order)):
        row, scale = stack[order[j]], w[j]
        for t in range(index(len(out))):
            out[t] -= scale * row[t]


@inner
def samples_beyond(stack: Values, order: Counts, sides: AnyArray) -> tuple[Values, Counts]:
    """Return the samples beyond the bends, one per row, and their numbers."""
    places = np.flatnonzero(sides)
    beyond = np.empty((len(places), len(order)))
    for j in range(len(order)):
        row = stack[order[j]]
        for k in range(len(places)):
            beyond[k, j] = row[places[k]]
    return beyond, places


@inner
def _gather(
    stack: Values,
    order: Counts,
    gram: Values,
    right: Values,
    target: Values,
    tamed: Values,
    sides: AnyArray,
    known: Values,
) -> tuple[Values, Values, Values, int]:
    """Return the products of the samples within, the sum of those beyond, and how many these are.

    `known` are the products of those beyond for all rows of the stack but the last; empty if these are not known.
    """
    size = len(order)
    beyond, places = samples_beyond(stack, order, sides)
    if not len(known):
        lost = weighted_gram(beyond, np.ones(len(places)))
    else:
        lost = np.empty((size, size))
        for i in range(size):
            for j in range(size):
                if order[i] < len(known) and order[j] < len(known):
                    lost[i, j] = known[order[i], order[j]]
        for i in range(size):
            if order[i] == len(known):
                edge = np.zeros(size)
                for k in range(len(places)):
                    line, scale = beyond[k], beyond[k, i]
                    for j in range(index(size)):
                        edge[j] += scale * line[j]
                lost[i], lost[:, i] = edge, edge
    ends, pull = np.empty(size), np.zeros(size)
    for i in range(size):
        ends[i] = right[order[i]]
        for j in range(size):
            lost[i, j] = gram[order[i], order[j]] - lost[i, j]
    for k in range(len(places)):
        line, side, number = beyond[k], sides[places[k]], tamed[places[k]]
        for j in range(index(size)):
            pull[j] += side * line[j]
            ends[j] -= number * line[j]
    for t in range(len(sides)):
        if tamed[t] != target[t] and sides[t] == 0:
            for j in range(size):
                ends[j] += (target[t] - tamed[t]) * stack[order[j], t]
    return lost, ends, pull, len(places)


@inner
def _product(matrix: Values, one: Values, two: Values) -> float:
    total = 0.0
    for i in range(len(one)):
        part = 0.0
        for j in range(len(two)):
            part += matrix[i, j] * two[j]
        total += one[i] * part
    return total


@inner
def _factor(matrix: Values, penalties: Values, scale: float, diagonal: Values) -> tuple[Values, float]:
    """Return the factor of the penalized products, and the least share of a feature that no others explain."""
    upper = matrix.copy()
    for j in range(len(upper)):
        upper[j, j] += penalties[j] * scale
    factorize(upper, _FLOOR * diagonal)
    least = np.inf
    for j in range(len(upper)):
        least = min(least, upper[j, j] * upper[j, j] / diagonal[j])
    return upper, least


@inner
def _first_scale(
    matrix: Values, ends: Values, pull: Values, epsilon: float, within: float, square: float, upper: Values
) -> float:
    """Return the root for a penalty that does not change with the scale, where residuals are linear in it."""
    both = np.empty((len(ends), 2))
    both[:, 0], both[:, 1] = ends, epsilon * pull
    solve_transposed(upper, both)
    solve_upper(upper, both)
    base, slope = both[:, 0].copy(), both[:, 1].copy()
    zeroth, first, second = square + _product(matrix, base, base), _product(matrix, slope, base), 0.0
    for j in range(len(ends)):
        zeroth -= 2.0 * base[j] * ends[j]
        first -= slope[j] * ends[j]
    second = within - _product(matrix, slope, slope)
    return (first + math.sqrt(max(first * first + second * zeroth, 0.0))) / second


@inner
def solve_partition(
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
    rise: float,
    w: Values,
    residuals: Values,
) -> tuple[float, float]:
    """Fill in the solution of a partition; return its scale and the least pivot.

    If the scale would rise without end, because too many samples lie beyond, this is that at `rise`, and no pivot.
    """
    matrix, ends, pull, n_beyond = _gather(stack, order, gram, right, target, tamed, sides, known)
    within = len(target) - epsilon * epsilon * n_beyond
    rises = not within > 0.0
    diagonal = np.empty(len(order))
    for j in range(len(order)):
        diagonal[j] = gram[order[j], order[j]]
    upper, _ = _factor(matrix, penalties, guess, diagonal)
    scale = rise if rises else _first_scale(matrix, ends, pull, epsilon, within, _square_within(target, sides), upper)
    if not 0.0 < scale < np.inf:
        scale = guess
    both = np.empty((len(w), 1))
    for _ in range(_MOST_SCALES):
        upper, least = _factor(matrix, penalties, scale, diagonal)
        for j in range(len(w)):
            both[j, 0] = ends[j] + epsilon * scale * pull[j]
        solve_transposed(upper, both)
        solve_upper(upper, both)
        w[:] = both[:, 0]
        _residuals(stack, order, w, target, residuals)
        if rises:
            break
        square = _square_within(residuals, sides)
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
        if abs(step) <= _SAME * scale:
            return scale, least
        scale = max(scale - step, scale / 8.0)
    return scale, -1.0
