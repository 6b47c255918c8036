"""Ridge and least squares regression by cross-validation: the linear wrapper criterion."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Literal

import numpy as np

from sweepless._checks import one_of
from sweepless._typing import Features
from sweepless.criteria.base import Criterion, Cursor, checked_value, require_members
from sweepless.criteria.folds import Partition, assigned_folds, checked_folds
from sweepless.criteria.linear.folds import FoldsCursor
from sweepless.criteria.linear.holdout import holdout_value
from sweepless.criteria.linear.loo import LeaveOneOutCursor
from sweepless.criteria.linear.targets import Score, Targets
from sweepless.dataset import Dataset
from sweepless.errors import DataError, InputError


@dataclass(frozen=True)
class RidgeCriterion(Criterion):
    """Cross-validated score of ridge regression (of least squares for `alpha` 0) on the subset.

    Parameters
    ----------
    alpha : float
        The penalty of the squared coefficients, in the features' own units as in scikit-learn's `Ridge`; the
        intercept is not penalised.
    folds : "loo", int or Partition
        Leave-one-out in closed form, or the number of positional folds: contiguous within each class for
        `score="accuracy"`, contiguous blocks of samples otherwise; or given folds, also as an array.
    score : {"r2", "mse", "accuracy"}
        "r2": the share of the target's variance that is predicted; mean over the folds, each around its own
        mean, as `cross_val_score` has it; for leave-one-out 1 - PRESS / TSS over all samples at once.
        "mse": minus the mean squared error, mean over the folds.
        "accuracy": the share of samples classified right by regression on ±1 (`RidgeClassifier`): one
        output for each of more than two classes, the greatest wins, the lowest class of equal ones.

    Notes
    -----
    Every feature is also penalised by 2**-40 of its own square, so that least squares has one solution for
    duplicate, constant and too many features; on well-conditioned ones this moves J by less than its grid.
    A feature that is constant in a training part has no coefficient there.
    "r2" and "mse" are rounded to the grid of `criteria.snapping`. For n samples, d members and k folds a
    candidate costs two products O(nd), all candidates at once, then O(n), or O(kd²) more with folds.
    Where the fit is so ill-conditioned that the bounds on rounding say nothing (least squares on collinear
    features), neighbours are computed from scratch: the same values, slowly.
    """

    alpha: float = 1.0
    folds: int | Literal["loo"] | Partition = "loo"
    score: Score = "r2"

    def __post_init__(self) -> None:
        given: object = self.alpha
        is_number = isinstance(given, Real) and not isinstance(given, bool)
        if not is_number or not 0.0 <= self.alpha < np.inf:
            raise InputError(f"`alpha` must be a finite number of at least 0, got {given!r}.")
        if isinstance(self.folds, str):
            one_of("folds", self.folds, ("loo",))
        else:
            object.__setattr__(self, "folds", checked_folds(self.folds))
        one_of("score", self.score, ("r2", "mse", "accuracy"))

    def bind(self, data: Dataset) -> Cursor:
        data.require_variation()
        targets = Targets(data, self.score)
        alpha = float(self.alpha)
        if isinstance(self.folds, str):
            return LeaveOneOutCursor(data, targets, alpha)
        strata = data.codes if targets.classifies else np.zeros(data.n_samples, dtype=np.int64)
        folds = assigned_folds(self.folds, strata, data.name)
        n_folds = self.folds if isinstance(self.folds, int) else int(folds.max()) + 1
        sizes = np.bincount(folds, minlength=n_folds)
        if sizes.max() == data.n_samples or (not targets.classifies and sizes.min() == 0):
            raise DataError(
                f"`folds` must be at most the {data.n_samples} samples of {data.name} and leave some to train on, "
                f"got {n_folds}."
            )
        if self.score == "r2" and any(np.ptp(targets.outputs[0, folds == fold]) == 0.0 for fold in range(n_folds)):
            raise DataError(
                f"the target of {data.name} must vary within each of the {n_folds} folds for score='r2', got a "
                f"constant fold; use fewer folds, or score='mse'."
            )
        return FoldsCursor(data, targets, alpha, folds, n_folds)

    def validate(self, train: Dataset, test: Dataset, members: Features) -> float:
        """Return the score on `test` of a fit to all of `train`."""
        members = require_members(members)
        value = holdout_value(train, test, members, float(self.alpha), self.score)
        return checked_value(value, members, train.feature_names)
