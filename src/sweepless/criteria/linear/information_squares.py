"""The likelihood of least squares, for a subset and for all its neighbors at once.

Let F be the least sum of squared residuals r and penalties. One feature x more lowers F by (x'r)² / sigma, one member
less raises it by b² / sigma, where b is its coefficient; sigma is the complement of `criteria.schur`. So a step over
all features takes two products with their columns. F may be a tiny share of the target's own square, and J is its
logarithm; therefore residuals are computed with twice the digits, and the coefficients may be a little off: F at any
point exceeds its minimum by the square of that point's distance from it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sweepless._typing import Features, Mask, Values
from sweepless.criteria.base import require_members
from sweepless.criteria.linear.kept_norms import KeptNorms
from sweepless.criteria.linear.members import MembersCursor
from sweepless.criteria.linear.targets import Targets
from sweepless.criteria.schur import Change, Factor
from sweepless.criteria.value_grid import snap, snap_all
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.kernels.factor import add_gram, factorize, solve_transposed, solve_upper
from sweepless.kernels.linear.newton import project
from sweepless.kernels.linear.residual import residual_of
from sweepless.kernels.linear.ridge import sum_of_squares

_LEAST_LEFT = 2.0**-40  # the share of the target that counts as left where nothing is
_ULP = 2.0**-52


class SquaresCursor(MembersCursor):
    """Keeps the least squares fit of the members and, if there are sweeps, the complements of all features.

    Parameters
    ----------
    data : Dataset
    alpha : float
        The penalty on squared coefficients.
    charge : callable
        What a subset of some size is charged for.
    """

    _kept: KeptNorms | None
    _fit: _Fit | None  # made when first asked for

    def __init__(self, data: Dataset, alpha: float, charge: Callable[[int], float]) -> None:
        self._target, self._charge = Targets(data, "r2").outputs[0], charge
        super().__init__(data, alpha)

    def evaluate(self, members: Features) -> float:
        columns, floors = self._scaled(require_members(members))
        upper, samples = np.zeros((len(columns), len(columns))), np.ascontiguousarray(columns.T)
        add_gram(samples, 0, len(samples), upper)
        np.fill_diagonal(upper, 1.0)
        factorize(upper, floors)
        weights = np.ascontiguousarray(project(self._target[None], samples).T)
        solve_transposed(upper, weights)
        solve_upper(upper, weights)
        left = _left(self._target, weights[:, 0], columns, floors)[1]
        return snap(float(_gain(left)), 1.0) - self._charge(len(columns))

    def _fitted(self) -> _Fit:
        if self._fit is None:
            self._fit = _Fit(Factor(self._matrix, self.data.n_samples), self._rows, self._floors, self._target)
        return self._fit

    @property
    def _factor(self) -> Factor:
        return self._fitted().factor

    def _moved(self) -> None:
        super()._moved()
        self._fit = None

    def _can_sweep(self) -> bool:
        return KeptNorms.fit_memory(self.n_features, self.data.n_samples)

    def _sweep(self) -> tuple[Values, Mask]:
        if self._kept is None:
            self._kept = KeptNorms(self.n_features, self.data.n_samples, lambda features: self._scaled(features)[0])
        fit = self._fitted()
        sigma, steps = self._kept.sweep(fit.factor, self._rows, fit.residual)
        return self._judged(fit, fit.factor.entering(sigma), steps, self._kept.drift)

    def _neighbors(self, direction: Direction, candidates: Features) -> tuple[Values, Mask]:
        fit = self._fitted()
        if direction.adds:
            columns, _ = self._scaled(candidates)
            return self._judged(fit, fit.factor.grow(self._rows @ columns.T), columns @ fit.residual, 0.0)
        places = np.searchsorted(self._features, candidates)
        return self._judged(fit, fit.factor.shrink(places), fit.weights[places], 0.0)

    def _judged(self, fit: _Fit, change: Change, steps: Values, drift: float) -> tuple[Values, Mask]:
        """Return values, and which of them their errors leave undecided.

        Parameters
        ----------
        steps : array
            The product of every candidate with the residual, or the coefficient of every member that leaves.
        drift : float
            A bound on the error that sigma has inherited.
        """
        sigma, reach, sizes = change.sigma, change.reach, np.abs(steps)
        with np.errstate(all="ignore"):
            gains = change.sign * steps**2 / sigma
            left = fit.left - gains
            # Of the product with the residual, or of the coefficient: by rounding, and as the fit is not the best.
            slips = _ULP * (np.sqrt(self.data.n_samples) + 4.0) * (fit.length + sizes) + reach * fit.slope
            errors = (2.0 * sizes + slips) * slips / sigma + fit.excess
            errors += np.abs(gains) * (fit.factor.spectral_noise * reach**2 + drift) / sigma
            # The fit from scratch may be off by noise, and so F by its square; all sums are rounded.
            after = fit.weight + reach * sizes / sigma
            errors += (fit.factor.spectral_noise * after) ** 2 * change.growth
            errors += _ULP * (np.sqrt(self.data.n_samples) + 8.0) * (fit.left + np.abs(left))
            share = change.guarded(errors) / np.maximum(left, _LEAST_LEFT)
            bounds = np.where(share < 0.25, share, np.inf) + 8.0 * _ULP * (1.0 + np.abs(np.log(fit.left)))
            values, undecided = snap_all(_gain(left), bounds, 1.0)
        return values - self._charge(len(self._features) + change.sign), undecided


class _Fit:
    """The least squares fit of the working subset."""

    def __init__(self, factor: Factor, rows: Values, floors: Values, target: Values) -> None:
        self.factor = factor
        self.weights = factor.solve((rows @ target)[:, None])[:, 0]
        for _ in range(2):  # once more, with the digits that the first solution has lost
            residual, _ = _left(target, self.weights, rows, floors)
            self.weights = self.weights + factor.solve((rows @ residual - floors * self.weights)[:, None])[:, 0]
        self.residual, self.left = _left(target, self.weights, rows, floors)
        self.length, self.weight = float(np.linalg.norm(self.residual)), float(np.linalg.norm(self.weights))
        slopes = rows @ self.residual - floors * self.weights
        entry = _ULP * (np.sqrt(len(target)) + 4.0) * (self.length + self.weight * float(np.max(floors, initial=0.0)))
        self.slope = float(np.linalg.norm(slopes)) + entry * np.sqrt(len(rows))
        self.excess = self.slope**2 * factor.norm


def _left(target: Values, weights: Values, rows: Values, floors: Values) -> tuple[Values, float]:
    """Return the residual, and what is left of the target: its squares and the penalties."""
    residual = residual_of(target, weights, rows)
    return residual, float(sum_of_squares(residual)) + float(sum_of_squares(np.sqrt(floors) * weights))


def _gain(left: Values | float) -> Values:
    """Return the likelihood gained per sample where so much of the target's square is left."""
    return np.asarray(-0.5 * np.log(np.maximum(left, _LEAST_LEFT)))
