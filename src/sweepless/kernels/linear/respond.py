"""What the losses answer to the outputs of many neighbors of a fitted model."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Features, Values
from sweepless.kernels._jit import fma, in_wide_vectors, index, inner, inner_maker, kernel, maker
from sweepless.kernels.linear.losses import (
    LOGISTIC,
    SOFTMAX,
    SQUARED_HINGE,
    deviance,
    logistic,
    relative_powers,
    squared_hinge,
)
from sweepless.kernels.linear.products import multiply

# Bits of positive doubles are ordered like the numbers, and minima of integers vectorize.
_LARGEST, _LEAST = np.float64(np.inf).view(np.int64), np.int64(0)
LANES = 8
_BLOCK = 32  # outputs of all samples that are worked on while they are in the cache


@inner
def _logistic(row: Values, target: Values, weights: Values, inverse: Values, ratios: Values) -> None:
    low, high = _LARGEST, _LEAST
    for t in range(index(len(target))):
        first, second = logistic(row[t], target[t])
        row[t] = weights[t] * first
        bits = np.float64(second * inverse[t]).view(np.int64)
        low, high = min(low, bits), max(high, bits)
    ratios[0], ratios[1] = np.int64(low).view(np.float64), np.int64(high).view(np.float64)


@inner
def _deviance(loss: int, row: Values, target: Values, weights: Values, inverse: Values, ratios: Values) -> None:
    low, high = _LARGEST, _LEAST
    for t in range(index(len(target))):
        first, second = deviance(loss, row[t], target[t])
        row[t] = weights[t] * first
        bits = np.float64(second * inverse[t]).view(np.int64)
        low, high = min(low, bits), max(high, bits)
    ratios[0], ratios[1] = np.int64(low).view(np.float64), np.int64(high).view(np.float64)


@inner
def _squared_hinge(row: Values, target: Values, weights: Values) -> None:
    for t in range(index(len(target))):
        row[t] = weights[t] * squared_hinge(row[t], target[t])[0]


@inner_maker
def _softmax(lines: Values, target: Values, weights: Values, inverse: Values, ratios: Values, powers: Values) -> None:
    """Shares between l and h times those at the start have curvatures between l and h times theirs."""
    in_wide_vectors()
    total = relative_powers(lines, powers)  # not in place: such loops do not vectorize
    for t in range(index(len(total))):
        total[t] = 1.0 / total[t]
    low, high = _LARGEST, _LEAST
    for k in range(len(lines)):
        for t in range(index(len(target))):
            share = powers[k, t] * total[t]
            lines[k, t] = weights[t] * (share - (target[t] == k))
            bits = np.float64(share * inverse[k, t]).view(np.int64)
            low, high = min(low, bits), max(high, bits)
    ratios[0], ratios[1] = np.int64(low).view(np.float64), np.int64(high).view(np.float64)


@inner_maker
def long_dot(one: Values, two: Values, sums: Values) -> float:
    """Return a product of long vectors, in sums that do not wait for each other."""
    sums[:], rest = 0.0, 0.0
    whole = len(one) - len(one) % LANES
    for t in range(0, whole, LANES):
        for lane in range(index(LANES)):
            sums[lane] = fma(one[t + lane], two[t + lane], sums[lane])
    for t in range(whole, len(one)):
        rest += one[t] * two[t]
    return float(np.sum(sums) + rest)


@kernel
def add_scaled(outputs: Values, points: Values, columns: Values, left: Features) -> None:
    """Add to the outputs of every neighbor (outputs, samples) its column times its last coefficients, one for each."""
    own = points.shape[1] - outputs.shape[1]
    for c in range(len(left)):
        column = columns[left[c] % len(columns)]
        for k in range(outputs.shape[1]):
            scale, row = points[c, own + k], outputs[c, k]
            for t in range(len(row)):
                row[t] += scale * column[t]


@maker
def respond(
    loss: int,
    coefficients: Values,
    trained: Values,
    samples: Values,
    target: Values,
    weights: Values,
    inverse: Values,
    left: Features,
    columns: Values,
    points: Values,
    slopes: Values,
    products: Values,
    gradients: Values,
    ratios: Values,
) -> None:
    """Fill in the weighted first derivatives at the outputs of neighbors, and their products with all features.

    Parameters
    ----------
    loss : int
    coefficients : array of shape (left * outputs, members)
    trained, samples : array
        The members' values as tables: a feature per row, and a sample per row.
    target, weights : array of shape (tasks, samples)
    inverse : array of shape (tasks, outputs, samples)
        The reciprocals of the second derivatives, or of several outputs of the shares, at the start.
    left : array
        Which neighbors these are; all of the first task come first.
    columns : array of shape (candidates, samples)
        The features that enter; with no samples if features leave.
    points : array of shape (left, all coefficients)
        Last those of the features that enter.
    slopes : array of shape (left, outputs, as many as in a row of `trained`)
        Gets the derivatives.
    products : array of shape (left * outputs, as many as in a row of `samples`)
        Gets their products with the members.
    gradients : array of shape (left, all coefficients)
        Gets their products with the features that enter in its last places.
    ratios : array of shape (left, 2)
        Gets the least and the greatest ratio of second derivatives to those at the start; a hinge leaves it alone.
    """
    in_wide_vectors()
    n_outputs, own, enters = slopes.shape[1], points.shape[1] - slopes.shape[1], columns.shape[1] > 0
    sums, powers, rows = np.empty(LANES), np.empty(slopes.shape[1:]), slopes.reshape(-1, slopes.shape[2])
    n_abreast = max(_BLOCK // n_outputs, 1)
    for first in range(0, len(left), n_abreast):
        last = min(first + n_abreast, len(left))
        multiply(coefficients, first * n_outputs, last * n_outputs, trained, rows)
        for c in range(first, last):
            task = left[c] // len(columns)
            lines, column, y, w = slopes[c], columns[left[c] % len(columns)], target[task], weights[task]
            if enters:
                for k in range(n_outputs):
                    scale, row = points[c, own + k], lines[k]
                    for t in range(index(len(column))):
                        row[t] += scale * column[t]
            # One loop for each loss: with a choice inside, none would vectorize.
            if loss == SOFTMAX:
                _softmax(lines, y, w, inverse[task], ratios[c], powers)
            elif loss == LOGISTIC:
                _logistic(lines[0], y, w, inverse[task, 0], ratios[c])
            elif loss == SQUARED_HINGE:
                _squared_hinge(lines[0], y, w)
            else:
                _deviance(loss, lines[0], y, w, inverse[task, 0], ratios[c])
            if enters:
                for k in range(n_outputs):
                    gradients[c, own + k] = long_dot(column, lines[k], sums)
        multiply(rows, first * n_outputs, last * n_outputs, samples, products)
