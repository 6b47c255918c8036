"""Linear discriminant analysis by cross-validation, to the digits of scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from sweepless._checks import not_negative, one_of
from sweepless._typing import Values
from sweepless.criteria.base import Criterion
from sweepless.criteria.bayes.layout import checked_priors
from sweepless.criteria.discriminant.cursor import Analysis, DiscriminantCursor, Related
from sweepless.criteria.discriminant.models import Side, score
from sweepless.criteria.discriminant.outcome import CLASS_SCORES, Outcome
from sweepless.criteria.discriminant.shrinkage import Covariances, Neighborhood, Shrinkage, checked_shrinkage
from sweepless.criteria.discriminant.training import TrainingPart, over_classes, trained_and_tested
from sweepless.criteria.folds import Partition, Split, checked_folds, number_of_folds
from sweepless.criteria.scores.base import Score
from sweepless.criteria.scores.names import score_of
from sweepless.dataset import Dataset
from sweepless.errors import InputError
from sweepless.kernels.discriminant.scatter import spreads


@dataclass(frozen=True)
class LinearDiscriminant(Criterion):
    """Cross-validated score of normal classes with one covariance, as in scikit-learn.

    Parameters
    ----------
    solver : {"svd", "lsqr", "eigen"}
        "svd" weighs the covariances of the classes by their numbers of samples, the others by their priors.
    shrinkage : None, "auto" or float
        The share of each class covariance that is replaced by a multiple of the identity; "auto" is the share of Ledoit
        and Wolf for features of unit variance. Not for "svd".
    priors : None or one share per class
        The probability of each class before any feature is known; None learns it from each training part.
    tol : float
        "svd" leaves out directions whose deviation within classes is not above this, or whose deviation between
        classes is not above this share of the greatest. A subset that may have such directions has no value here.
    folds : int, Partition or Split
        Number of contiguous blocks of samples within each class; or given folds, or one given split.
    score : str or Score
        The name of a score of scikit-learn for classifiers, averaged over the folds.

    Notes
    -----
    A subset has no value (NaN) where it would depend on rounding: with collinear features, features that do not vary
    within classes, or samples that are too close to the boundary between two classes for the conditioning of the
    covariance and the distance of the features from zero. `Fallback` leaves these subsets to an estimator.

    For n samples, d members, C classes and k folds, a candidate costs O(kn(d + C)), and with shrinkage O(nCd + kd³)
    more; losses of probabilities, removals and close calls cost O(n(kd + d²)), and with shrinkage O(kd³) more.
    """

    solver: Literal["svd", "lsqr", "eigen"] = "svd"
    shrinkage: Shrinkage = None
    priors: tuple[float, ...] | None = None
    tol: float = 1e-4
    folds: int | Partition | Split = 3
    score: str | Score = "accuracy"

    def __post_init__(self) -> None:
        one_of("solver", self.solver, ("svd", "lsqr", "eigen"))
        checked_shrinkage(self.shrinkage)
        if self.solver == "svd" and self.shrinkage is not None:
            raise InputError(f"`shrinkage` must be None for the solver svd, got {self.shrinkage!r}.")
        not_negative("tol", self.tol)
        object.__setattr__(self, "priors", checked_priors(self.priors))
        object.__setattr__(self, "folds", checked_folds(self.folds, Split))
        score_of(self.score, *CLASS_SCORES)

    def bind(self, data: Dataset) -> DiscriminantCursor:
        data.require_classes()
        score = score_of(self.score, *CLASS_SCORES)
        parts = trained_and_tested(data, self.folds, self.priors, score)
        return DiscriminantCursor(data, [LinearAnalysis(self, part, score) for part in parts])

    def operations(self, data: Dataset, size: int) -> float:
        # Measured by five folds: 14 and 24 us at 300 samples and sizes 10 and 40, 37 us at 1,000 and size 20, with five
        # classes 39; with a fixed shrinkage 23, 95, 52 and 68 us, with that of Ledoit and Wolf 27, 128, 70 and 101 us.
        n_folds, n_samples = number_of_folds(self.folds, data.n_samples), data.n_samples
        weights = 3000.0 + 0.2 * n_samples * len(data.classes) * size + 0.25 * n_folds * size**3
        return 5000.0 + n_folds * n_samples * (4.0 + 0.2 * size) + (weights if self.shrinkage else 0.0)


class _Seen(NamedTuple):
    """Some features under the common covariance."""

    side: Side
    variances: Values
    shares: Values  # class, feature: roots of the shares that the classes have of the variance


class LinearAnalysis(Analysis):
    """One covariance, around which all classes lie."""

    def __init__(self, criterion: LinearDiscriminant, part: TrainingPart, score: Score) -> None:
        super().__init__(part, score, criterion.shrinkage)
        self._solver, self._tol = criterion.solver, criterion.tol
        self._weights = part.sizes / part.sizes.sum() if criterion.solver == "svd" else part.priors

    def outcome(self, around: Neighborhood, members: Related, found: Related, strictness: float) -> Outcome:
        return self._outcome(around, members, found, strictness, weighs=False)

    def quick(self, around: Neighborhood, members: Related, found: Related, strictness: float) -> Outcome | None:
        if not self.shrinkage:  # the members are eliminated once for all candidates
            return super().quick(around, members, found, strictness)
        return self._outcome(around, members, found, strictness, weighs=True)

    def _outcome(
        self, around: Neighborhood, members: Related, found: Related, strictness: float, *, weighs: bool
    ) -> Outcome:
        with np.errstate(all="ignore"):  # features that do not vary or overflow have no value
            known, new = self._seen(members), self._seen(found)
            covariances = self._covariances(around, members, found, known, new)
        scored = score(
            around,
            covariances,
            known.side,
            new.side,
            self.part.priors,
            divides=self._solver != "lsqr",
            centers=self._solver == "svd",
            weighs=weighs,
        )
        if self._solver != "svd":
            return Outcome(scored.scores, scored.doubts)
        least = strictness * self._tol**2
        is_whole = scored.inverses * least < 1.0
        if len(self.part.priors) > 2:  # two centers scatter in one direction only
            is_whole &= spreads(scored.centers, self.part.priors) > least
        return Outcome(scored.scores, np.where(is_whole, scored.doubts, np.inf))

    def _seen(self, given: Related) -> _Seen:
        features = given.features
        parts = self._weights[:, None] * features.deviations**2
        variances = over_classes(parts)
        units = np.sqrt(variances)
        center = over_classes(self.part.priors[:, None] * features.means)
        offsets = np.abs(center) / units
        if self.shrinkage == "auto":  # each class has its own units
            offsets = np.max(np.abs(features.means) / features.deviations, axis=0)
        tested = (features.tested - center[:, None]) / units[:, None]
        centers = ((features.means - center) / units).T
        offsets = np.where(variances > 0.0, offsets, np.inf)
        return _Seen(Side(units[None], offsets[None], tested[None], centers[None]), variances, np.sqrt(parts) / units)

    def _covariances(
        self, around: Neighborhood, members: Related, found: Related, known: _Seen, new: _Seen
    ) -> Covariances:
        inside = members.correlations * (known.shares[:, :, None] * known.shares[:, None, :])
        across = found.correlations * (known.shares[:, :, None] * new.shares[:, None, :])
        if self.shrinkage == "auto":
            kept = 1.0 - self.shrinkages(around, members, found)
            if around.direction.adds:
                across = kept[:, None, :] * across
            inside = kept[:, :, None, None] * inside[:, None]
            return Covariances.correlated(over_classes(inside)[None], over_classes(across)[None])
        plain = Covariances.correlated(over_classes(inside)[None, None], over_classes(across)[None])
        if not self.shrinkage:
            return plain
        return plain.with_identity(float(self.shrinkage), around, known.variances[None], new.variances[None])
