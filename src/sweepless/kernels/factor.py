"""Moments, products and triangular factors whose last bit depends only on their input.

A BLAS chooses its order of summation by the machine, the number of threads and the shape of the batch. Whatever
*defines* a value is computed here instead, in one serial order, with inner loops over independent elements, which
are vectorized without changing a bit.
"""

from __future__ import annotations

import math

import numpy as np

from sweepless._typing import Values
from sweepless.kernels._jit import index, kernel


def moments(columns: Values) -> Values:
    """Return mean, correction of the mean, and norm of the centered values; one feature per row.

    (x - mean) - correction is centered to the last digit even far from the origin. A constant has norm 0.
    """
    found = np.zeros((len(columns), 3))
    _set_moments(columns, found)
    return found


@kernel
def _set_moments(columns: Values, found: Values) -> None:
    n_samples = columns.shape[1]
    for k in range(len(columns)):
        column = columns[k]
        total = 0.0
        is_constant = True
        for x in column:
            total += x
            is_constant &= x == column[0]
        if is_constant:
            found[k, 0] = column[0]
            continue
        mean = total / n_samples
        rest = 0.0
        for x in column:
            rest += x - mean
        rest /= n_samples
        largest = 0.0
        for x in column:
            largest = max(largest, abs(x - mean - rest))
        square = 0.0
        for x in column:
            square += ((x - mean - rest) / largest) ** 2
        found[k, 0], found[k, 1], found[k, 2] = mean, rest, largest * math.sqrt(square)


@kernel
def add_gram(rows: Values, start: int, stop: int, out: Values) -> None:
    """Add the products of all pairs of columns over some rows to the upper triangle of `out`.

    Rows are added one after the other, but four are fetched at a time.
    """
    size = rows.shape[1]
    whole = stop - (stop - start) % 4
    for t in range(start, whole, 4):
        a, b, c, d = rows[t], rows[t + 1], rows[t + 2], rows[t + 3]
        for i in range(size):
            target = out[i]
            for j in range(index(i), index(size)):
                target[j] = (((target[j] + a[i] * a[j]) + b[i] * b[j]) + c[i] * c[j]) + d[i] * d[j]
    for t in range(whole, stop):
        row = rows[t]
        for i in range(size):
            target = out[i]
            for j in range(index(i), index(size)):
                target[j] += row[i] * row[j]


@kernel
def factorize(matrix: Values, floor: Values) -> None:
    """Turn the upper triangle of A into U with U'U = A, in place; squared pivots are at least `floor`."""
    size = len(matrix)
    for k in range(size):
        top = matrix[k]
        pivot = math.sqrt(max(top[k], floor[k]))
        top[k] = pivot
        for j in range(k + 1, size):
            top[j] /= pivot
        for i in range(k + 1, size):
            scale = top[i]
            row = matrix[i]
            for j in range(i, size):
                row[j] -= scale * top[j]


@kernel
def solve_transposed(upper: Values, right: Values) -> None:
    """Solve U'X = B in place of B; rows are subtracted one after the other, but four are fetched at a time."""
    for i in range(len(upper)):
        row, pivot, whole = right[i], upper[i, i], i - i % 4
        for k in range(0, whole, 4):
            a, b, c, d = right[k], right[k + 1], right[k + 2], right[k + 3]
            p, q, r, s = upper[k, i], upper[k + 1, i], upper[k + 2, i], upper[k + 3, i]
            for t in range(index(len(row))):
                row[t] = (((row[t] - p * a[t]) - q * b[t]) - r * c[t]) - s * d[t]
        for k in range(whole, i):
            done, scale = right[k], upper[k, i]
            for t in range(index(len(row))):
                row[t] -= scale * done[t]
        for t in range(index(len(row))):
            row[t] /= pivot


@kernel
def solve_upper(upper: Values, right: Values) -> None:
    """Solve UX = B in place of B."""
    for k in range(len(upper) - 1, -1, -1):
        done = right[k]
        pivot = upper[k, k]
        for t in range(len(done)):
            done[t] /= pivot
        for i in range(k):
            scale = upper[i, k]
            row = right[i]
            for t in range(len(row)):
                row[t] -= scale * done[t]
