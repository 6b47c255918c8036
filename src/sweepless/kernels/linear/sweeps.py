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
from sweepless.kernels._lanes import DOUBLES, aligned, every, lesser, load, muladd, over, prefetch, store, times

LANES = DOUBLES
"""How many features are in a tile."""
_SOON = 64  # samples are fetched so many turns before their own


def sweep_paths(
    columns: Values,
    paths: Values,
    sigma: Values,
    vectors: Values,
    scales: Values,
    leverages: Values,
    residuals: Values,
) -> tuple[Values, Values]:
    """Bring the paths and the sigma of all features up to date, and return their steps and three numbers of each.

    Every pending change of the fit subtracts a scale times vv' from the matrix that makes paths of columns. The numbers
    are those of `left_out_squares`, but the second is only a bound: from the sum itself to four times as much.
    """
    n_none = 1 - len(vectors) % 2  # the kernel takes one, and others two by two
    left = np.concatenate((residuals, np.zeros((n_none, len(leverages))), vectors))
    work, products = aligned(len(left) + 2, LANES, np.float64), aligned(len(left), LANES, np.float64)
    steps, sums = np.empty((len(columns), len(residuals), LANES)), np.empty((len(columns), 3, LANES))
    scales = np.concatenate((np.zeros(n_none), scales))
    _sweep(columns, paths, sigma, left, scales, 1.0 - leverages, work, products, steps, sums)
    return steps, sums


def tiles_of(n_features: int, n_samples: int) -> Values:
    """Return room for the values of features, in tiles; zeros fill up the last one."""
    n_tiles = -(-n_features // LANES)
    found = aligned(n_tiles * n_samples, LANES, np.float64).reshape(n_tiles, n_samples, LANES)
    found[-1] = 0.0
    return np.asarray(found)


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
    rests: Values,
    work: Values,
    products: Values,
    steps: Values,
    sums: Values,
) -> None:
    """Sweep tile by tile; `left` are residuals, then vectors, and `rests` what leverages leave of 1.

    The rows of `work` are minus moves by residuals, minus shifts by vectors, minus levers, and squared moves. A tile is
    valued while the columns of the next one are multiplied, by the first row and the last: much work, little to read.
    """
    n_outputs, n_left, first = steps.shape[1], len(left), index(0)
    for c in range(0, n_left, 2):
        _multiply(columns[0], left, index(c), index(min(c + 1, n_left - 1)), products)
    for i in range(len(columns)):
        for c in range(n_outputs, n_left):
            scale = scales[c - n_outputs]
            for k in range(LANES):
                sigma[i, k] -= scale * products[c, k] * products[c, k]
                work[c, k] = -scale * products[c, k]
        for k in range(LANES):
            lever = 1.0 / sigma[i, k]
            work[n_left, k], work[n_left + 1, k] = -lever, 0.0
            for c in range(n_outputs):
                steps[i, c, k] = products[c, k]
                work[c, k] = -lever * products[c, k]
                work[n_left + 1, k] += work[c, k] * work[c, k]
        for c in range(n_outputs, n_left - 1, 2):
            shift, other = load(work, index(c), first), load(work, index(c + 1), first)
            for t in range(index(len(rests))):
                moved = muladd(every(left[c, t]), shift, load(paths[i], t, first))
                store(paths[i], t, first, muladd(every(left[c + 1, t]), other, moved))
        ahead = columns[min(i + 1, len(columns) - 1)]
        for c in range(1, n_left - 1, 2):
            _multiply(ahead, left, index(c), index(min(c + 1, n_left - 2)), products)
        _value(paths[i], ahead, left, rests, work, n_outputs, products, sums[i])


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
def _value(
    tile: Values,
    ahead: Values,
    left: Values,
    rests: Values,
    work: Values,
    n_outputs: int,
    products: Values,
    sums: Values,
) -> None:
    """Move the paths of a tile along the last vector, sum up over the samples, and multiply the columns ahead."""
    first, n_left, n_samples = index(0), index(len(left)), index(len(rests))
    press, fourth, least, one = every(0.0), every(0.0), every(1.0), every(1.0)
    move, lever, square = load(work, first, first), load(work, n_left, first), load(work, n_left + index(1), first)
    last = n_left - index(1)
    shift, begin, end = load(work, last, first), every(0.0), every(0.0)
    soon = index(_SOON) if n_left == index(2) else n_samples  # other rows read the whole of the next tiles first
    whole = n_samples - n_samples % index(4) if n_outputs == 1 else first
    for t in range(first, whole, index(4)):  # one division for four costs less than four
        u, v, w = t + index(1), t + index(2), t + index(3)
        for k in range(t, t + index(4)):
            prefetch(ahead, k + soon, first)
            prefetch(tile, k + soon, first)
            begin = muladd(every(left[first, k]), load(ahead, k, first), begin)
            end = muladd(every(left[last, k]), load(ahead, k, first), end)
        a, b = _moved(tile, t, left[last], shift), _moved(tile, u, left[last], shift)
        c, d = _moved(tile, v, left[last], shift), _moved(tile, w, left[last], shift)
        rest_a = muladd(times(lever, a), a, every(rests[t]))
        rest_b = muladd(times(lever, b), b, every(rests[u]))
        rest_c = muladd(times(lever, c), c, every(rests[v]))
        rest_d = muladd(times(lever, d), d, every(rests[w]))
        least = lesser(lesser(lesser(rest_a, rest_b), lesser(rest_c, rest_d)), least)
        low, high = times(rest_a, rest_b), times(rest_c, rest_d)
        a = times(muladd(move, a, every(left[first, t])), rest_b)
        b = times(muladd(move, b, every(left[first, u])), rest_a)
        c = times(muladd(move, c, every(left[first, v])), rest_d)
        d = times(muladd(move, d, every(left[first, w])), rest_c)
        a, c, both = muladd(a, a, times(b, b)), muladd(c, c, times(d, d)), times(low, high)
        error = over(muladd(a, times(high, high), times(c, times(low, low))), times(both, both))
        press, fourth = muladd(one, error, press), muladd(error, error, fourth)
    for t in range(whole, n_samples):
        prefetch(ahead, t + soon, first)
        prefetch(tile, t + soon, first)
        begin = muladd(every(left[first, t]), load(ahead, t, first), begin)
        end = muladd(every(left[last, t]), load(ahead, t, first), end)
        path, along, total = _moved(tile, t, left[last], shift), every(0.0), 0.0
        for output in range(index(n_outputs)):
            residual = left[output, t]
            total += residual * residual
            along = muladd(every(residual), load(work, output, first), along)
        rest = muladd(times(lever, path), path, every(rests[t]))
        error = muladd(path, muladd(square, path, muladd(one, along, along)), every(total))
        error = over(error, times(rest, rest))
        press, fourth, least = muladd(one, error, press), muladd(error, error, fourth), lesser(rest, least)
    store(products, first, first, begin)
    store(products, last, first, end)
    store(sums, first, first, press)
    store(sums, index(1), first, fourth)
    store(sums, index(2), first, least)


@inner
def _moved(tile: Values, t: int, vector: Values, shift: Any) -> Any:
    """Move one sample of the paths of a tile along a vector."""
    moved = muladd(every(vector[t]), shift, load(tile, t, index(0)))
    store(tile, t, index(0), moved)
    return moved
