"""Ridge and least squares regression by cross-validation: the linear criterion for searches.

There are two linear criteria because J has to be a function of the subset, and no single definition serves both uses.
This one must value *every* subset, collinear or larger than the number of samples, and all neighbors at once; it adds
a tiny penalty and rounds to a grid of 1.5e-8, which makes neighbors by Schur complements safe and fast.
`least_squares` must return the digits of scikit-learn, so it can afford neither penalty nor grid: it solves the normal
equations of each neighbor anew and returns NaN where the digits would depend on the solver.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sweepless._checks import not_negative, one_of
from sweepless._typing import Features
from sweepless.criteria.base import Criterion, Cursor, checked_value, require_members
from sweepless.criteria.folds import Partition, assigned_folds, checked_folds, number_of_folds
from sweepless.criteria.linear.folds import FoldsCursor
from sweepless.criteria.linear.loo import LeaveOneOutCursor
from sweepless.criteria.linear.members import TINY_PENALTY
from sweepless.criteria.linear.targets import ClassWeight, Score, Targets, signs, squared_error, winners
from sweepless.criteria.repeats import over_repeats
from sweepless.criteria.scoring import codes_known_to, numbers
from sweepless.dataset import Dataset
from sweepless.errors import DataError, InputError
from sweepless.kernels.factor import moments
from sweepless.kernels.linear.ridge import fold_predictions, scaled


@dataclass(frozen=True)
class RidgeCriterion(Criterion):
    """Cross-validated score of ridge regression (of least squares for `alpha` 0) on the subset.

    Parameters
    ----------
    alpha : float
        The penalty on the squared coefficients, in the features' own units as in scikit-learn's `Ridge`; the
        intercept is not penalized.
    folds : "loo", int or Partition
        Leave-one-out in closed form, or the number of positional folds: contiguous within each class for
        "accuracy" and "class_r2", contiguous blocks of samples otherwise; or given folds, also as an array.
    score : {"r2", "mse", "accuracy", "class_r2"}
        "r2": the share of the target's variance that is predicted, averaged over the folds, each around its own
        mean as in `cross_val_score`; for leave-one-out 1 - PRESS / TSS over all samples together.
        "mse": minus the mean squared error, averaged over the folds.
        "accuracy": the share of samples classified correctly by regression on ±1 (`RidgeClassifier`). More than two
        classes have one output each; the greatest output wins, the lowest class if several are equal.
        "class_r2": the share of the variance of the classes that is predicted, by one output of 0 and 1 per class: 1
        minus the sum of their squared errors over the sum of their squares, for leave-one-out or averaged over the
        folds as "r2". It is smooth where an accuracy has few levels; validation is by accuracy.
    class_weight : {None, "balanced"}
        How much the classes count in "class_r2": by the variance of their outputs, or all alike. Leave-one-out R² of
        balanced classes is the mean of the classes' own R². Two classes have the same variance anyway.

    Notes
    -----
    Every feature is also penalized by 2**-40 of its own square, so that least squares has one solution for
    duplicate, constant and too many features; on well-conditioned features this moves J by less than its grid.
    A feature that is constant in a training part has no coefficient there.
    All scores but "accuracy" are rounded to a grid of about 1.5e-8. For n samples, d members and k folds a candidate
    costs O(nd) in two products for all candidates at once, then O(n), or O(kd²) more with folds. Where a step asks for
    a large share of the features, leave-one-out keeps 16 bytes per sample and feature from step to step (at most 512
    MB), and an addition costs O(n) whatever d.
    Where the fit is so ill-conditioned that the bounds on rounding are useless (least squares on collinear
    features), neighbors are computed from scratch: the values are the same, but it is slow.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sweepless import Dataset
    >>> from sweepless.criteria import RidgeCriterion
    >>> data = Dataset(*load_diabetes(return_X_y=True))
    >>> round(RidgeCriterion(alpha=0.1).bind(data).evaluate([2, 3, 8]), 4)
    0.4699
    """

    alpha: float = 1.0
    folds: int | Literal["loo"] | Partition = "loo"
    score: Score = "r2"
    class_weight: ClassWeight = None

    def __post_init__(self) -> None:
        not_negative("alpha", self.alpha)
        if isinstance(self.folds, str):
            one_of("folds", self.folds, ("loo",))
        else:
            object.__setattr__(self, "folds", checked_folds(self.folds))
        one_of("score", self.score, ("r2", "mse", "accuracy", "class_r2"))
        if self.class_weight is not None:
            one_of("class_weight", self.class_weight, ("balanced",))
            if self.score != "class_r2":
                raise InputError(f"`class_weight` must be None for all scores but 'class_r2', got {self.score!r}.")

    def bind(self, data: Dataset) -> Cursor:
        if (mean := over_repeats(self, data)) is not None:
            return mean
        data.require_variation()
        targets = Targets(data, self.score, self.class_weight)
        alpha = float(self.alpha)
        if isinstance(self.folds, str):
            return LeaveOneOutCursor(data, targets, alpha)
        strata = data.codes if targets.is_stratified else np.zeros(data.n_samples, dtype=np.int64)
        folds = assigned_folds(self.folds, strata, data.name)
        n_folds = self.folds if isinstance(self.folds, int) else int(folds.max()) + 1
        sizes = np.bincount(folds, minlength=n_folds)
        if sizes.max() == data.n_samples or (not targets.is_stratified and sizes.min() == 0):
            raise DataError(
                f"`folds` must be at most the {data.n_samples} samples of {data.name} and leave some to train on, "
                f"got {n_folds}."
            )
        varying = [np.unique(targets.outputs[:, folds == fold], axis=1).shape[1] > 1 for fold in range(n_folds)]
        if self.score in ("r2", "class_r2") and not all(varying):
            other = "mse" if self.score == "r2" else "accuracy"
            raise DataError(
                f"the target of {data.name} must vary within each of the {n_folds} folds for score={self.score!r}, got "
                f"a constant or empty fold; use fewer folds, or score={other!r}."
            )
        return FoldsCursor(data, targets, alpha, folds, n_folds)

    def operations(self, data: Dataset, size: int) -> float:
        # Measured by leave-one-out sweeps: 0.4, 2 and 6 us at 60, 500 and 1,300 samples, 15 at 780 of 26 classes; of
        # accuracies 4 and 8 us at 300 samples and sizes 10 and 50; by five folds 9 and 40 us there.
        n_classes = len(data.classes) if self.score in ("accuracy", "class_r2") else 2
        outputs = n_classes if n_classes > 2 else 1
        if isinstance(self.folds, str) and self.score != "accuracy":
            return data.n_samples * (5.0 + outputs)
        once = data.n_samples * (20.0 * outputs + size / 4)
        n_folds = 0 if isinstance(self.folds, str) else number_of_folds(self.folds, data.n_samples)
        return once + n_folds * (500.0 + 2.0 * size**2)

    def validate(self, train: Dataset, test: Dataset, members: Features) -> float:
        """Return the score on `test` of a fit to all of `train`."""
        members = require_members(members)
        value = _holdout_value(train, test, members, float(self.alpha), self.score)
        return checked_value(value, members, train.feature_names)


def _holdout_value(train: Dataset, test: Dataset, members: Features, alpha: float, score: Score) -> float:
    columns = train.columns(members)
    found = moments(columns)
    norms = found[:, 2]
    with np.errstate(all="ignore"):
        inverse = np.where(np.isfinite(1.0 / norms), 1.0 / norms, 0.0)
        penalties = np.where(inverse > 0.0, np.minimum(alpha / norms / norms, 2.0**200), 0.0) + TINY_PENALTY
    rows = scaled(np.hstack([columns, test.columns(members)]), found, inverse)
    if score in ("accuracy", "class_r2"):
        train.require_classes()
        outputs = signs(train.codes, len(train.classes))
    else:
        outputs = numbers(train)[None]
    # No neighbor has to match this value to the last bit, so the outputs need not be centered and scaled first.
    predicted = fold_predictions(
        rows,
        np.hstack([outputs, np.zeros((len(outputs), test.n_samples))]),
        np.zeros(len(members)),
        1.0 / np.sqrt(1.0 + penalties),
        np.ascontiguousarray(outputs.mean(axis=1)),
        penalties / (1.0 + penalties),
        train.n_samples,
        train.n_samples + test.n_samples,
    )
    if score in ("accuracy", "class_r2"):
        return int(np.count_nonzero(winners(predicted) == codes_known_to(train, test))) / test.n_samples
    actual = numbers(test)
    error = squared_error(predicted[0], actual)
    if score == "mse":
        return -error / test.n_samples
    if np.ptp(actual) == 0.0:
        raise DataError(f"the target of {test.name} must vary for score='r2', got {actual[0]} for every sample.")
    return 1.0 - error / squared_error(np.full(test.n_samples, actual.mean()), actual)
