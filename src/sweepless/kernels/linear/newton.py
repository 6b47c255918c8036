"""The sums of Newton's method in one serial order, so that a fit from scratch depends only on its data."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Values
from sweepless.kernels._jit import in_wide_vectors, index, maker


@maker
def weighted_gram(samples: Values, weights: Values) -> Values:
    """Return the weighted products of all pairs of columns; four samples are fetched at a time, added one by one."""
    in_wide_vectors()
    n_samples, size = samples.shape
    out = np.zeros((size, size))
    whole = n_samples - n_samples % 4
    for t in range(0, whole, 4):
        a, b, c, d = samples[t], samples[t + 1], samples[t + 2], samples[t + 3]
        for i in range(size):
            target = out[i]
            ai, bi, ci, di = weights[t] * a[i], weights[t + 1] * b[i], weights[t + 2] * c[i], weights[t + 3] * d[i]
            for j in range(index(i), index(size)):
                target[j] = (((target[j] + ai * a[j]) + bi * b[j]) + ci * c[j]) + di * d[j]
    for t in range(whole, n_samples):
        for i in range(size):
            scale = weights[t] * samples[t, i]
            for j in range(index(i), index(size)):
                out[i, j] += scale * samples[t, j]
    for i in range(size):
        for j in range(i):
            out[i, j] = out[j, i]
    return out


@maker
def combine(coefficients: Values, rows: Values) -> Values:
    """Return the outputs: one row for each row of coefficients, features added in ascending order."""
    out = np.zeros((len(coefficients), rows.shape[1]))
    for k in range(len(coefficients)):
        line = out[k]
        for j in range(len(rows)):
            scale, row = coefficients[k, j], rows[j]
            for t in range(len(row)):
                line[t] += scale * row[t]
    return out


@maker
def project(slopes: Values, samples: Values) -> Values:
    """Return the products of slopes (one row for each output) with every column, samples added in order."""
    out = np.zeros((len(slopes), samples.shape[1]))
    for k in range(len(slopes)):
        line = out[k]
        for t in range(len(samples)):
            scale, row = slopes[k, t], samples[t]
            for j in range(len(row)):
                line[j] += scale * row[j]
    return out
