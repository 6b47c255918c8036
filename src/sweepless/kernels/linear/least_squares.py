"""Least squares on a training part, for a subset and for its neighbors, by the same operations.

Columns are centered, multiplied by the roots of the samples' weights, and divided by the root of their squared norm
plus penalty, so that the matrix of the normal equations has a diagonal of ones. Every product of two columns is one sum
in the order of the samples. Kept or computed anew, it is the same number, so a neighbor has the same matrix, factor and
value as from scratch.
"""

from __future__ import annotations

import math

import numpy as np

from sweepless._typing import Counts, Values
from sweepless.kernels._jit import maker
from sweepless.kernels.factor import factorize, solve_transposed, solve_upper

# Beyond this ratio of mean to deviation the rounding of the mean changes the twelfth digit of predictions.
_FARTHEST = 1024.0


@maker
def standardize(columns: Values, weights: Values, roots: Values, alpha: float, centers: bool) -> Values:
    """Scale columns in place: centered on their first values, which have weights; squared norm and penalty together 1.

    Return the divisors. A column without variation becomes zeros, with an infinite divisor. A column becomes NaN where
    its effect would depend on rounding: if it is constant in training but not in testing and there is no penalty, or
    if it is so far from zero that its center is uncertain.
    """
    norms = np.empty(len(columns))
    n_train = len(weights)
    whole = 0.0
    first = -1
    for t in range(n_train):
        whole += weights[t]
        if first < 0 and weights[t] > 0.0:
            first = t
    for k in range(len(columns)):
        column = columns[k]
        mean, rest, square = 0.0, 0.0, 0.0
        is_constant = True
        for t in range(n_train):
            mean += weights[t] * column[t]
            is_constant &= column[t] == column[first] or weights[t] == 0.0
        mean /= whole
        if not centers:
            mean, is_constant = 0.0, False
        if is_constant:
            mean = column[first]
        else:
            if centers:
                for t in range(n_train):
                    rest += weights[t] * (column[t] - mean)
                rest /= whole
            for t in range(n_train):
                centered = roots[t] * (column[t] - mean - rest)
                square += centered * centered
        scale = 1.0 / math.sqrt(square + alpha) if square + alpha > 0.0 else 0.0
        if is_constant and alpha == 0.0 and mean != 0.0:
            for x in column[n_train:]:
                scale = np.nan if x != mean else scale
        if not math.isfinite(square) or (not is_constant and mean * mean * whole > _FARTHEST * _FARTHEST * square):
            scale = np.nan
        norms[k] = 1.0 / scale if scale > 0.0 else np.inf
        for t in range(n_train):
            column[t] = roots[t] * (column[t] - mean - rest) * scale
        for t in range(n_train, len(column)):
            column[t] = (column[t] - mean - rest) * scale
    return norms


@maker
def products(rows: Values, others: Values) -> Values:
    """Return sums over samples of products: `rows` has a sample per row, `others` one per column."""
    found = np.zeros((len(others), rows.shape[1]))
    for k in range(len(others)):
        line = found[k]
        for t in range(len(rows)):
            scale = others[k, t]
            row = rows[t]
            for j in range(len(line)):
                line[j] += scale * row[j]
    return found


@maker
def predict(
    matrix: Values,
    right: Values,
    tested: Values,
    norms: Values,
    means: Values,
    least_pivot: float,
    cond: float,
    predicted: Values,
) -> bool:
    """Predict by the solution of the normal equations, and tell whether they are well-conditioned.

    The matrix (upper triangle) and the right-hand side are overwritten.
    """
    size = len(matrix)
    factorize(matrix, np.zeros(size))
    for k in range(size):
        if not matrix[k, k] * matrix[k, k] >= least_pivot:
            return False
    if cond > 0.0 and not _keeps_all(matrix, norms, cond):
        return False
    solve_transposed(matrix, right)
    solve_upper(matrix, right)
    for c in range(len(means)):
        line = predicted[c]
        line[:] = means[c]
        for k in range(size):
            weight = right[k, c]
            row = tested[k]
            for t in range(len(line)):
                line[t] += weight * row[t]
    return True


@maker
def _keeps_all(factor: Values, norms: Values, cond: float) -> bool:
    """Tell whether all singular values are proved to be above `cond` times the greatest one.

    The columns are those of a matrix Z of unit columns, Z'Z = U'U, times their norms. So the greatest singular value
    is at most the root of the sum of the squared norms, and the least one at least the smallest norm times that of Z.
    The square of the latter is the least eigenvalue of a matrix with trace d. It is at least the determinant divided
    by e, which is known, and at least the inverse of the sum of the squared entries of the inverse of U, which is
    computed only if the first bound is not enough.
    """
    least, total, determinant = np.inf, 0.0, 1.0
    for k in range(len(norms)):
        if norms[k] < np.inf:  # a column that does not vary has no effect
            least = min(least, norms[k])
            total += norms[k] * norms[k]
        determinant *= factor[k, k] * factor[k, k]
    if total == 0.0:
        return True
    if not total < np.inf:
        return False
    needed = cond * cond * (total / least / least)
    if determinant > 2.75 * needed:
        return True
    if not needed < 1.0:
        return False
    inverse = np.eye(len(factor))
    solve_transposed(factor, inverse)
    return bool(1.0 / np.sum(inverse * inverse) > 1.01 * needed)


@maker
def predict_neighbors(
    gram: Values,
    right: Values,
    tested: Values,
    edges: Values,
    edge_right: Values,
    edge_tested: Values,
    norms: Values,
    edge_norms: Values,
    slots: Counts,
    adds: bool,
    means: Values,
    least_pivot: float,
    cond: float,
    predicted: Values,
) -> None:
    """Fill in the predictions (candidate, output, sample) with or without each candidate; NaN if unsound.

    `edges`, `edge_right`, `edge_tested` and `edge_norms` are the candidates' products with members and targets, their
    tested values and divisors; `slots` are their places among the members.
    """
    size = len(gram) + (1 if adds else -1)
    n_outputs = len(means)
    matrix = np.empty((size, size))
    solved = np.empty((size, n_outputs))
    rows = np.empty((size, tested.shape[1]))
    divided = np.empty(size)
    for m in range(len(slots)):
        slot = slots[m]
        for i in range(size):
            if adds and i == slot:
                rows[i], solved[i], divided[i] = edge_tested[m], edge_right[m], edge_norms[m]
            else:
                source = i - (adds and i > slot) + (not adds and i >= slot)
                rows[i], solved[i], divided[i] = tested[source], right[source], norms[source]
            for j in range(i, size):
                if i == j:
                    matrix[i, j] = 1.0
                elif adds and i == slot:
                    matrix[i, j] = edges[m, j - 1]
                elif adds and j == slot:
                    matrix[i, j] = edges[m, i]
                else:
                    matrix[i, j] = gram[
                        i - (adds and i > slot) + (not adds and i >= slot),
                        j - (adds and j > slot) + (not adds and j >= slot),
                    ]
        if not predict(matrix, solved, rows, divided, means, least_pivot, cond, predicted[m]):
            predicted[m] = np.nan
