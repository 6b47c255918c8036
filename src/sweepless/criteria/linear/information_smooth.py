"""The likelihood of logistic regression, for a subset and for its neighbors.

J is made of the least sum F of losses and penalties. A point at a distance d from the optimum exceeds it by at most
half of d² times how much second derivatives may have grown, so F has twice the digits of the point.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np

from sweepless._typing import Features, Mask, Values
from sweepless.criteria.base import require_members
from sweepless.criteria.linear.smooth_cursor import LinearModelCursor, Scales
from sweepless.criteria.linear.smooth_fit import LARGEST_ROUNDING, ROUNDING, TINY, Fit, Task
from sweepless.criteria.linear.smooth_neighbors import Neighbors
from sweepless.criteria.linear.smooth_part import Part
from sweepless.criteria.schur import MomentTable
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.kernels.linear.least_loss import least_loss
from sweepless.kernels.linear.losses import LOGISTIC, SOFTMAX, total_loss

_ROUNDING = 2.0**-46  # of outputs and mean losses
_CLOSE = 2.0**-20  # a decrement whose square is less than rounding


class WholePart(Part):
    """All samples, valued by the likelihood that they gain over no features at all, per sample."""

    close = 0.0  # score tests are values
    enough = 2.0**-33  # an error that crosses a boundary of the grid in one of a hundred cases
    refits_soon = True  # nearly separated classes change their curvatures with every feature
    _most_steps = 5

    def __init__(self, data: Dataset) -> None:
        rows = np.arange(data.n_samples)
        present, codes, sizes = np.unique(data.codes, return_inverse=True, return_counts=True)
        n_outputs = 1 if len(present) == 2 else len(present)
        task = Task(LOGISTIC if n_outputs == 1 else SOFTMAX, codes.astype(np.float64), np.ones(len(rows)), n_outputs)
        super().__init__(_FREE_INTERCEPT, [task], rows, rows[:0])
        shares = sizes / len(rows)
        self._alone = -float(np.sum(shares * np.log(shares)))

    def _tested(self, rows: Values) -> Values:
        return rows

    def _settled(self, fits: list[Fit], tested: Values) -> float:
        (fit,) = fits
        return float(self._alone - fit.objective() / tested.shape[1])

    def _wanted(self, batch: Neighbors, columns: Values | None) -> Values:
        # Half of the square of a distance is its excess, where curvatures are at most doubled.
        return np.full(len(batch.distances), np.sqrt(self.enough * len(self._task.target)))

    def _judged(
        self, batch: Neighbors, some: Features, columns: Values | None, places: Features
    ) -> tuple[Values, Values]:
        n_samples, outputs = len(self._task.target), batch.tested(some, columns)
        task, penalties = self._task, batch.penalty(some)
        losses = np.array([total_loss(task.loss, each, task.target, task.weights) for each in outputs]) + penalties
        excess = (batch.distances[some] + 2.0 * TINY) ** 2 * batch.swelling[some] / 2.0
        rounding = _ROUNDING * (1.0 + np.max(np.abs(outputs), axis=(1, 2)))
        return self._alone - losses / n_samples, np.nan_to_num(excess / n_samples + rounding, nan=np.inf)

    def _refit(self, column: Values | None, penalty: float, place: int, starts: list[Values]) -> tuple[float, float]:
        task, n_samples = self._task, len(self._task.target)
        if task.n_outputs > 1:
            return super()._refit(column, penalty, place, starts)
        here = np.append(self.fits[0].coefficients, np.zeros((1, int(column is not None))), axis=1)
        rows, penalties, (start,) = self._changed(column, penalty, place, [here])
        least, decrement, trace, inverse, largest = least_loss(
            rows, task.target, task.weights, penalties, start, _CLOSE
        )
        # As in `Fit`, but leaving no doubt that a fit from scratch has a value.
        noise = 2.0**-50 * (1.0 + largest) * np.sqrt(n_samples * inverse)
        reach = np.sqrt(inverse * float(np.max(np.sum(rows**2, axis=0))))
        is_sound = ROUNDING * trace * inverse < LARGEST_ROUNDING / 8.0 and reach * noise < 2.0**-12
        if not (is_sound and reach * decrement < 0.25):
            return np.nan, np.inf
        return self._alone - least / n_samples, (decrement + noise) ** 2 / n_samples + _ROUNDING * (1.0 + largest)

    def _judged_alone(self, fits: list[Fit], tested: Values) -> tuple[float, float]:
        (fit,) = fits
        rounding = _ROUNDING * (1.0 + float(np.max(np.abs(fit.outputs))))
        return self._settled(fits, tested), 4.0 * fit.error**2 / tested.shape[1] + rounding


_FREE_INTERCEPT = SimpleNamespace(fit_intercept=True, intercept_scaling=np.inf, C=1.0)


class EvenScales(Scales):
    """Penalizes all features alike, whatever their units."""

    def __init__(self, alpha: float, moments: MomentTable) -> None:
        super().__init__(1.0, True, moments)
        self._alpha = alpha

    def of(self, features: Features, columns: Values) -> tuple[Values, Values]:
        return super().of(features, columns)[0], np.full(len(features), self._alpha)


class LikelihoodCursor(LinearModelCursor):
    """Keeps the optimum of the working subset on all samples.

    Parameters
    ----------
    data : Dataset
    alpha : float
        The penalty on squared coefficients of standardized features.
    charge : callable
        What a subset of some size is charged for.
    """

    def __init__(self, data: Dataset, alpha: float, charge: Callable[[int], float]) -> None:
        self._alpha, self._charge, self._part = alpha, charge, WholePart(data)
        super().__init__(data, [self._part], EvenScales(alpha, MomentTable(data.n_features)), 1.0)

    def evaluate(self, members: Features) -> float:
        members = require_members(members)
        return super().evaluate(members) - self._charge(len(members))

    def _neighbors(self, direction: Direction, candidates: Features) -> tuple[Values, Mask]:
        values, undecided = super()._neighbors(direction, candidates)
        return values - self._charge(len(self._features) + direction.sign), undecided


def require_two_classes(data: Dataset) -> None:
    """Raise unless there are samples of two classes or more."""
    data.require_classes()
    data.require_variation()
