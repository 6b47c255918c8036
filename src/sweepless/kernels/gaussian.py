"""Class means, deviations and the definitions of determinant, quadratic form and trace."""

from __future__ import annotations

import math

import numpy as np

from sweepless._typing import Counts, Values
from sweepless.kernels._jit import kernel, maker
from sweepless.kernels.factor import factorize, solve_transposed


@maker
def class_deviations(columns: Values, moments: Values, starts: Counts) -> tuple[Values, Values]:
    """Return deviations from the class mean (as `columns`) and class means, in units of the norm.

    Samples are sorted by class. A feature that is constant within a class deviates by 0 exactly.
    """
    n_classes = len(starts) - 1
    deviations = np.zeros(columns.shape)
    means = np.zeros((n_classes, len(columns)))
    for k in range(len(columns)):
        mean, rest, norm = moments[k]
        if norm == 0.0:
            continue
        row = deviations[k]
        for c in range(n_classes):
            start, stop = starts[c], starts[c + 1]
            total = 0.0
            is_constant = True
            for t in range(start, stop):
                row[t] = (columns[k, t] - mean - rest) / norm
                total += row[t]
                is_constant &= columns[k, t] == columns[k, start]
            if is_constant:
                means[c, k] = row[start]
                row[start:stop] = 0.0
                continue
            center = total / (stop - start)
            left = 0.0
            for t in range(start, stop):
                row[t] -= center
                left += row[t]
            left /= stop - start
            for t in range(start, stop):
                row[t] -= left
            means[c, k] = center + left
    return deviations, means


@maker
def factors(covariances: Values, mixtures: Values, ridge: float) -> Values:
    """Return U with U'U = (a mixture of class covariances) + ridge, for every mixture."""
    n_classes, size = covariances.shape[:2]
    found = np.zeros((len(mixtures), size, size))
    floor = np.full(size, ridge)
    for k in range(len(mixtures)):
        matrix = found[k]
        for c in range(n_classes):
            weight = mixtures[k, c]
            if weight != 0.0:
                for i in range(size):
                    for j in range(i, size):
                        matrix[i, j] += weight * covariances[c, i, j]
        for i in range(size):
            matrix[i, i] += ridge
        factorize(matrix, floor)
    return found


@kernel
def log_determinant(upper: Values) -> float:
    total = 0.0
    for k in range(len(upper)):
        total += math.log(upper[k, k])
    return 2.0 * total


@kernel
def inverse_form(upper: Values, right: Values) -> float:
    """Return the sum over the columns b of `right` of b'Ab, A the inverse of U'U; `right` is overwritten."""
    solve_transposed(upper, right)
    total = 0.0
    for i in range(right.shape[0]):
        for j in range(right.shape[1]):
            total += right[i, j] * right[i, j]
    return total
