"""Smooth convex losses of a linear output: value, first and second derivative, each loss a number for the compiler.

Logistic losses bend slowly: the logarithm of their curvature has a slope of at most 1, so that along an output that
moves by d the curvature changes by a factor of at most exp(d). So do the Poisson loss exp(z) - yz and the gamma loss
z + y exp(-z), half the deviances of a prediction exp(z) up to a constant. The curvature of the squared hinge jumps.
"""

from __future__ import annotations

import math

import numpy as np

from sweepless._typing import Values
from sweepless.kernels._jit import index, inner, kernel
from sweepless.kernels.elementary import exp_of

LOGISTIC, SQUARED_HINGE, SOFTMAX, POISSON, GAMMA = range(5)

# Bits of positive doubles are ordered like the numbers, and minima of integers vectorise.
_LARGEST, _LEAST = np.float64(np.inf).view(np.int64), np.int64(0)


@inner
def _logistic(z: float, y: float) -> tuple[float, float]:
    tail = exp_of(-abs(z))
    share = 1.0 / (1.0 + tail)
    return (share if z >= 0.0 else tail * share) - y, tail * share * share


@inner
def _squared_hinge(z: float, y: float) -> tuple[float, float]:
    sign = 2.0 * y - 1.0
    missing = max(1.0 - sign * z, 0.0)
    return -2.0 * sign * missing, 2.0 if missing > 0.0 else 0.0


@inner
def _power(z: float) -> float:
    tail = exp_of(-abs(z))
    return tail if z <= 0.0 else 1.0 / tail


@inner
def _deviance(loss: int, z: float, y: float) -> tuple[float, float]:
    if loss == POISSON:
        mean = _power(z)
        return mean - y, mean
    share = y * _power(-z)
    return 1.0 - share, share


@inner
def slopes(loss: int, z: float, y: float) -> tuple[float, float]:
    """Return the first and second derivative of a loss by one output; the target of classes is 0 or 1."""
    if loss == LOGISTIC:
        return _logistic(z, y)
    if loss == SQUARED_HINGE:
        return _squared_hinge(z, y)
    return _deviance(loss, z, y)


@inner
def value(loss: int, z: float, y: float) -> float:
    """Return a loss of one output."""
    if loss == LOGISTIC:
        return max(z, 0.0) - y * z + math.log1p(math.exp(-abs(z)))
    if loss == POISSON:
        return _power(z) - y * z
    if loss == GAMMA:
        return z + y * _power(-z)
    missing = max(1.0 - (2.0 * y - 1.0) * z, 0.0)
    return missing * missing


@kernel
def total_loss(loss: int, outputs: Values, target: Values, weights: Values) -> float:
    """Return the weighted sum of losses; outputs have one row each, the target of several is the number of a row."""
    total = 0.0
    for t in range(len(target)):
        if loss == SOFTMAX:
            largest = outputs[0, t]
            for k in range(len(outputs)):
                largest = max(largest, outputs[k, t])
            partition = 0.0
            for k in range(len(outputs)):
                partition += math.exp(outputs[k, t] - largest)
            total += weights[t] * (largest + math.log(partition) - outputs[int(target[t]), t])
        else:
            total += weights[t] * value(loss, outputs[0, t], target[t])
    return total


@kernel
def derivatives(loss: int, outputs: Values, target: Values, weights: Values, first: Values, second: Values) -> None:
    """Fill in the weighted derivatives by every output; the second ones of one output only."""
    if loss == SOFTMAX:
        _softmax(outputs, first)
        for t in range(len(target)):
            first[int(target[t]), t] -= 1.0
            for k in range(len(first)):
                first[k, t] *= weights[t]
        return
    for t in range(len(target)):
        a, b = slopes(loss, outputs[0, t], target[t])
        first[0, t] = weights[t] * a
        second[t] = weights[t] * b


@inner
def _softmax(outputs: Values, shares: Values) -> None:
    for t in range(outputs.shape[1]):
        largest = outputs[0, t]
        for k in range(len(outputs)):
            largest = max(largest, outputs[k, t])
        partition = 0.0
        for k in range(len(outputs)):
            shares[k, t] = exp_of(outputs[k, t] - largest)
            partition += shares[k, t]
        for k in range(len(outputs)):
            shares[k, t] /= partition


