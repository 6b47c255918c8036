"""Leave-one-out ridge regression: residuals from scratch, and the scores of many neighbours at once.

Neighbours are the columns of an array, samples its rows: sums over samples then run side by side, one neighbour in each
lane, which vectorises without changing the order of any sum.
"""

from __future__ import annotations

import math

import numpy as np

from sweepless._typing import Counts, Mask, Values
from sweepless.kernels._jit import index, inner, kernel
from sweepless.kernels.factor import add_gram, factorize, solve_transposed
from sweepless.kernels.linear.ridge import ranked

WIDTH = 512
"""The most neighbours that `left_out_squares` takes at once."""
# Rows of the work array are a known distance apart, so the compiler need not ask whether they overlap; a power of two
# would put all of them into the same lines of the cache.
_APART = WIDTH + 8


@kernel
def left_out_residuals(columns: Values, targets: Values, floor: Values, least: float) -> Values:
    """Return by how much each target differs from the prediction without that sample: the definition.

    Columns are centred, and scaled so that their squared norm and penalty sum to 1; targets are centred.
    """
    size, n_samples = columns.shape
    upper = np.zeros((size, size))
    add_gram(np.ascontiguousarray(columns.T), 0, n_samples, upper)
    for k in range(size):
        upper[k, k] = 1.0
    factorize(upper, floor)
    halves = columns.copy()
    solve_transposed(upper, halves)
    leverages = np.full(n_samples, 1.0 / n_samples)
    # All outputs are summed side by side: a single sum waits for itself.
    outputs = np.ascontiguousarray(targets.T)
    residuals = outputs.copy()
    for k in range(size):
        half = halves[k]
        products = np.zeros(len(targets))
        for t in range(n_samples):
            leverages[t] += half[t] * half[t]
            for c in range(index(len(targets))):
                products[c] += half[t] * outputs[t, c]
        for t in range(n_samples):
            for c in range(index(len(targets))):
                residuals[t, c] -= products[c] * half[t]
    for t in range(n_samples):
        residuals[t] /= max(1.0 - leverages[t], least)
    return np.ascontiguousarray(residuals.T)


@kernel
def left_out_squares(paths: Values, levers: Values, moves: Values, leverages: Values, residuals: Values) -> Values:
    """Return two sums over the samples and a minimum, for each of at most `WIDTH` neighbours.

    The residuals of a neighbour are `residuals` (output, sample) minus its moves (output, neighbour) times its path
    (sample, neighbour), and its leverages grow by its lever times its squared path. With e² the squared residuals
    of a sample over all outputs, and g what its leverage leaves of 1, these are the sums of e² / g² and of e⁴ / g⁴, and
    the least g.
    """
    n_samples, n_neighbors = paths.shape
    work = np.zeros(6 * _APART)
    for k in range(index(n_neighbors)):
        work[k + index(2 * _APART)] = levers[k]
        work[k + index(5 * _APART)] = 1.0
    if len(moves) == 1:
        for k in range(index(n_neighbors)):
            work[k] = moves[0, k]
        for t in range(n_samples):
            _add_one(paths, t, residuals[0, t], 1.0 - leverages[t], work)
    else:
        for c in range(len(moves)):
            for k in range(index(n_neighbors)):
                work[k + index(_APART)] += moves[c, k] * moves[c, k]
        for t in range(n_samples):
            square = 0.0
            for k in range(index(n_neighbors)):
                work[k] = 0.0
            for c in range(len(moves)):
                residual = residuals[c, t]
                square += residual * residual
                for k in range(index(n_neighbors)):
                    work[k] += residual * moves[c, k]
            _add_several(paths, t, square, 1.0 - leverages[t], work)
    sums = np.empty((3, n_neighbors))
    for i in range(3):
        sums[i] = work[(i + 3) * _APART : (i + 3) * _APART + n_neighbors]
    return sums


# In both, built-in minima of floats and one division are what vectorises; a comparison with a choice does not.


