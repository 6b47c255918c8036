"""The sums of Newton's method in one serial order, so that a fit from scratch depends only on its data."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Counts, Values
from sweepless.kernels._jit import index, kernel


@kernel
def weighted_gram(samples: Values, weights: Values) -> Values:
    """Return the weighted products of all pairs of columns; four samples are fetched at a time, added one by one."""
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


@kernel
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


@kernel
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


@kernel
def count_sure(
    outputs: Values, errors: Values, truth: Counts, close: float, counts: Values, is_sure: Values
) -> None:
    """Count the samples that each candidate classifies correctly, and tell whether every output is clear of doubt.

    Parameters
    ----------
    outputs : array of shape (candidates, outputs, samples)
        One output is positive for class 1; of several the greatest wins, the first of equal ones.
    errors : array of shape (candidates, samples)
        Bounds on how far an output, or the difference of two outputs, may be off.
    close : float
        Outputs within this distance of zero, or of the greatest, count as equal.
    is_sure : array
        Gets 1 if no sample is within its error of `close`, else 0.
    """
    for c in range(len(outputs)):
        n_right, sure = 0, 1.0
        for t in range(len(truth)):
            if outputs.shape[1] == 1:
                lead = abs(outputs[c, 0, t])
                winner = 1 if outputs[c, 0, t] > close else 0
            else:
                best, second, winner = outputs[c, 0, t], -np.inf, 0
                for k in range(1, outputs.shape[1]):
                    z = outputs[c, k, t]
                    if z > best:
                        best, second, winner = z, best, k
                    elif z > second:
                        second = z
                lead = best - second
            if not lead > close + errors[c, t]:
                sure = 0.0
            n_right += winner == truth[t]
        counts[c], is_sure[c] = n_right, sure
