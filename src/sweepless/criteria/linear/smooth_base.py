"""What the neighbors of fitted linear models share: second derivatives and how far outputs move by them."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Values
from sweepless.criteria.linear.smooth_fit import Fit
from sweepless.kernels.linear.losses import softmax
from sweepless.kernels.linear.products import as_table

_ROUNDING = 2.0**-46  # of products with an inverse, in units of its norm


class Base:
    """The fits of one or more tasks to the same features as points to start from.

    Parameters
    ----------
    fits : list of Fit
    tested : array of shape (coefficients, samples)
        The held-out values of their columns.

    Attributes
    ----------
    target, weights, coefficients, gradients, slopes, traces : array
        Those of the fits, the first axis for the task, as in all arrays but `squares`, `trained_squares` and
        `penalty_spans`.
    tables : tuple of arrays
        The columns of the training part, one per row, and its samples, one per row, with zeros at the end of rows.
    inverse, norm, breadth : array
        The inverse of the second derivatives, a bound on its norm, and one on how it acts on differences of outputs.
    spans, squares, trained_spans, trained_squares : array
        How far outputs move, squared, along a vector of length 1 in the norm of the second derivatives, and the squared
        length of every sample.
    roots : array
        The roots of `trained_spans`.
    widest, farthest : float
        The greatest of these spans and squares.
    nearest, near, rows, pulled, signs, missing, flatness : array
        The samples nearest to the bend of a hinge, as in `kernels.linear.crossings`.
    penalty_spans, penalty_widest : array, float
        How far outputs move along a vector of length 1 in the norm of the penalties, for a hinge.
    largest, entry : float
        The size of the numbers that slopes are made of, and the rounding error of an entry of the gradient for each
        unit of it.
    mixed : array of shape (tasks, outputs, outputs, samples)
        The second derivatives of every loss by two outputs.
    bends : array
        Their traces.
    reciprocals : array of shape (tasks, outputs, samples)
        Those of the curvatures of one output without weights, or of the shares of several.
    """

    def __init__(self, fits: list[Fit], tested: Values) -> None:
        self.fit, self.tested = fits[0], tested
        task, trained = self.fit.task, self.fit.trained
        self.tables = as_table(trained), as_table(trained.T)
        self.target = np.array([fit.task.target for fit in fits])
        self.weights = np.array([fit.task.weights for fit in fits])
        self.coefficients = np.array([fit.coefficients.reshape(-1) for fit in fits])
        self.gradients = np.array([fit.gradient.reshape(-1) for fit in fits])
        self.slopes = np.array([fit.slopes for fit in fits])
        self.traces = np.array([fit.trace for fit in fits])
        self.inverse = np.array([fit.half.T @ fit.half for fit in fits])
        self.norm = np.trace(self.inverse, axis1=1, axis2=2)
        self.breadth = np.array([fit.breadth for fit in fits]) if task.n_outputs > 1 else self.norm
        self.squares, self.trained_squares = np.sum(tested**2, axis=0), np.sum(trained**2, axis=0)
        spreads = np.array([fit.spread for fit in fits])
        self.spans = _spans(spreads, tested, self.squares)
        self.trained_spans = _spans(spreads, trained, self.trained_squares)
        self.roots = np.sqrt(self.trained_spans)
        self.widest = float(np.max(self.trained_spans, initial=np.max(self.spans, initial=0.0)))
        self.farthest = float(np.max(self.trained_squares, initial=np.max(self.squares, initial=0.0)))
        if not task.is_slow:
            signs = 2.0 * self.target - 1.0
            missing = 1.0 - signs * np.array([fit.outputs[0] for fit in fits])
            self.nearest = np.argsort(np.abs(missing), axis=1)
            self.near = self.fit.samples[self.nearest]
            self.rows = np.ascontiguousarray(self.near.swapaxes(1, 2))
            self.pulled = self.near @ self.inverse
            each = signs, missing, 0.5 / self.weights
            self.signs, self.missing, self.flatness = (np.take_along_axis(one, self.nearest, axis=1) for one in each)
            self.penalty_spans = self.fit.penalty_spans(tested)
            self.penalty_widest = float(np.max(self.fit.penalty_spans(trained), initial=np.max(self.penalty_spans)))
        self.largest = max(fit.largest for fit in fits)
        self.entry = 2.0**-50 * float(np.sqrt(np.max(np.sum(self.weights**2, axis=1))))
        if task.n_outputs == 1:
            self.bends = np.array([fit.curvatures for fit in fits])
            self.mixed = self.bends[:, None, None]
            with np.errstate(all="ignore"):  # a hinge may be flat
                self.reciprocals = (self.weights / self.bends)[:, None]
        else:
            (weights,), outputs = self.weights, self.fit.outputs
            shares = np.empty_like(outputs)
            softmax(outputs[None], shares[None])
            mixed = -weights * shares[:, None] * shares
            places = np.arange(task.n_outputs)
            mixed[places, places] += weights * shares
            self.mixed, self.bends = mixed[None], np.trace(mixed)[None]
            with np.errstate(all="ignore"):  # a share may vanish
                self.reciprocals = 1.0 / shares[None]

    def moves(self, slopes: Values) -> float:
        """Return how far a sum of held-out outputs times slopes moves along a vector of length 1, of a single task."""
        gradient = (slopes @ self.tested.T).reshape(-1)
        return float(np.sqrt(gradient @ self.inverse[0] @ gradient))


def _spans(spreads: Values, rows: Values, squares: Values) -> Values:
    found, traces = np.sum(rows * (spreads @ rows), axis=1), np.trace(spreads, axis1=1, axis2=2)
    return np.asarray(np.maximum(found, 0.0) + _ROUNDING * traces[:, None] * squares)


def lengths_of(matrices: Values) -> Values:
    """Return the roots of the sums of squares of some matrices."""
    return np.asarray(np.sqrt(np.einsum("ckl,ckl->c", matrices, matrices)))


def inverses_of(matrices: Values) -> Values:
    """Return the inverses of some symmetric matrices, NaN of those that have none."""
    if matrices.shape[1] == 1:
        return np.asarray(1.0 / matrices)
    try:
        return np.asarray(np.linalg.inv(matrices))
    except np.linalg.LinAlgError:
        is_regular = np.linalg.det(matrices) > 0.0
        found = np.full_like(matrices, np.nan)
        found[is_regular] = np.linalg.inv(matrices[is_regular])
        return found
