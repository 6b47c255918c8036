"""Smooth convex losses of a linear output: value, first and second derivative, each loss a number for the compiler.

Logistic losses bend slowly: the logarithm of their curvature has a slope of at most 1, so that along an output that
moves by d the curvature changes by a factor of at most exp(d). So do the Poisson loss exp(z) - yz and the gamma loss
z + y exp(-z), half the deviances of a prediction exp(z) up to a constant. The curvature of the squared hinge jumps.
"""

from __future__ import annotations

import math

import numpy as np

from sweepless._typing import Values
from sweepless.kernels._jit import in_wide_vectors, index, inner, inner_maker, kernel, maker
from sweepless.kernels.elementary import exp_of

LOGISTIC, SQUARED_HINGE, SOFTMAX, POISSON, GAMMA = range(5)


@inner
def logistic(z: float, y: float) -> tuple[float, float]:
    tail = exp_of(-abs(z))
    share = 1.0 / (1.0 + tail)
    return (share if z >= 0.0 else tail * share) - y, tail * share * share


@inner
def squared_hinge(z: float, y: float) -> tuple[float, float]:
    sign = 2.0 * y - 1.0
    missing = max(1.0 - sign * z, 0.0)
    return -2.0 * sign * missing, 2.0 if missing > 0.0 else 0.0


@inner
def _power(z: float) -> float:
    tail = exp_of(-abs(z))
    return tail if z <= 0.0 else 1.0 / tail


@inner
def deviance(loss: int, z: float, y: float) -> tuple[float, float]:
    if loss == POISSON:
        mean = _power(z)
        return mean - y, mean
    share = y * _power(-z)
    return 1.0 - share, share


@inner
def slopes(loss: int, z: float, y: float) -> tuple[float, float]:
    """Return the first and second derivative of a loss by one output; the target of classes is 0 or 1."""
    if loss == LOGISTIC:
        return logistic(z, y)
    if loss == SQUARED_HINGE:
        return squared_hinge(z, y)
    return deviance(loss, z, y)


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


@maker
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


@inner_maker
def relative_powers(outputs: Values, powers: Values) -> Values:
    """Fill in the exponentials of outputs (rows) over that of the largest of every sample; return their sums."""
    in_wide_vectors()
    n_samples = outputs.shape[1]
    top, total = outputs[0].copy(), np.zeros(n_samples)
    for k in range(1, len(outputs)):
        for t in range(index(n_samples)):
            top[t] = max(top[t], outputs[k, t])
    for k in range(len(outputs)):
        for t in range(index(n_samples)):
            power = exp_of(outputs[k, t] - top[t])
            powers[k, t] = power
            total[t] += power
    return total


@inner_maker
def _softmax(outputs: Values, shares: Values) -> None:
    total = relative_powers(outputs, shares)
    for k in range(len(outputs)):
        for t in range(len(total)):
            shares[k, t] /= total[t]


@maker
def softmax(outputs: Values, shares: Values) -> None:
    """Fill in the share of every class (row) for every sample, of many candidates."""
    for c in range(len(outputs)):
        _softmax(outputs[c], shares[c])


@maker
def powers(outputs: Values) -> Values:
    """Return the exponentials of outputs, whatever their place in the table."""
    found = np.empty_like(outputs)
    for c in range(len(outputs)):
        for t in range(outputs.shape[1]):
            found[c, t] = _power(outputs[c, t])
    return found
