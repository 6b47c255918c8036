"""Sweeps over the columns of all features: products with some vectors, and leave-one-out ridge regression.

For the latter, the paths of all features are brought up to date and valued in one go.

Features are in tiles of eight (tile, sample, feature), which come in order from memory and fill one vector per sample.
Samples are the inner loop, so that the sums of a tile stay in registers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sweepless._typing import Values
from sweepless.kernels._jit import index, inner, kernel
from sweepless.kernels._lanes import DOUBLES, every, lesser, load, muladd, over, prefetch, store, times

LANES = DOUBLES
"""How many features are in a tile."""


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

    Every pending change of the fit subtracts a scale times vv' from the matrix that makes paths of columns.
    """
    if not len(vectors):  # the kernel takes one at least
        vectors, scales = np.zeros((1, len(leverages))), np.zeros(1)
    left = np.concatenate((residuals, vectors))
    steps, sums = np.empty((len(columns), len(residuals), LANES)), np.empty((len(columns), 3, LANES))
    _sweep(columns, paths, sigma, left, scales, leverages, np.empty((len(left) + 2, LANES)), steps, sums)
    return steps, sums


def multiply_tiles(columns: Values, left: Values) -> Values:
    """Return the products of some vectors with all columns (tile, vector, feature); two vectors share one reading."""
    products = np.empty((len(columns), len(left), LANES))
    _multiply_all(columns, left, products)
    return products


@kernel
def _multiply_all(columns: Values, left: Values, products: Values) -> None:
    n_left = len(left)
    for i in range(len(columns)):
        for c in range(0, n_left, 2):
            _multiply(columns[i], left, index(c), index(min(c + 1, n_left - 1)), products[i])


@kernel
def _sweep(
    columns: Values,
    paths: Values,
    sigma: Values,
    left: Values,
    scales: Values,
    leverages: Values,
    work: Values,
    steps: Values,
    sums: Values,
) -> None:
    """Sweep tile by tile; `left` are residuals, then vectors.

    The rows of `work` are minus moves by residuals, minus shifts by vectors, minus levers, and squared moves.
    """
    n_outputs, n_left, first = steps.shape[1], len(left), index(0)
    for i in range(len(columns)):
        for c in range(0, n_left, 2):
            _multiply(columns[i], left, index(c), index(min(c + 1, n_left - 1)), work)
        for c in range(n_outputs, n_left):
            scale = scales[c - n_outputs]
            for k in range(LANES):
                sigma[i, k] -= scale * work[c, k] * work[c, k]
                work[c, k] *= -scale
        for k in range(LANES):
            lever = 1.0 / sigma[i, k]
            work[n_left, k], work[n_left + 1, k] = -lever, 0.0
            for c in range(n_outputs):
                steps[i, c, k] = work[c, k]
                work[c, k] *= -lever
                work[n_left + 1, k] += work[c, k] * work[c, k]
        for c in range(n_outputs, n_left - 1):
            for t in range(index(len(leverages))):
                store(paths[i], t, first, _moved(paths[i], t, left[c], load(work, index(c), first)))
        ahead = min(i + 1, len(columns) - 1)
        _value(paths[i], columns[ahead], paths[ahead], left, leverages, work, n_outputs, sums[i])


@inner
def _multiply(tile: Values, left: Values, one: int, two: int, products: Values) -> None:
    """Multiply two rows on the left with a tile, by two sums each: a sum has to wait for itself."""
    zero, first = every(0.0), index(0)
    a, b, c, d = zero, zero, zero, zero
    n_samples = index(len(tile))
    whole = n_samples - n_samples % index(2)
    for t in range(first, whole, index(2)):
        u = t + index(1)
        even, odd = load(tile, t, first), load(tile, u, first)
        a, b = muladd(every(left[one, t]), even, a), muladd(every(left[one, u]), odd, b)
        c, d = muladd(every(left[two, t]), even, c), muladd(every(left[two, u]), odd, d)
    for t in range(whole, n_samples):
        last = load(tile, t, first)
        a, c = muladd(every(left[one, t]), last, a), muladd(every(left[two, t]), last, c)
    store(products, one, first, muladd(every(1.0), a, b))
    store(products, two, first, muladd(every(1.0), c, d))


