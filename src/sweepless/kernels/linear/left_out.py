"""Leave-one-out ridge regression: residuals from scratch, and the scores of many neighbors at once.

Neighbors are the columns of an array, samples its rows: sums over samples then run side by side, one neighbor in each
lane, which vectorizes without changing the order of any sum.
"""

from __future__ import annotations

import math

import numpy as np

from sweepless._typing import Counts, Mask, Values
from sweepless.kernels._jit import index, inner, kernel, maker
from sweepless.kernels.factor import add_gram, factorize, solve_transposed
from sweepless.kernels.linear.ridge import ranked

WIDTH = 512
"""The most neighbors that `left_out_squares` takes at once."""
# Rows of the work array are a known distance apart, so the compiler need not ask whether they overlap; a power of two
# would put all of them into the same lines of the cache.
_APART = WIDTH + 8


def left_out_residuals(columns: Values, targets: Values, floor: Values, least: float) -> Values:
    """Return by how much each target differs from the prediction without that sample: the definition.

    Columns are centered, and scaled so that their squared norm and penalty sum to 1; targets are centered.
    """
    size, n_samples = columns.shape
    upper = np.zeros((size, size))
    add_gram(np.ascontiguousarray(columns.T), 0, n_samples, upper)
    np.fill_diagonal(upper, 1.0)
    factorize(upper, floor)
    halves = columns.copy()
    solve_transposed(upper, halves)
    leverages = np.full(n_samples, 1.0 / n_samples)
    outputs = np.ascontiguousarray(targets.T)
    residuals = outputs.copy()
    _subtract_fit(halves, outputs, np.empty(len(targets)), leverages, residuals)
    return np.ascontiguousarray(residuals.T / np.maximum(1.0 - leverages, least))


@kernel
def _subtract_fit(halves: Values, outputs: Values, products: Values, leverages: Values, residuals: Values) -> None:
    """Add every half's share to the leverages and take it from the residuals; `products` is working space.

    All outputs are summed side by side: a single sum waits for itself.
    """
    n_outputs = index(outputs.shape[1])
    for k in range(len(halves)):
        half = halves[k]
        for c in range(n_outputs):
            products[c] = 0.0
        for t in range(len(half)):
            leverages[t] += half[t] * half[t]
            for c in range(n_outputs):
                products[c] += half[t] * outputs[t, c]
        for t in range(len(half)):
            for c in range(n_outputs):
                residuals[t, c] -= products[c] * half[t]


def left_out_squares(paths: Values, levers: Values, moves: Values, leverages: Values, residuals: Values) -> Values:
    """Return two sums over the samples and a minimum, for each of at most `WIDTH` neighbors.

    The residuals of a neighbor are `residuals` (output, sample) minus its moves (output, neighbor) times its path
    (sample, neighbor), and its leverages grow by its lever times its squared path. With e² the squared residuals
    of a sample over all outputs, and g what its leverage leaves of 1, these are the sums of e² / g² and of e⁴ / g⁴, and
    the least g.
    """
    sums = np.empty((3, len(levers)))
    _set_squares(paths, levers, moves, leverages, residuals, np.empty(6 * _APART), sums)
    return sums


@kernel
def _set_squares(
    paths: Values,
    levers: Values,
    moves: Values,
    leverages: Values,
    residuals: Values,
    work: Values,
    sums: Values,
) -> None:
    """Sum up, four samples at a time."""
    n_samples, n_neighbors, four = paths.shape[0], index(paths.shape[1]), index(4)
    for k in range(n_neighbors):
        work[k] = moves[0, k]
        work[k + index(_APART)] = 0.0
        work[k + index(2 * _APART)] = levers[k]
        work[k + index(3 * _APART)] = 0.0
        work[k + index(4 * _APART)] = 0.0
        work[k + index(5 * _APART)] = 1.0
    for c in range(len(moves)):
        for k in range(n_neighbors):
            work[k + index(_APART)] += moves[c, k] * moves[c, k]
    for start in range(index(0), index(n_samples), four):
        stop = min(start + four, index(n_samples))
        if len(moves) == 1 and stop - start == four:
            _add_four(paths, start, residuals[0], leverages, work)
            continue
        for t in range(start, stop):
            square = 0.0
            for k in range(n_neighbors):
                work[k] = 0.0
            for c in range(len(moves)):
                residual = residuals[c, t]
                square += residual * residual
                for k in range(n_neighbors):
                    work[k] += residual * moves[c, k]
            _add_several(paths, t, square, 1.0 - leverages[t], work)
    for i in range(3):
        for k in range(n_neighbors):
            sums[i, k] = work[k + index((i + 3) * _APART)]


# In both, built-in minima of floats and one division are what vectorizes; a comparison with a choice does not.


@inner
def _add_four(paths: Values, t: int, residuals: Values, leverages: Values, work: Values) -> None:
    """Add four samples of one output; work begins with the moves. One division for four costs less than four."""
    u, v, w = t + index(1), t + index(2), t + index(3)
    left_a, left_b, left_c, left_d = 1.0 - leverages[t], 1.0 - leverages[u], 1.0 - leverages[v], 1.0 - leverages[w]
    residual_a, residual_b, residual_c, residual_d = residuals[t], residuals[u], residuals[v], residuals[w]
    for k in range(index(paths.shape[1])):
        a, b, c, d = paths[t, k], paths[u, k], paths[v, k], paths[w, k]
        move, lever = work[k], work[k + index(2 * _APART)]
        rest_a, rest_b = left_a - lever * a * a, left_b - lever * b * b
        rest_c, rest_d = left_c - lever * c * c, left_d - lever * d * d
        first, last = rest_a * rest_b, rest_c * rest_d
        inverse = 1.0 / (first * last)
        first, last = inverse * last, inverse * first
        a, b = (residual_a - move * a) * (first * rest_b), (residual_b - move * b) * (first * rest_a)
        c, d = (residual_c - move * c) * (last * rest_d), (residual_d - move * d) * (last * rest_c)
        a, b, c, d = a * a, b * b, c * c, d * d
        work[k + index(3 * _APART)] += (a + b) + (c + d)
        work[k + index(4 * _APART)] += (a * a + b * b) + (c * c + d * d)
        least = min(min(rest_a, rest_b), min(rest_c, rest_d))
        work[k + index(5 * _APART)] = min(work[k + index(5 * _APART)], least)


@inner
def _add_several(paths: Values, t: int, whole: float, left: float, work: Values) -> None:
    """Add a sample of any outputs; work begins with the products of residuals and moves, and squared moves."""
    for k in range(index(paths.shape[1])):
        path = paths[t, k]
        rest = left - work[k + index(2 * _APART)] * path * path
        square = (whole + path * (work[k + index(_APART)] * path - 2.0 * work[k])) / (rest * rest)
        work[k + index(3 * _APART)] += square
        work[k + index(4 * _APART)] += square * square
        work[k + index(5 * _APART)] = min(work[k + index(5 * _APART)], rest)


@maker
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
    """Count the samples that each neighbor classifies correctly when left out, and tell which counts are certain."""
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