@inner
def _add_one(paths: Values, t: int, residual: float, left: float, work: Values) -> None:
    """Add a sample of one output; work begins with the moves."""
    for k in range(index(paths.shape[1])):
        path = paths[t, k]
        rest = left - work[k + index(2 * _APART)] * path * path
        error = (residual - work[k] * path) / rest
        square = error * error
        work[k + index(3 * _APART)] += square
        work[k + index(4 * _APART)] += square * square
        work[k + index(5 * _APART)] = min(work[k + index(5 * _APART)], rest)


@inner
def _add_several(paths: Values, t: int, whole: float, left: float, work: Values) -> None:
    """Add a sample of several outputs; work begins with the products of residuals and moves, and squared moves."""
    for k in range(index(paths.shape[1])):
        path = paths[t, k]
        rest = left - work[k + index(2 * _APART)] * path * path
        square = (whole + path * (work[k + index(_APART)] * path - 2.0 * work[k])) / (rest * rest)
        work[k + index(3 * _APART)] += square
        work[k + index(4 * _APART)] += square * square
        work[k + index(5 * _APART)] = min(work[k + index(5 * _APART)], rest)


@kernel
def sweep_paths(
    columns: Values,
    paths: Values,
    sigma: Values,
    vectors: Values,
    scales: Values,
    leverages: Values,
    residuals: Values,
) -> tuple[Values, Values]:
    """Bring the paths and the sigma of all features up to date, and return their steps and `left_out_squares`.

    Features are in tiles (tile, sample, feature), each of which stays in the cache while it is worked on. Every pending
    change of the fit subtracts a scale times vv' from the matrix that makes paths of columns.
    """
    n_tiles, n_samples, width = columns.shape
    n_pending, n_outputs = len(vectors), len(residuals)
    steps, sums = np.empty((n_tiles, n_outputs, width)), np.empty((n_tiles, 3, width))
    left = np.concatenate((residuals, vectors))
    for i in range(n_tiles):
        tile, path = columns[i], paths[i]
        products = np.zeros((n_outputs + n_pending, width))
        for t in range(n_samples):
            for c in range(n_outputs + n_pending):
                factor = left[c, t]
                for k in range(index(width)):
                    products[c, k] += factor * tile[t, k]
        for c in range(n_pending):
            move = products[n_outputs + c]
            for k in range(index(width)):
                sigma[i, k] -= scales[c] * move[k] * move[k]
                move[k] *= scales[c]
            for t in range(n_samples):
                factor = vectors[c, t]
                for k in range(index(width)):
                    path[t, k] -= move[k] * factor
        levers = 1.0 / sigma[i]
        steps[i] = products[:n_outputs]
        sums[i] = left_out_squares(path, levers, steps[i] * levers, leverages, residuals)
    return steps, sums


@kernel
def left_out_correct(
    paths: Values,
    sigma: Values,
    steps: Values,
    sign: int,
    leverages: Values,
    residuals: Values,
    targets: Values,
    truth: Counts,
    fit_errors: Values,
    leverage_errors: Values,
) -> tuple[Counts, Mask]:
    """Count the samples that each neighbour classifies correctly when left out, and tell which counts are certain."""
    n_samples, n_neighbors = paths.shape
    n_outputs = len(residuals)
    correct = np.zeros(n_neighbors, dtype=np.int64)
    is_sure = np.ones(n_neighbors, dtype=np.bool_)
    for t in range(n_samples):
        for k in range(n_neighbors):
            path = paths[t, k]
            rest = 1.0 - leverages[t] - sign * path * path / sigma[k]
            best, second, winner, largest = -np.inf, -np.inf, 0, 0.0
            for c in range(n_outputs):
                error = (residuals[c, t] - sign * steps[c, k] / sigma[k] * path) / rest
                largest = max(largest, abs(error))
                best, second, winner = ranked(best, second, winner, targets[c, t] - error, c, n_outputs)
            doubt = (fit_errors[k] + largest * leverage_errors[k]) / rest
            # These comparisons are false for NaN, which is never certain.
            is_sure[k] &= rest > 128.0 * leverage_errors[k] and best - second > 4.0 * doubt and math.isfinite(best)
            correct[k] += winner == truth[t]
    return correct, is_sure