@kernel
def softmax(outputs: Values, shares: Values) -> None:
    """Fill in the share of every class (row) for every sample."""
    _softmax(outputs, shares)


@inner
def _respond_logistic(row: Values, target: Values, weights: Values, inverse: Values, ratios: Values) -> None:
    low, high = _LARGEST, _LEAST
    for t in range(index(len(target))):
        first, second = _logistic(row[t], target[t])
        row[t] = weights[t] * first
        bits = np.float64(second * inverse[t]).view(np.int64)
        low, high = min(low, bits), max(high, bits)
    ratios[0], ratios[1] = np.int64(low).view(np.float64), np.int64(high).view(np.float64)


@inner
def _respond_deviance(loss: int, row: Values, target: Values, weights: Values, inverse: Values, ratios: Values) -> None:
    low, high = _LARGEST, _LEAST
    for t in range(index(len(target))):
        first, second = _deviance(loss, row[t], target[t])
        row[t] = weights[t] * first
        bits = np.float64(second * inverse[t]).view(np.int64)
        low, high = min(low, bits), max(high, bits)
    ratios[0], ratios[1] = np.int64(low).view(np.float64), np.int64(high).view(np.float64)


@inner
def _respond_squared_hinge(row: Values, target: Values, weights: Values) -> None:
    for t in range(index(len(target))):
        row[t] = weights[t] * _squared_hinge(row[t], target[t])[0]


@kernel
def respond(loss: int, outputs: Values, target: Values, weights: Values, inverse: Values, ratios: Values) -> None:
    """Replace the outputs of many candidates (rows) by weighted first derivatives.

    `ratios` gets the least and the greatest ratio of each candidate's second derivatives to those whose reciprocals are
    in `inverse`; a hinge leaves it alone.
    """
    # One loop for each loss: with a choice inside, none would vectorise.
    if loss == LOGISTIC:
        for c in range(len(outputs)):
            _respond_logistic(outputs[c], target, weights, inverse, ratios[c])
    elif loss != SQUARED_HINGE:
        for c in range(len(outputs)):
            _respond_deviance(loss, outputs[c], target, weights, inverse, ratios[c])
    else:
        for c in range(len(outputs)):
            _respond_squared_hinge(outputs[c], target, weights)


@kernel
def respond_softmax(outputs: Values, target: Values, weights: Values, inverse: Values, ratios: Values) -> None:
    """Do the same for several outputs of each candidate, of the shape (candidates, outputs, samples).

    Shares between l and h times those whose reciprocals are in `inverse` have curvatures between l and h times theirs.
    """
    n_samples = len(target)
    top, total = np.empty(n_samples), np.empty(n_samples)
    for c in range(len(outputs)):
        lines = outputs[c]
        top[:], total[:] = lines[0], 0.0
        for k in range(1, len(lines)):
            for t in range(n_samples):
                top[t] = max(top[t], lines[k, t])
        for k in range(len(lines)):
            for t in range(n_samples):
                part = exp_of(lines[k, t] - top[t])
                lines[k, t] = part
                total[t] += part
        low, high = _LARGEST, _LEAST
        for k in range(len(lines)):
            for t in range(n_samples):
                share = lines[k, t] / total[t]
                lines[k, t] = weights[t] * (share - (target[t] == k))
                bits = np.float64(share * inverse[k, t]).view(np.int64)
                low, high = min(low, bits), max(high, bits)
        ratios[c, 0], ratios[c, 1] = np.int64(low).view(np.float64), np.int64(high).view(np.float64)


@kernel
def powers(outputs: Values) -> Values:
    """Return the exponentials of outputs, whatever their place in the table."""
    found = np.empty_like(outputs)
    for c in range(len(outputs)):
        for t in range(outputs.shape[1]):
            found[c, t] = _power(outputs[c, t])
    return found


@kernel
def add_scaled(outputs: Values, scales: Values, columns: Values) -> None:
    """Add to the outputs of every candidate, which follow each other, its column times a number for each of them."""
    n_outputs = scales.shape[1]
    for c in range(len(columns)):
        column = columns[c]
        for k in range(n_outputs):
            scale, row = scales[c, k], outputs[c * n_outputs + k]
            for t in range(len(row)):
                row[t] += scale * column[t]
