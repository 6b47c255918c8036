"""The least logistic loss of one subset, by Newton's method from a point nearby, without a word from Python."""

from __future__ import annotations

import math

import numpy as np

from sweepless._typing import Values
from sweepless.kernels._jit import kernel, maker
from sweepless.kernels.factor import factorize, solve_transposed, solve_upper
from sweepless.kernels.linear.losses import LOGISTIC, derivatives, total_loss
from sweepless.kernels.linear.newton import combine, project, weighted_gram

_MOST_STEPS = 60
_CAUTIOUS = 2.0**-3  # a decrement above which a step must prove that it lowers the objective
_SHORTEST = 2.0**-30


@maker
def least_loss(
    rows: Values, target: Values, weights: Values, penalties: Values, start: Values, close: float
) -> tuple[float, float, float, float, float]:
    """Return the objective where its decrement is at most `close`, with what a proof needs to know.

    That is the decrement, the traces of the second derivatives and of their inverse there, and the largest output. The
    objective is infinite if no such point was found.

    Parameters
    ----------
    rows : array of shape (coefficients, samples)
    target, weights : array
    penalties : array
    start : array of shape (1, coefficients)
    close : float
    """
    size, n_samples = rows.shape
    samples = np.ascontiguousarray(rows.T)
    here = start.copy()
    outputs = combine(here, rows)
    slopes, curvatures = np.empty((1, n_samples)), np.empty(n_samples)
    matrix, trace, floor = np.empty((size, size)), 0.0, np.zeros(size)
    before, age = np.inf, -1  # how many steps ago second derivatives were taken; none yet
    objective = _objective(outputs, target, weights, penalties, here)
    for _ in range(_MOST_STEPS):
        derivatives(LOGISTIC, outputs, target, weights, slopes, curvatures)
        step = project(slopes, samples).reshape(size, 1)
        for k in range(size):
            step[k, 0] += penalties[k] * here[0, k]
        gradient = step.copy()
        while True:
            if age < 0:
                matrix = weighted_gram(samples, curvatures)
                trace, age = 0.0, 0
                for k in range(size):
                    matrix[k, k] += penalties[k]
                    trace += matrix[k, k]
                factorize(matrix, floor)
            step[:] = gradient
            solve_transposed(matrix, step)
            decrement = math.sqrt(np.sum(step * step))
            if age == 0 or (decrement > close and decrement <= before / 4.0):
                break
            age = -1  # too old to go on with, or to prove anything
        if not math.isfinite(decrement):
            break
        if decrement <= close:
            half = np.eye(size)
            solve_transposed(matrix, half)
            return objective, decrement, trace, np.sum(half * half), np.max(np.abs(outputs))
        solve_upper(matrix, step)
        origin, length = here.copy(), 1.0
        while True:
            for k in range(size):
                here[0, k] = origin[0, k] - length * step[k, 0]
            outputs = combine(here, rows)
            reached = _objective(outputs, target, weights, penalties, here)
            if decrement <= _CAUTIOUS or reached <= objective - 0.25 * length * decrement * decrement:
                break
            length /= 2.0
            if length < _SHORTEST:
                return np.inf, np.inf, np.inf, np.inf, np.inf
        objective, before, age = reached, decrement, age + 1
    return np.inf, np.inf, np.inf, np.inf, np.inf


@kernel
def _objective(outputs: Values, target: Values, weights: Values, penalties: Values, here: Values) -> float:
    penalty = 0.0
    for k in range(len(penalties)):
        penalty += penalties[k] * here[0, k] * here[0, k]
    return total_loss(LOGISTIC, outputs, target, weights) + penalty / 2.0
