"""What the neighbours of a fitted linear model share: its second derivatives and how far outputs move by them."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Values
from sweepless.criteria.linear.smooth_fit import Fit
from sweepless.kernels.linear.losses import softmax


class Base:
    """One fit as a point to start from.

    Parameters
    ----------
    fit : Fit
    tested : array of shape (coefficients, samples)
        The held-out values of its columns.

    Attributes
    ----------
    inverse, norm, breadth : array, float
        The inverse of the second derivatives, a bound on its norm, and one on how it acts on differences of outputs.
    spans, squares, trained_spans, trained_squares : array
        How far outputs move, squared, along a vector of length 1 in the norm of the second derivatives, and the squared
        length of every sample.
    widest, farthest : float
        The greatest of these.
    mixed : array of shape (outputs, outputs, samples)
        The second derivatives of every loss by two outputs.
    bends : array
        Their traces.
    reciprocals : array
        Those of the curvatures of one output without weights, or of the shares of several.
    """

    def __init__(self, fit: Fit, tested: Values) -> None:
        self.fit, self.tested, task = fit, tested, fit.task
        size = len(fit.factor)
        lower = np.linalg.inv(fit.factor * np.triu(np.ones((size, size)))) if size else np.empty((0, 0))
        self.inverse = lower @ lower.T
        self.norm = float(np.trace(self.inverse))
        self.breadth = fit.breadth if task.n_outputs > 1 else self.norm
        self.spans, self.squares = fit.spans(tested), np.sum(tested**2, axis=0)
        self.trained_spans, self.trained_squares = fit.spans(fit.trained), np.sum(fit.trained**2, axis=0)
        self.widest = float(np.max(self.trained_spans, initial=np.max(self.spans, initial=0.0)))
        self.farthest = float(np.max(self.trained_squares, initial=np.max(self.squares, initial=0.0)))
        self.largest = fit.largest
        if task.n_outputs == 1:
            self.mixed, self.bends = fit.curvatures[None, None], fit.curvatures
            with np.errstate(all="ignore"):  # a hinge may be flat
                self.reciprocals = task.weights / fit.curvatures
        else:
            shares = np.empty_like(fit.outputs)
            softmax(fit.outputs, shares)
            self.mixed = -task.weights * shares[:, None] * shares
            places = np.arange(task.n_outputs)
            self.mixed[places, places] += task.weights * shares
            self.bends = np.trace(self.mixed)
            with np.errstate(all="ignore"):  # a share may vanish
                self.reciprocals = 1.0 / shares
