"""Quadratic discriminant analysis by cross-validation, to the digits of scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sweepless._checks import not_negative, one_of
from sweepless.criteria.base import Criterion
from sweepless.criteria.bayes.layout import checked_priors
from sweepless.criteria.discriminant.axes import score_in_axes
from sweepless.criteria.discriminant.cursor import Analysis, DiscriminantCursor, Related
from sweepless.criteria.discriminant.models import Scored, Side, score
from sweepless.criteria.discriminant.outcome import CLASS_SCORES, Outcome
from sweepless.criteria.discriminant.shrinkage import Covariances, Neighborhood, Shrinkage, checked_shrinkage
from sweepless.criteria.discriminant.training import TrainingPart, trained_and_tested
from sweepless.criteria.folds import Partition, Split, checked_folds, number_of_folds
from sweepless.criteria.scores.base import Score
from sweepless.criteria.scores.names import score_of
from sweepless.dataset import Dataset
from sweepless.errors import InputError


@dataclass(frozen=True)
class QuadraticDiscriminant(Criterion):
    """Cross-validated score of normal classes with a covariance each, as in scikit-learn.

    Parameters
    ----------
    solver : {"svd", "eigen"}
        Which of the next two parameters counts.
    shrinkage : None, "auto" or float
        For "eigen": the share of each covariance that is replaced by a multiple of the identity; "auto" is the share of
        Ledoit and Wolf for features of unit variance.
    reg_param : float
        For "svd": the share of each covariance that is replaced by the identity.
    priors : None or one share per class
        The probability of each class before any feature is known; None learns it from each training part.
    tol : float
        The estimator refuses covariances with an eigenvalue that is not above this. A subset that may have such an
        eigenvalue has no value here.
    folds : int, Partition or Split
        Number of contiguous blocks of samples within each class; or given folds, or one given split.
    score : str or Score
        The name of a score of scikit-learn for classifiers, averaged over the folds.

    Notes
    -----
    A subset has no value (NaN) where it would depend on rounding, as for `LinearDiscriminant`, and where the estimator
    refuses it: with too few samples of a class, collinear features, or variances of no more than `tol`.

    For n samples, d members, C classes and k folds, a candidate costs O(nd(k + C)); losses of probabilities,
    removals and close calls cost O(n(kd + Cd²)), and with shrinkage O(kCd³) more.
    """

    solver: Literal["svd", "eigen"] = "svd"
    shrinkage: Shrinkage = None
    reg_param: float = 0.0
    priors: tuple[float, ...] | None = None
    tol: float = 1e-4
    folds: int | Partition | Split = 3
    score: str | Score = "accuracy"

    def __post_init__(self) -> None:
        one_of("solver", self.solver, ("svd", "eigen"))
        checked_shrinkage(self.shrinkage)
        if self.solver == "svd" and self.shrinkage is not None:
            raise InputError(f"`shrinkage` must be None for the solver svd, got {self.shrinkage!r}.")
        if not 0.0 <= self.reg_param <= 1.0:
            raise InputError(f"`reg_param` must be a number from 0 to 1, got {self.reg_param!r}.")
        not_negative("tol", self.tol)
        object.__setattr__(self, "priors", checked_priors(self.priors))
        object.__setattr__(self, "folds", checked_folds(self.folds, Split))
        score_of(self.score, *CLASS_SCORES)

    def bind(self, data: Dataset) -> DiscriminantCursor:
        data.require_classes()
        score = score_of(self.score, *CLASS_SCORES)
        parts = trained_and_tested(data, self.folds, self.priors, score)
        return DiscriminantCursor(data, [QuadraticAnalysis(self, part, score) for part in parts])

    def operations(self, data: Dataset, size: int) -> float:
        # Measured by five folds and two classes: 18 and 45 us at 300 samples and sizes 10 and 40, 47 us at 1,000 and
        # size 20, 92 us with five classes; with shrinkage 54, 240, 140 and 410 us.
        n_folds, n_samples = number_of_folds(self.folds, data.n_samples), data.n_samples
        anew = 0.12 * n_samples * size**2 + 0.15 * n_folds * size**3 if self.shrinkage else 0.0
        per_class = n_samples * (2.0 + 0.4 * size) + anew
        return 5000.0 + n_folds * n_samples * (4.0 + 0.1 * size) + len(data.classes) * per_class


class QuadraticAnalysis(Analysis):
    """A covariance for every class."""

    def __init__(self, criterion: QuadraticDiscriminant, part: TrainingPart, score: Score) -> None:
        super().__init__(part, score, criterion.shrinkage)
        self._solver, self._tol = criterion.solver, criterion.tol
        self._regularization = float(criterion.reg_param) if criterion.solver == "svd" else 0.0

    def outcome(self, around: Neighborhood, members: Related, found: Related, strictness: float) -> Outcome:
        with np.errstate(all="ignore"):  # features that do not vary or overflow have no value
            known, new = self._side(members), self._side(found)
            covariances = self._covariances(around, members, found, known, new)
        decomposes = self._solver == "svd"
        scored = score(
            around, covariances, known, new, self.part.priors, divides=False, centers=True, decomposes=decomposes
        )
        return self._taken(scored, members.features.means.shape[1] + around.direction.sign, strictness)

    def _taken(self, scored: Scored, size: int, strictness: float) -> Outcome:
        """Leave out what the estimator may refuse."""
        least = max(2, size if self._solver == "svd" else 2)  # samples of a class
        is_taken = (scored.inverses * strictness * self._tol < 1.0) & (self.part.sizes.min() >= least)
        return Outcome(scored.scores, np.where(is_taken, scored.doubts, np.inf))

    def quick(self, around: Neighborhood, members: Related, found: Related, strictness: float) -> Outcome | None:
        if not self.shrinkage:
            return super().quick(around, members, found, strictness)
        with np.errstate(all="ignore"):
            known, new = self._side(members), self._side(found)
            inside, across, corners = members.correlations.copy(), found.correlations, np.ones_like(new.units)
            places, size = np.arange(inside.shape[1]), inside.shape[1] + 1
            inside[:, places, places] = 1.0
            if self.shrinkage == "auto":
                added = self.shrinkages(around, members, found)
                kept, units = 1.0 - added, (known.units, new.units)
            else:
                units, corners = (np.ones_like(known.units), np.ones_like(new.units)), new.units**2
                added = self.shrinkage / size * ((known.units**2).sum(axis=1)[:, None] + corners)
                kept = np.full_like(added, 1.0 - self.shrinkage)
                inside *= known.units[:, :, None] * known.units[:, None, :]
                across = across * (known.units[:, :, None] * new.units[:, None, :])
            if not np.isfinite(inside).all():  # of which nobody knows the axes
                return None
            sides = known, new, units, self.part.priors
            scored = score_in_axes(kept, added, inside, across, corners, *sides)
        return self._taken(scored, size, strictness)

    def _side(self, given: Related) -> Side:
        features, share = given.features, self._regularization
        units = np.sqrt((1.0 - share) * features.deviations**2 + share)
        offsets = np.where(units > 0.0, np.abs(features.means) / units, np.inf)
        tested = (features.tested - features.means[:, :, None]) / units[:, :, None]
        return Side(units, offsets, tested, np.empty((*units.shape, 0)))

    def _covariances(
        self, around: Neighborhood, members: Related, found: Related, known: Side, new: Side
    ) -> Covariances:
        inside, across = members.correlations[:, None], found.correlations
        if self.shrinkage == "auto":
            kept = 1.0 - self.shrinkages(around, members, found)
            return Covariances.correlated(
                kept[:, :, None, None] * inside, kept[:, None, :] * across if around.direction.adds else across
            )
        if self._regularization:
            root = np.sqrt(1.0 - self._regularization)
            old = root * members.features.deviations / known.units
            entering = root * found.features.deviations / new.units
            inside = inside * (old[:, None, :, None] * old[:, None, None, :])
            across = across * (old[:, :, None] * entering[:, None, :])
        plain = Covariances.correlated(inside.copy(), across)
        if not self.shrinkage:
            return plain
        return plain.with_identity(float(self.shrinkage), around, known.units**2, new.units**2)
