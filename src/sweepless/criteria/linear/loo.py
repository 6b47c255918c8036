"""Leave-one-out ridge regression in closed form, for a subset and for all its neighbors at once.

Without sample i the residual is e_i / (1 - h_i), where e is the residual and h the leverage of the fit to all samples
(PRESS). One feature more or less moves the fit along one vector u: e changes by -+ u (u'y) / sigma, h by ± u² / sigma.

Forward selection by this shortcut, in O(n) per feature and step, is GreedyRLS of T. Pahikkala, A. Airola and
T. Salakoski ("Speeding up greedy forward selection for regularized least-squares", ICMLA 2010; in RLScore), the
ancestor of what follows. Removals, several outputs, steps in any order and a J that does not depend on the path are
added here.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import Features, Mask, Values
from sweepless.criteria.base import require_members
from sweepless.criteria.linear.kept_paths import KeptPaths
from sweepless.criteria.linear.members import MembersCursor
from sweepless.criteria.linear.targets import Targets, winners
from sweepless.criteria.schur import Change, Factor, fit_errors, leverage_errors
from sweepless.criteria.value_grid import GRID, snap
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.kernels.linear.judged import judge
from sweepless.kernels.linear.left_out import left_out_correct, left_out_residuals, left_out_squares
from sweepless.kernels.linear.ridge import sum_of_squares

# Stands for 1 - h where a sample determines its own fit and only rounding is left of the difference.
_LEAST_REST = 2.0**-45


class LeaveOneOutCursor(MembersCursor):
    """Keeps the fit to all samples and, if there are sweeps, the paths of all features."""

    _kept: KeptPaths | None
    _fit: _Fit | None  # made when first asked for

    def __init__(self, data: Dataset, targets: Targets, alpha: float) -> None:
        super().__init__(data, alpha)
        self._targets = targets
        outputs = targets.outputs
        self._centered = outputs - outputs.mean(axis=1, keepdims=True) if targets.counts else outputs
        self._target_norm = float(np.sqrt(np.sum(self._centered**2)))

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

    def _fitted(self) -> _Fit:
        if self._fit is None:
            self._fit = _Fit(self._rows, self._matrix, self._centered)
        return self._fit

    @property
    def _factor(self) -> Factor:
        return self._fitted().factor

    def _moved(self) -> None:
        super()._moved()
        self._fit = None

    def _can_sweep(self) -> bool:
        return not self._targets.counts and KeptPaths.fit_memory(self.n_features, self.data.n_samples)

    def _sweep(self) -> tuple[Values, Mask]:
        if self._kept is None:
            self._kept = KeptPaths(self.n_features, self.data.n_samples, lambda features: self._scaled(features)[0])
        fit, kept = self._fitted(), self._kept
        sigma, steps, sums = kept.sweep(fit.factor, self._rows, fit.leverages, fit.residuals)
        with np.errstate(all="ignore"):  # members may have no complement
            change = fit.factor.entering(sigma)
        return self._judged(fit, change, steps, sums, kept.drift)

    def _neighbors(self, direction: Direction, candidates: Features) -> tuple[Values, Mask]:
        fit = self._fitted()
        if direction.adds:
            columns, _ = self._scaled(candidates)
            change = fit.factor.grow(self._rows @ columns.T)
            paths = np.subtract(columns.T, self._rows.T @ change.columns, order="C")
        else:
            change = fit.factor.shrink(np.searchsorted(self._features, candidates))
            paths = self._rows.T @ change.columns
        steps = self._centered @ paths
        if self._targets.counts:
            errors, doubts = self._errors(fit, change, steps), leverage_errors(fit.factor, change)
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
        return self._judged(fit, change, steps, sums, 0.0)

    def _errors(self, fit: _Fit, change: Change, steps: Values) -> Values:
        """Bound the norm of the error of all residuals of every neighbor."""
        return fit_errors(
            fit.factor, change, _lengths(steps), np.sqrt(change.sigma), 1.0, fit.weight, self._target_norm
        )

    def _judged(self, fit: _Fit, change: Change, steps: Values, sums: Values, drift: float) -> tuple[Values, Mask]:
        """Return values rounded to the grid, and which of them their errors leave undecided.

        Paths may have inherited an error whose norm is at most `drift`.
        """
        values, undecided, factor = np.empty(len(change.sigma)), ~change.is_sound, fit.factor
        with np.errstate(all="ignore"):  # for plain Python
            judge(
                change.sigma,
                change.reach,
                change.growth,
                _lengths(steps),
                sums,
                factor.spectral_noise,
                factor.norm,
                fit.weight,
                self._target_norm,
                fit.square,
                drift,
                self.data.n_samples,
                len(steps),
                self._targets.best,
                self._scale,
                GRID * self._targets.unit,
                values,
                undecided,
            )
        return values, undecided


class _Fit:
    """The fit of the working subset to all samples."""

    def __init__(self, rows: Values, matrix: Values, targets: Values) -> None:
        n_samples = rows.shape[1]
        self.factor = Factor(matrix, n_samples)
        halves = self.factor.half(rows)
        self.leverages = 1.0 / n_samples + np.einsum("kt,kt->t", halves, halves)
        self.residuals = targets - (targets @ halves.T) @ halves
        self.square = float(np.sum(self.residuals**2))
        weights = self.factor.solve(rows @ targets.T)
        self.weight = float(np.sqrt(np.sum(weights**2)))


def _lengths(steps: Values) -> Values:
    """Return the norms over all outputs."""
    return np.asarray(np.sqrt(np.einsum("ck,ck->k", steps, steps)))
