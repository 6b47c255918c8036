"""One step of many neighbors towards their optima, each by its own row (see `criteria.linear.smooth_neighbors`)."""

from __future__ import annotations

import math

import numpy as np

from sweepless._typing import Features, Values
from sweepless.kernels._jit import inner, maker


@inner
def dot(one: Values, two: Values) -> float:
    total = 0.0
    for j in range(len(one)):
        total += one[j] * two[j]
    return total


@inner
def change_solved(gradient: Values, solved: Values, rows: Values, corner: Values, along: Values, enters: bool) -> float:
    """Let one feature enter or leave what solves a system, and return the squared length of what it adds or takes."""
    n_outputs, size = rows.shape
    for k in range(n_outputs):
        along[k] = dot(rows[k], gradient[:size]) - (gradient[size + k] if enters else 0.0)
    change = 0.0
    for k in range(n_outputs):
        move = dot(corner[k], along)
        change += along[k] * move
        scale = move if enters else -move
        for j in range(size):
            solved[j] += scale * rows[k, j]
        if enters:
            solved[size + k] = -move
    return change


@maker
def approach(
    left: Features,
    gradients: Values,
    solved: Values,
    rows: Values,
    corner: Values,
    rounding: Values,
    last: Values,
    points: Values,
    lengths: Values,
    squares: Values,
    enters: bool,
) -> None:
    """Complete what solves for the gradients of some neighbors, and move their points by a secant step.

    The step is that of BFGS with one pair: the inverse is corrected so that it explains the last change of gradients.

    Parameters
    ----------
    left : array
        Which neighbors these are.
    gradients, solved : array of shape (left, coefficients)
        At the points; and their products with the inverse of the model they leave, in the members' places, which the
        feature changes by its `rows` and `corner`.
    rows, corner : array
        Y and the inverse of S, for every neighbor.
    rounding : array
        Relative errors of solved systems.
    last : array of shape (3, neighbors, coefficients)
        The last points, gradients and solutions, which these replace.
    points : array of shape (neighbors, coefficients)
    lengths : array
        Bounds on the length of every last step, in the norm of the second derivatives; infinite before the first.
    squares : array of shape (left,)
        Gets the squared decrements.
    """
    along = np.empty(rows.shape[1])
    size = rows.shape[2]
    for i in range(len(left)):
        c = left[i]
        g, h, point = gradients[i], solved[i], points[c]
        before = dot(g[:size], h[:size])
        change = change_solved(g, h, rows[c], corner[c], along, enters)
        square = max(before + change if enters else before - change, 0.0)
        squares[i] = square + rounding[c] * (abs(before) + abs(change))
        old, old_g, old_h = last[0, c], last[1, c], last[2, c]
        steps, rises = 0.0, 0.0
        if lengths[c] < np.inf:
            for j in range(len(g)):
                step = point[j] - old[j]
                rises += step * (g[j] - old_g[j])
                steps += step * g[j]
        share = steps / rises if rises > 0.0 else 0.0
        slant, length = 0.0, 0.0
        for j in range(len(g)):
            rise = g[j] - old_g[j]
            mixed = h[j] - share * (h[j] - old_h[j])
            slant += rise * mixed
            length += (g[j] - share * rise) * mixed
        along_last = share - slant / rises if rises > 0.0 else 0.0
        for j in range(len(g)):
            mixed = h[j] - share * (h[j] - old_h[j])
            step = point[j] - old[j]
            old[j], old_g[j], old_h[j] = point[j], g[j], h[j]
            point[j] -= mixed + along_last * step
        has_last = rises > 0.0
        lengths[c] = math.sqrt(max(length, 0.0)) + (abs(along_last) * lengths[c] if has_last else 0.0)
