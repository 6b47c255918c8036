"""Smooth linear models written down plainly: losses by their formulas, optima by Newton's method with a solver."""

from __future__ import annotations

import numpy as np

LOSSES = {
    "logistic": (
        lambda z, y: np.logaddexp(0.0, z) - y * z,
        lambda z, y: _share(z) - y,
        lambda z, y: _share(z) * _share(-z),
    ),
    "squared_hinge": (
        lambda z, y: _missing(z, y) ** 2,
        lambda z, y: -2.0 * (2.0 * y - 1.0) * _missing(z, y),
        lambda z, y: 2.0 * (_missing(z, y) > 0.0),
    ),
    "poisson": (lambda z, y: np.exp(z) - y * z, lambda z, y: np.exp(z) - y, lambda z, y: np.exp(z)),
    "gamma": (lambda z, y: z + y * np.exp(-z), lambda z, y: 1.0 - y * np.exp(-z), lambda z, y: y * np.exp(-z)),
}
"""Value, first and second derivative of an output z and a target y."""


def _share(z):
    return 1.0 / (1.0 + np.exp(-z))


def _missing(z, y):
    return np.maximum(1.0 - (2.0 * y - 1.0) * z, 0.0)


def shares(outputs):
    """Return the softmax over the rows of the outputs."""
    powers = np.exp(outputs - outputs.max(axis=0))
    return powers / powers.sum(axis=0)


def optimum(loss, X, y, weights, penalties):
    """Return the coefficients of one output, by damped Newton steps."""
    value, first, second = LOSSES[loss]
    w = np.zeros(X.shape[1])

    def objective(w):
        return np.sum(weights * value(X @ w, y)) + np.sum(penalties * w**2) / 2.0

    for _ in range(200):
        gradient = X.T @ (weights * first(X @ w, y)) + penalties * w
        hessian = (X.T * (weights * second(X @ w, y))) @ X + np.diag(penalties)
        step = np.linalg.solve(hessian, gradient)
        length = 1.0
        while objective(w - length * step) > objective(w) + 1e-9 and length > 1e-12:
            length /= 2.0
        w = w - length * step
    return w


def approached(points, before, gradients, inverses):
    """Return where BFGS with one pair goes from points; `before` are the last points and gradients, or None."""
    ends = []
    for k, (point, gradient, inverse) in enumerate(zip(points, gradients, inverses, strict=True)):
        if before is not None:
            step, rise = point - before[0][k], gradient - before[1][k]
            left = np.eye(len(point)) - np.outer(step, rise) / (step @ rise)
            inverse = left @ inverse @ left.T + np.outer(step, step) / (step @ rise)
        ends.append(point - inverse @ gradient)
    return np.array(ends)


def hinge_distance(point, gradient, X, y, weights, start, inverse):
    """Bound how far a squared hinge is from its optimum, in the norm whose inverse is given: that of the start."""
    decrement = np.sqrt(gradient @ inverse @ gradient)
    sides, spans = 2.0 * y - 1.0, np.sum(X * (X @ inverse), axis=1)
    curved = 1.0 - sides * (X @ start) > 0.0
    stays = 1.0 - sides * (X @ point) > 2.0 * decrement * np.sqrt(spans)
    flat = X[curved & ~stays].T * (2.0 * weights[curved & ~stays]) @ X[curved & ~stays] @ inverse
    lost = np.trace(flat) if np.trace(flat) <= 0.5 else np.sqrt(np.trace(flat @ flat)) + 2.0**-10
    return decrement / (1.0 - lost) if lost <= 0.5 else np.inf


def huber_optimum(X, y, epsilon, penalties):
    """Return the coefficients and the scale of Huber regression, by damped Newton steps in both together."""
    z = np.append(np.zeros(X.shape[1]), np.median(np.abs(y)) + 1e-3 * np.ptp(y))

    def objective(z):
        if not z[-1] > 0.0:
            return np.inf
        u = np.abs(y - X @ z[:-1]) / z[-1]
        return (
            np.sum(z[-1] * (1.0 + np.where(u <= epsilon, u**2, 2.0 * epsilon * u - epsilon**2)))
            + penalties @ z[:-1] ** 2
        )

    for _ in range(300):
        u = (y - X @ z[:-1]) / z[-1]
        clipped, within = np.clip(u, -epsilon, epsilon), np.abs(u) <= epsilon
        gradient = np.append(-2.0 * X.T @ clipped + 2.0 * penalties * z[:-1], np.sum(1.0 - clipped**2))
        rows = np.column_stack([X, u])[within]
        hessian = 2.0 / z[-1] * rows.T @ rows + np.diag(2.0 * np.append(penalties, 0.0) + 1e-12)
        step, length = np.linalg.solve(hessian, gradient), 1.0
        while objective(z - length * step) > objective(z) and length > 1e-12:
            length /= 2.0
        z = z - length * step
    return z[:-1], z[-1]
