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
_MOST_CROSSINGS = 128  # more are not worth a dense system
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
    """Solve a small symmetric system, of which the upper half is read, in place of the right side; without pivots."""
    in_wide_vectors()
    size = len(right)
    for k in range(size):
        pivot, own = matrix[k], right[k]
        for i in range(k + 1, size):
            scale, row = pivot[i] / pivot[k], matrix[i]
            for j in range(index(i), index(size)):
                row[j] -= scale * pivot[j]
            right[i] -= scale * own
    for k in range(size - 1, -1, -1):
        right[k] = (right[k] - dot(matrix[k, k + 1 : size], right[k + 1 :])) / matrix[k, k]


@maker
def cross(
    points: Values,
    moved: Values,
    widest: Values,
    nearest: Counts,
    near: Values,
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
    near : array of shape (tasks, some samples, members)
        Their values.
    rows : array of shape (tasks, members, some samples)
        The same, a member per row.
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
    size, width, most_near = rows.shape[1], points.shape[1], missing.shape[1]
    # Whatever has crossed keeps its place among these from turn to turn: the sample, Bx, and all products of the two.
    x, solved = np.zeros(width), np.zeros((_MOST_CROSSINGS, width))
    values, products = np.zeros((width, _MOST_CROSSINGS)), np.empty((_MOST_CROSSINGS, _MOST_CROSSINGS))
    places, chosen = np.empty(most_near, dtype=np.int64), np.empty(_MOST_CROSSINGS, dtype=np.int64)
    system, flat = np.empty((_MOST_CROSSINGS, _MOST_CROSSINGS)), np.empty(_MOST_CROSSINGS)
    short, right = np.empty(_MOST_CROSSINGS), np.empty(_MOST_CROSSINGS)
    own, first, outputs = np.zeros(most_near), np.empty(most_near), np.empty(most_near)
    found = np.empty(most_near + 1, dtype=np.int64)
    start, along = np.empty(width), np.empty(1)
    for c in range(len(points)):
        task, column, point = c // len(columns), columns[c % len(columns)], points[c]
        sign, miss = signs[task], missing[task]
        n_near, most = 0, _NEAR * moved[c] * math.sqrt(widest[c])
        while n_near < most_near and abs(miss[n_near]) <= most:
            n_near += 1
        start[:], places[:n_near] = point, -1
        if enters:
            for k in range(n_near):
                own[k] = column[nearest[task, k]]
        way, n_kept, n_before = 0.0, 0, 0
        for turn in range(_MOST_TURNS):
            outputs[:n_near] = point[width - 1] * own[:n_near]
            _combine(point[:size], rows[task], outputs[:n_near])
            if turn == 0:
                first[:n_near] = outputs[:n_near]
            is_new, n, n_found = False, 0, 0
            for k in range(n_near):
                found[n_found] = k
                n_found += (sign[k] * outputs[k] < 1.0) != (miss[k] > 0.0)
            for f in range(n_found):
                k = found[f]
                if n == _MOST_CROSSINGS or (places[k] < 0 and n_kept == _MOST_CROSSINGS):
                    n = _MOST_CROSSINGS + 1
                    break
                if places[k] < 0:
                    places[k] = n_kept
                    pull, kept = pulled[task, k], solved[n_kept]
                    for j in range(index(size)):
                        x[j], kept[j] = near[task, k, j], pull[j]
                    if enters:
                        x[size] = own[k]
                    change_solved(x, kept, edges[c], corner[c], along, enters)
                    for j in range(index(width)):
                        values[j, n_kept] = x[j]
                    n_kept += 1
                    line = products[n_kept - 1, :n_kept]
                    line[:] = 0.0
                    _combine(kept, values, line)
                is_new |= n >= n_before or chosen[n] != k
                chosen[n] = k
                n += 1
            if n > _MOST_CROSSINGS or (n == n_before and not is_new):
                break
            n_before = n
            for i in range(n):
                k = chosen[i]
                flat[i] = -flatness[task, k] if miss[k] > 0.0 else flatness[task, k]
                short[i] = right[i] = first[k] - sign[k]
                for j in range(i + 1):
                    one, two = places[k], places[chosen[j]]
                    system[j, i] = products[max(one, two), min(one, two)]
                system[i, i] += flat[i]
            _solve(system, right[:n])
            point[:], way = start, 0.0
            for i in range(n):
                way += right[i] * (short[i] - flat[i] * right[i])
                for j in range(index(width)):
                    point[j] -= right[i] * solved[places[chosen[i]], j]
            if not way < np.inf:
                point[:], way = start, 0.0
                break
        moved[c] += math.sqrt(max(way, 0.0))
