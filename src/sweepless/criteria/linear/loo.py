"""Leave-one-out ridge regression in closed form, for a subset and for all its neighbours at once.

Without sample i the residual is e_i / (1 - h_i), e the residual and h the leverage of the fit to all samples
(PRESS). A feature more or less moves fits along one vector u: e changes by -+ u (u'y) / sigma, h by ± u² / sigma.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sweepless._typing import Features, Values
from sweepless.criteria.base import Cursor, require_members
from sweepless.criteria.linear.bounds import fit_errors, leverage_errors
from sweepless.criteria.linear.targets import Targets, winners
from sweepless.criteria.schur import Change, Factor
from sweepless.criteria.value_grid import snap, snap_all
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.kernels.factor import moments
from sweepless.kernels.linear.ridge import (
    left_out_correct,
    left_out_residuals,
    left_out_squares,
    scaled,
    sum_of_squares,
)

TINY_PENALTY = 2.0**-40
"""The share of its own square that every feature is penalised by, so that least squares always has one solution."""

# What is left of the influence of the others on a sample that determines its own fit.
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
        self._centred = outputs - outputs.mean(axis=1, keepdims=True) if targets.classifies else outputs
        self._target_norm = float(np.sqrt(np.max(np.sum(self._centred**2, axis=1))))
        self._moments = np.full((data.n_features, 3), np.nan)
        self._clear()

    def evaluate(self, members: Features) -> float:
        members = require_members(members)
        columns = self._columns(members)
        residuals = left_out_residuals(columns, self._centred, self._floors(members), _LEAST_REST)
        if self._targets.classifies:
            right = winners(self._targets.outputs - residuals) == self._targets.truth
            return int(np.count_nonzero(right)) / self.data.n_samples
        return snap(self._best - float(sum_of_squares(residuals[0])) * self._scale, self._unit)

    @property
    def _unit(self) -> float:
        return self._targets.unit(self.data.n_samples)

    @property
    def _scale(self) -> float:
        """What a squared error is worth."""
        return self._targets.square / self.data.n_samples if self._targets.score == "mse" else 1.0

    @property
    def _best(self) -> float:
        """The value of a perfect prediction."""
        return float(self._targets.score == "r2")

    def _penalties(self, features: Features) -> Values:
        """Return penalties in units of the squared norms."""
        with np.errstate(all="ignore"):
            norms = self._moments[features, 2]
            relative = np.where(norms > 0.0, self._alpha / norms / norms, 0.0)
        return np.asarray(np.minimum(relative, 2.0**200)) + TINY_PENALTY

    def _floors(self, features: Features) -> Values:
        """Return what a squared pivot cannot fall below: the penalty alone."""
        penalties = self._penalties(features)
        return np.where(self._moments[features, 2] > 0.0, penalties / (1.0 + penalties), 1.0)

    def _columns(self, features: Features) -> Values:
        """Return centred columns, scaled so that squared norm and penalty sum to 1; zeros for a constant."""
        columns = self.data.columns(features)
        unknown = np.flatnonzero(np.isnan(self._moments[features, 2]))
        if len(unknown):
            self._moments[features[unknown]] = moments(columns[unknown])
        norms = self._moments[features, 2]
        with np.errstate(all="ignore"):
            scales = 1.0 / norms / np.sqrt(1.0 + self._penalties(features))
        return scaled(columns, self._moments[features], np.where(np.isfinite(scales), scales, 0.0))

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        if self._fit is None:
            self._fit = _Fit(self._rows, self._products, self._centred)
        fit = self._fit
        if direction.adds:
            columns = self._columns(candidates)
            change = fit.factor.grow(self._rows @ columns.T)
            paths = columns - change.columns.T @ self._rows
        else:
            change = fit.factor.shrink(np.searchsorted(self._features, candidates))
            paths = change.columns.T @ self._rows
        steps = paths @ self._centred.T
        largest = np.max(np.abs(steps), axis=1)
        errors = fit_errors(fit.factor, change, largest, np.sqrt(change.sigma), 1.0, fit.weight, self._target_norm)

        def settle(k: int) -> float:
            return self.evaluate(np.flatnonzero(direction.applied(self.members, candidates[k])))

        if self._targets.classifies:
            return self._shares(fit, change, paths, steps, errors, settle)
        press, amplified, least = left_out_squares(
            paths, change.sigma, steps[:, 0], change.sign, fit.leverages, fit.residuals[0]
        )
        doubts = leverage_errors(fit.factor, change)
        with np.errstate(all="ignore"):
            bounds = 2.0 * (np.sqrt(amplified) * errors + amplified * doubts) + 2.0**-48 * press
            bounds = np.where(least > 128.0 * doubts, bounds, np.inf)
        return snap_all(self._best - press * self._scale, bounds * self._scale, self._unit, settle)

    def _shares(
        self, fit: _Fit, change: Change, paths: Values, steps: Values, errors: Values, settle: Callable[[int], float]
    ) -> Values:
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
            leverage_errors(fit.factor, change),
        )
        values = correct / self.data.n_samples
        for k in np.flatnonzero(~is_sure):
            values[k] = settle(int(k))
        return values

    def _step(self, direction: Direction, feature: int) -> None:
        place = int(np.searchsorted(self._features, feature))
        column = self._columns(np.array([feature]))[0]
        edge = self._rows @ column
        self._features = direction.spliced(self._features, place, feature)
        self._rows = direction.spliced_rows(self._rows, place, column)
        wider = direction.spliced(self._products, place, edge)
        taller = direction.spliced(wider.T, place, direction.spliced(edge, place, 1.0))
        self._products = np.ascontiguousarray(taller.T)
        self._fit = None

    def _rebuild(self) -> None:
        self._clear()
        features = np.flatnonzero(self.members)
        if len(features):
            self._features = features
            self._rows = self._columns(features)
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
        self.weight = float(np.sqrt(np.max(np.sum(weights**2, axis=0))))
