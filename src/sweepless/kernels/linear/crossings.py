"""Neighbors of a hinge at the optimum of the samples that curve there, found by those that cross its bend.

The optimum of a squared hinge is that of a quadratic: of the samples that miss their margin. Next door these are nearly
the same. With p the optimum for those of the working subset and B the inverse of second derivatives there, the optimum
for a set that differs by some samples x is p - Σ a Bx, where (Σ x'Bx' + 1/c) a = r: r are the missing margins of these
samples at p, and c their curvatures, negative for those that leave. What is found is not proven here.
"""

from __future__ import annotations

import math

import numpy as np

from sweepless._typing import Counts, Values
from sweepless.kernels._jit import in_wide_vectors, index, inner, maker
from sweepless.kernels.linear.approach import change_solved, dot

_MOST_TURNS = 6
_MOST_CROSSINGS = 64  # more are not worth a dense system
_NEAR = 0.5  # the share of a bound on how far outputs move that they do move


@inner
def _combine(weights: Values, rows: Values, out: Values) -> None:
    """Add weighted rows to what is there, as far as that goes; four at a time, which writes and reads less."""
    in_wide_vectors()
    whole = len(weights) - len(weights) % 4
    for j in range(0, whole, 4):
        a, b, c, d = weights[j], weights[j + 1], weights[j + 2], weights[j + 3]
        one, two, three, four = rows[j], rows[j + 1], rows[j + 2], rows[j + 3]
        for t in range(index(len(out))):
            out[t] += (a * one[t] + b * two[t]) + (c * three[t] + d * four[t])
    for j in range(whole, len(weights)):
        weight, row = weights[j], rows[j]
        for t in range(index(len(out))):
            out[t] += weight * row[t]


@inner
def _solve(matrix: Values, right: Values) -> None:
    """Solve a small system in place of the right side, by elimination without pivots."""
    size = len(right)
    for k in range(size):
        for i in range(k + 1, size):
            scale = matrix[i, k] / matrix[k, k]
            for j in range(k + 1, size):
                matrix[i, j] -= scale * matrix[k, j]
            right[i] -= scale * right[k]
    for k in range(size - 1, -1, -1):
        for j in range(k + 1, size):
            right[k] -= matrix[k, j] * right[j]
        right[k] /= matrix[k, k]


@maker
def cross(
    points: Values,
    moved: Values,
    widest: Values,
    nearest: Counts,
    rows: Values,
    pulled: Values,
    columns: Values,
    signs: Values,
    missing: Values,
    flatness: Values,
    edges: Values,
    corner: Values,
    enters: bool,
) -> None:
    """Move points from the optimum for the samples that curve next door to that for their own, if it is found.

    Parameters
    ----------
    points : array of shape (neighbors, coefficients)
        All neighbors of the first task come first.
    moved, widest : array
        How far these are from the start, in the norm of the second derivatives, to which the way is added; and how far
        an output moves along a vector of length 1, squared.
    nearest : array of shape (tasks, some samples)
        The samples nearest to the bend at the start, in ascending order.
    rows : array of shape (tasks, members, some samples)
        Their values.
    pulled : array of shape (tasks, some samples, members)
        Their products with B at the start of every task.
    columns : array of shape (candidates, samples)
        The features that enter; with no samples if features leave.
    signs, missing, flatness : array of shape (tasks, some samples)
        The class of each, 1 or -1; by how much it misses its margin; and the reciprocal of its curvature if it does.
    edges, corner : array
        Y and S⁻¹, by which every neighbor changes B.
    """
    in_wide_vectors()
    size, width = rows.shape[1], points.shape[1]
    x, values, solved = np.zeros(width), np.empty((width, _MOST_CROSSINGS)), np.zeros((_MOST_CROSSINGS, width))
    chosen, along = np.empty(_MOST_CROSSINGS, dtype=np.int64), np.empty(1)
    for c in range(len(points)):
        task, column, point, start = c // len(columns), columns[c % len(columns)], points[c], points[c].copy()
        sign, miss, flat = signs[task], missing[task], flatness[task]
        n_near, most = 0, _NEAR * moved[c] * math.sqrt(widest[c])
        while n_near < len(miss) and abs(miss[n_near]) <= most:
            n_near += 1
        own, first, outputs = np.zeros(n_near), np.empty(n_near), np.empty(n_near)
        has_crossed = np.zeros(n_near, dtype=np.bool_)
        if enters:
            for k in range(n_near):
                own[k] = column[nearest[task, k]]
        way = 0.0
        for turn in range(_MOST_TURNS):
            outputs[:] = point[width - 1] * own
            _combine(point[:size], rows[task], outputs)
            if turn == 0:
                first[:] = outputs
            is_new, n = False, 0
            for k in range(n_near):
                crosses = (sign[k] * outputs[k] < 1.0) != (miss[k] > 0.0)
                is_new |= crosses != has_crossed[k]
                has_crossed[k] = crosses
                if crosses:
                    chosen[min(n, _MOST_CROSSINGS - 1)] = k
                    n += 1
            if not is_new or n > _MOST_CROSSINGS:
                break
            right, matrix, system = np.empty(n), np.empty((n, n)), np.empty((n, n))
            for i in range(n):
                k = chosen[i]
                for j in range(size):
                    x[j], solved[i, j] = rows[task, j, k], pulled[task, k, j]
                if enters:
                    x[size] = own[k]
                values[:, i], right[i], matrix[i] = x, first[k] - sign[k], 0.0
                change_solved(x, solved[i], edges[c], corner[c], along, enters)
            for i in range(n):
                k = chosen[i]
                _combine(solved[i], values, matrix[i])
                system[i] = matrix[i]
                system[i, i] += -flat[k] if miss[k] > 0.0 else flat[k]
            _solve(system, right)
            point[:], way = start, 0.0
            for i in range(n):
                way += right[i] * dot(matrix[i], right)
            _combine(-right, solved, point)
            if not way < np.inf:
                point[:], way = start, 0.0
                break
        moved[c] += math.sqrt(max(way, 0.0))
