"""Linear models with a smooth convex loss and a squared penalty, by cross-validation, at their optimum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any, Literal

import numpy as np

from sweepless._checks import one_of, positive
from sweepless._typing import Features
from sweepless.criteria.base import Criterion, require_members
from sweepless.criteria.folds import Partition, Split, checked_folds, number_of_folds, training_parts
from sweepless.criteria.linear.held_out import is_smooth
from sweepless.criteria.linear.smooth_cursor import LinearModelCursor, Scales
from sweepless.criteria.linear.smooth_part import class_parts
from sweepless.criteria.schur import MomentTable
from sweepless.criteria.scores.base import Needs, Score
from sweepless.criteria.scores.names import score_of
from sweepless.criteria.scoring import codes_known_to
from sweepless.dataset import Dataset
from sweepless.errors import DataError, InputError

_NEEDS: tuple[Needs, ...] = ("labels", "outputs", "probabilities")


@dataclass(frozen=True)
class LinearModel(Criterion):
    """Cross-validated score of a linear model with a smooth loss and a penalty on the squared coefficients.

    Parameters
    ----------
    loss : {"logistic", "squared_hinge"}
        "logistic" is logistic regression, of more than two classes multinomial; "squared_hinge" is the linear support
        vector machine of scikit-learn's `LinearSVC`, of more than two classes one for each against all others.
    C : float
        The weight of the losses: C times their sum plus half the sum of squared coefficients is minimized, in the
        features' own units as in scikit-learn.
    folds : int, Partition or Split
        Number of positional stratified folds, contiguous within each class and not shuffled; or given folds, also as
        an array of the fold of each sample; or one given split.
    score : str or Score
        The name of a score of scikit-learn that needs classes, outputs or probabilities.
    class_weight : None, "balanced" or mapping
        The weight of each class in the sum of losses, as in scikit-learn.
    fit_intercept : bool
    intercept_scaling : float
        The intercept is the coefficient of a constant of this size, penalized like the others; if infinite, it is not
        penalized. The squared hinge needs a finite one.
    ties : {"class", "nan"}
        Outputs that may be equal, because they differ by no more than 16 times what the optimum may be off (mostly
        some 1e-11, at most 2**-27, or 2**-22 if there are several per sample, or for a machine), are rounded to
        multiples of that and count for the first class ("class"); or the subset has no value ("nan"), as the native
        dispatch of selectors needs it.

    Notes
    -----
    J is the score at the optimum, which solvers reach only as their tolerance goes to zero. A subset whose optimum
    cannot be computed to some digits beyond these has no value (NaN): one that separates the classes when C is huge.
    Losses (log loss, Brier score) are rounded to a grid of about 1.5e-8.

    Neighbors start from the optimum of the working subset and take steps until a bound proves on which side of the
    boundary every held-out sample lies. For n samples, d members and k folds a candidate costs O(knd) per step, in two
    products for all candidates at once, and takes two or three of them.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sweepless import Dataset
    >>> from sweepless.criteria import LinearModel
    >>> data = Dataset(*load_breast_cancer(return_X_y=True))
    >>> round(LinearModel(folds=5).bind(data).evaluate([1, 7, 20]), 4)
    0.9296
    """

    loss: Literal["logistic", "squared_hinge"] = "logistic"
    C: float = 1.0
    folds: int | Partition | Split = 5
    score: str | Score = "accuracy"
    class_weight: Any = None
    fit_intercept: bool = True
    intercept_scaling: float = inf
    ties: Literal["class", "nan"] = field(default="class", repr=False)

    def __post_init__(self) -> None:
        one_of("loss", self.loss, ("logistic", "squared_hinge"))
        positive("C", self.C)
        if not self.intercept_scaling > 0.0:
            raise InputError(f"`intercept_scaling` must be positive, got {self.intercept_scaling!r}.")
        if self.loss == "squared_hinge" and self.fit_intercept and self.intercept_scaling == inf:
            raise InputError("`intercept_scaling` must be finite for loss='squared_hinge', got inf.")
        if isinstance(self.class_weight, Mapping):
            object.__setattr__(self, "class_weight", tuple(self.class_weight.items()))
        elif self.class_weight is not None and not isinstance(self.class_weight, tuple):
            one_of("class_weight", self.class_weight, ("balanced",))
        object.__setattr__(self, "folds", checked_folds(self.folds, Split))
        score = score_of(self.score, *_NEEDS)
        if score.needs == "probabilities" and self.loss != "logistic":
            raise InputError(f"`score` must need no probabilities for loss={self.loss!r}, got {self.score!r}.")
        one_of("ties", self.ties, ("class", "nan"))

    @property
    def centers(self) -> bool:
        """Whether the center of a feature makes no difference, because the intercept follows it at no cost."""
        return self.fit_intercept and self.intercept_scaling == inf

    def bind(self, data: Dataset) -> LinearModelCursor:
        data.require_classes()
        data.require_variation()
        splits = training_parts(self.folds, data.codes, data.name)
        if any(len(np.unique(data.codes[train])) < 2 or not len(test) for train, test in splits):
            raise DataError(
                f"every fold of {data.name} must hold samples and leave two classes to train on, got one that does not."
            )
        score = score_of(self.score, *_NEEDS)
        if score.needs != "labels" and any(len(np.unique(data.codes[part])) < len(data.classes) for part, _ in splits):
            raise DataError(
                f"every training part of {data.name} must hold all classes for score={score.name!r}, got one without."
            )
        parts = class_parts(self, data.codes, data.classes, splits)
        scales = Scales(self.C, self.centers, MomentTable(data.n_features))
        return LinearModelCursor(data, parts, scales, 1.0 if is_smooth(score) else None)

    def operations(self, data: Dataset, size: int) -> float:
        # Measured by five folds and accuracy: 60 and 125 us at 500 samples and sizes 5 and 40, 115 and 190 us at 1,000;
        # 1.5 to 2 times that for log loss, four and 16 times for four and eight classes (machines: 4 and 12 times).
        n_classes = len(data.classes)
        several = n_classes if self.loss == "squared_hinge" else n_classes**2 / 4.0
        outputs = 1.0 if n_classes == 2 else several
        steps = 1.7 if is_smooth(score_of(self.score, *_NEEDS)) else 1.0
        once = 3000.0 + data.n_samples * (15.0 + 0.6 * size)
        return number_of_folds(self.folds, data.n_samples) * outputs * steps * once

    def validate(self, train: Dataset, test: Dataset, members: Features) -> float:
        """Return the score on `test` of the model fitted to all of `train`."""
        members = require_members(members)
        codes = np.concatenate([train.codes, codes_known_to(train, test)])
        rows = np.arange(len(codes))
        part = class_parts(self, codes, train.classes, [(rows[: train.n_samples], rows[train.n_samples :])])[0]
        columns = np.hstack([train.columns(members), test.columns(members)])
        scales = Scales(self.C, self.centers, MomentTable(len(members)))
        return part.from_scratch(*scales.of(np.arange(len(members)), columns))
