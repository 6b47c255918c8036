"""How evenly the centers of classes scatter in all directions."""

from __future__ import annotations

import math

import numpy as np

from sweepless._typing import Values
from sweepless.kernels._jit import maker
from sweepless.kernels.factor import factorize, solve_transposed


@maker
def spreads(centers: Values, shares: Values) -> Values:
    """Bound the ratio of the least to the greatest eigenvalue of the scatter of class centers from below.

    Centers (candidate, feature, class) have the mean 0, weighted by the shares of the classes, so C of them span at
    most C - 1 dimensions; the direction without scatter is given the sum of the eigenvalues. Of a matrix divided by
    that sum, the inverse of the trace of the inverse is at most the least eigenvalue, and the greatest is at most 1.
    """
    n_candidates, size, n_classes = centers.shape
    by_class = size >= n_classes - 1
    order = n_classes if by_class else size
    found = np.empty(n_candidates)
    matrix, inverse, floor = np.empty((order, order)), np.empty((order, order)), np.zeros(order)
    for m in range(n_candidates):
        total, trace = 0.0, 0.0
        for k in range(size):
            for c in range(n_classes):
                total += shares[c] * centers[m, k, c] * centers[m, k, c]
        for i in range(order):
            for j in range(order):
                inverse[i, j] = 1.0 if i == j else 0.0
                entry = 0.0
                if by_class:
                    for k in range(size):
                        entry += centers[m, k, i] * centers[m, k, j]
                    matrix[i, j] = math.sqrt(shares[i] * shares[j]) * (entry / total + 1.0)
                else:
                    for c in range(n_classes):
                        entry += shares[c] * centers[m, i, c] * centers[m, j, c]
                    matrix[i, j] = entry / total
        factorize(matrix, floor)
        solve_transposed(matrix, inverse)
        for i in range(order):
            for j in range(order):
                trace += inverse[i, j] * inverse[i, j]
        found[m] = 1.0 / trace
    return found
