"""Leave-one-out ridge regression in closed form, for a subset and for all its neighbours at once.

Without sample i the residual is e_i / (1 - h_i), where e is the residual and h the leverage of the fit to all samples
(PRESS). One feature more or less moves the fit along one vector u: e changes by -+ u (u'y) / sigma, h by ± u² / sigma.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import Features, Mask, Values
from sweepless.criteria.base import Cursor, require_members
from sweepless.criteria.linear.targets import Targets, winners
from sweepless.criteria.schur import Factor, MomentTable, bordered, fit_errors, leverage_errors
from sweepless.criteria.value_grid import snap, snap_all
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.kernels.linear.left_out import WIDTH, left_out_correct, left_out_residuals, left_out_squares
from sweepless.kernels.linear.ridge import scaled, sum_of_squares

TINY_PENALTY = 2.0**-40
"""The share of its own square that penalizes every feature, so that least squares always has one solution."""

# Stands for 1 - h where a sample determines its own fit and only rounding is left of the difference.
_LEAST_REST = 2.0**-45


class LeaveOneOutCursor(Cursor):
    """Keeps the members' columns and their products; every product is computed once, so nothing drifts."""

    _features: Features
    _rows: Values  # a feature per row
    _products: Values
    _fit: _Fit | None  # made when first asked for

    def __init__(self, data: Dataset, targets: Targets, alpha: float) -> None:
        super().__init__(data)
        self._targets, self._alpha = targets, alpha
        outputs = targets.outputs
        self._centered = outputs - outputs.mean(axis=1, keepdims=True) if targets.counts else outputs
        self._target_norm = float(np.sqrt(np.sum(self._centered**2)))
        self._moments = MomentTable(data.n_features)
        self._clear()

    def evaluate(self, members: Features) -> float:
        columns, floors = self._scaled(require_members(members))
        residuals = left_out_residuals(columns, self._centered, floors, _LEAST_REST)
        if self._targets.counts:
            right = winners(self._targets.outputs - residuals) == self._targets.truth
            return int(np.count_nonzero(right)) / self.data.n_samples
        return snap(self._targets.best - float(sum_of_squares(residuals.ravel())) * self._scale, self._targets.unit)

    @property
    def _scale(self) -> float:
        """What a squared error is worth."""
        return self._targets.square / self.data.n_samples if self._targets.score == "mse" else 1.0

    def _scaled(self, features: Features) -> tuple[Values, Values]:
        """Return centred columns, and the least that a squared pivot can be: the penalty alone.

        The columns are scaled so that squared norm and penalty sum to 1; a constant becomes zeros.
        """
        columns = self.data.columns(features)
        found = self._moments.of(features, columns)
        norms = found[:, 2]
        with np.errstate(all="ignore"):
            relative = np.where(norms > 0.0, self._alpha / norms / norms, 0.0)
            penalties = np.minimum(relative, 2.0**200) + TINY_PENALTY
            scales = 1.0 / norms / np.sqrt(1.0 + penalties)
        floors = np.where(norms > 0.0, penalties / (1.0 + penalties), 1.0)
        return scaled(columns, found, np.where(np.isfinite(scales), scales, 0.0)), floors

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        if self._fit is None:
            self._fit = _Fit(self._rows, self._products, self._centered)
        values, undecided = np.empty(len(candidates)), np.empty(len(candidates), dtype=np.bool_)
        for start in range(0, len(candidates), WIDTH):
            part = slice(start, start + WIDTH)
            values[part], undecided[part] = self._neighbors(self._fit, direction, candidates[part])
        return self._settled(values, undecided, direction, candidates)

    def _neighbors(self, fit: _Fit, direction: Direction, candidates: Features) -> tuple[Values, Mask]:
        """Return the values of neighbours, and which of them have to be computed from scratch."""
        if direction.adds:
            columns, _ = self._scaled(candidates)
            change = fit.factor.grow(self._rows @ columns.T)
            paths = np.subtract(columns.T, self._rows.T @ change.columns, order="C")
        else:
            change = fit.factor.shrink(np.searchsorted(self._features, candidates))
            paths = self._rows.T @ change.columns
        steps = self._centered @ paths
        lengths = np.sqrt(np.sum(steps**2, axis=0))
        errors = fit_errors(fit.factor, change, lengths, np.sqrt(change.sigma), 1.0, fit.weight, self._target_norm)
        doubts = leverage_errors(fit.factor, change)
        if self._targets.counts:
            correct, is_sure = left_out_correct(
                paths,
                change.sigma,
                steps,
                change.sign,
                fit.leverages,
                fit.residuals,
                self._targets.outputs,
                self._targets.truth,
                errors,
                doubts,
            )
            return correct / self.data.n_samples, ~is_sure
        levers = change.sign / change.sigma
        sums = left_out_squares(paths, levers, steps * levers, fit.leverages, fit.residuals)
        bounds = _press_errors(sums, errors, doubts, len(steps) + np.sqrt(len(paths)))
        return snap_all(self._targets.best - sums[0] * self._scale, bounds * self._scale, self._targets.unit)

    def _step(self, direction: Direction, feature: int) -> None:
        place = int(np.searchsorted(self._features, feature))
        column = self._scaled(np.array([feature]))[0][0]
        edge = self._rows @ column
        self._features = direction.spliced(self._features, place, feature)
        self._rows = direction.spliced_rows(self._rows, place, column)
        self._products = bordered(direction, self._products, place, edge, 1.0)
        self._fit = None

    def _rebuild(self) -> None:
        self._clear()
        features = np.flatnonzero(self.members)
        if len(features):
            self._features = features
            self._rows, _ = self._scaled(features)
            self._products = self._rows @ self._rows.T

    def _clear(self) -> None:
        self._features = np.empty(0, dtype=np.intp)
        self._rows = np.empty((0, self.data.n_samples))
        self._products = np.empty((0, 0))
        self._fit = None


class _Fit:
    """The fit of the working subset to all samples."""

    def __init__(self, rows: Values, products: Values, targets: Values) -> None:
        n_samples = rows.shape[1]
        matrix = products.copy()
        np.fill_diagonal(matrix, 1.0)
        self.factor = Factor(matrix, n_samples)
        halves = self.factor.half(rows)
        self.leverages = 1.0 / n_samples + np.einsum("kt,kt->t", halves, halves)
        self.residuals = targets - (targets @ halves.T) @ halves
        weights = self.factor.solve(rows @ targets.T)
        self.weight = float(np.sqrt(np.sum(weights**2)))


def _press_errors(sums: Values, errors: Values, doubts: Values, n_terms: float) -> Values:
    """Bound the error of sums of squared left-out residuals.

    Parameters
    ----------
    sums : array
        The sums of `left_out_squares`.
    errors, doubts : array
        Bounds on the norm of the error of all residuals, and on the error of every leverage.
    n_terms : float
        How many rounding errors add up, in units of the last place.
    """
    _, amplified, _, inverse_squares, whole = sums
    with np.errstate(all="ignore"):
        bounds = 2.0 * (np.sqrt(amplified) * errors + amplified * doubts) + 2.0**-52 * (16.0 + n_terms) * whole
        # To first order only where every leverage leaves far more of 1 than it may be off.
        return np.where(inverse_squares * (128.0 * doubts) ** 2 < 1.0, bounds, np.inf)