@inner
def _moved(tile: Values, t: int, vector: Values, shift: Any) -> Any:
    """Return one sample of the paths of a tile, moved along a vector."""
    return muladd(every(vector[t]), shift, load(tile, t, index(0)))


@inner
def _value(
    tile: Values,
    next_columns: Values,
    next_paths: Values,
    left: Values,
    leverages: Values,
    work: Values,
    n_outputs: int,
    sums: Values,
) -> None:
    """Move the paths of a tile along the last vector, and sum up over the samples as `left_out_squares` does.

    What comes next is fetched on the way: here is much work and little to read.
    """
    first, n_left, n_samples = index(0), index(len(left)), index(len(leverages))
    press, fourth, least, one = every(0.0), every(0.0), every(1.0), every(1.0)
    move, lever, square = load(work, first, first), load(work, n_left, first), load(work, n_left + index(1), first)
    vector, shift = left[n_left - index(1)], load(work, n_left - index(1), first)
    whole = n_samples - n_samples % index(4) if n_outputs == 1 else first
    for t in range(first, whole, index(4)):  # one division for four costs less than four
        u, v, w = t + index(1), t + index(2), t + index(3)
        a, b = _moved(tile, t, vector, shift), _moved(tile, u, vector, shift)
        c, d = _moved(tile, v, vector, shift), _moved(tile, w, vector, shift)
        for k in range(index(4)):
            prefetch(next_columns, t + k, first)
            prefetch(next_paths, t + k, first)
        store(tile, t, first, a)
        store(tile, u, first, b)
        store(tile, v, first, c)
        store(tile, w, first, d)
        rest_a = muladd(times(lever, a), a, every(1.0 - leverages[t]))
        rest_b = muladd(times(lever, b), b, every(1.0 - leverages[u]))
        rest_c = muladd(times(lever, c), c, every(1.0 - leverages[v]))
        rest_d = muladd(times(lever, d), d, every(1.0 - leverages[w]))
        low, high = times(rest_a, rest_b), times(rest_c, rest_d)
        inverse = over(one, times(low, high))
        low, high = times(inverse, high), times(inverse, low)
        a = times(muladd(move, a, every(left[first, t])), times(low, rest_b))
        b = times(muladd(move, b, every(left[first, u])), times(low, rest_a))
        c = times(muladd(move, c, every(left[first, v])), times(high, rest_d))
        d = times(muladd(move, d, every(left[first, w])), times(high, rest_c))
        a, b, c, d = times(a, a), times(b, b), times(c, c), times(d, d)
        press = muladd(one, muladd(one, muladd(one, a, b), muladd(one, c, d)), press)
        fourth = muladd(a, a, muladd(b, b, muladd(c, c, muladd(d, d, fourth))))
        least = lesser(lesser(lesser(rest_a, rest_b), lesser(rest_c, rest_d)), least)
    for t in range(whole, n_samples):
        path, along, total = _moved(tile, t, vector, shift), every(0.0), 0.0
        store(tile, t, first, path)
        for output in range(index(n_outputs)):
            residual = left[output, t]
            total += residual * residual
            along = muladd(every(residual), load(work, output, first), along)
        rest = muladd(times(lever, path), path, every(1.0 - leverages[t]))
        error = muladd(path, muladd(square, path, muladd(one, along, along)), every(total))
        error = over(error, times(rest, rest))
        press, fourth, least = muladd(one, error, press), muladd(error, error, fourth), lesser(rest, least)
    store(sums, first, first, press)
    store(sums, index(1), first, fourth)
    store(sums, index(2), first, least)
