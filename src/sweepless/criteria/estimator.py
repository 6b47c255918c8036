"""Cross-validation of any scikit-learn estimator as a criterion."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv, cross_val_score

from sweepless._typing import Features, Values
from sweepless.criteria.base import Criterion, Cursor, checked_value, require_members, shown
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.errors import CriterionError, DataError, InputError


@dataclass(frozen=True)
class EstimatorCriterion(Criterion):
    """Mean cross-validation score of a scikit-learn estimator on the subset's columns.

    Parameters
    ----------
    estimator : scikit-learn estimator
        Cloned before every fit. Give a random estimator an integer `random_state`, or J is not a
        function of the subset and runs cannot be reproduced.
    scoring : str, callable or None
        As in scikit-learn; None is the estimator's own `score`.
    cv : int, splitter or iterable
        As in scikit-learn; the splits are drawn once, when the criterion meets the data.
    n_jobs : int or None
        Candidates evaluated at once, through joblib; the values do not depend on it.
    """

    estimator: Any
    scoring: Any = None
    cv: Any = 3
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        if isinstance(self.estimator, type) or not hasattr(self.estimator, "fit"):
            raise InputError(f"`estimator` must be a scikit-learn estimator, got {self.estimator!r}.")
        if isinstance(self.cv, Iterator):  # or the first data set it meets would use it up
            object.__setattr__(self, "cv", list(self.cv))

    def bind(self, data: Dataset) -> EstimatorCursor:
        return EstimatorCursor(self, data)

    def validate(self, train: Dataset, test: Dataset, members: Features) -> float:
        """Return the score on `test` of the estimator fitted on `train`."""
        members = require_members(members)
        scorer = check_scoring(self.estimator, scoring=self.scoring)
        with self.explaining(members):
            fitted = clone(self.estimator).fit(_narrow(train, members), train.target)
            score = scorer(fitted, _narrow(test, members), test.target)
        return checked_value(score, members)

    @contextmanager
    def explaining(self, members: Features) -> Iterator[None]:
        """Turn whatever the estimator raises into one sentence that says on which subset it did."""
        try:
            yield
        except Exception as error:
            raise CriterionError(
                f"{type(self.estimator).__name__} raised {type(error).__name__} on {shown(members)}: {error}"
            ) from error


class EstimatorCursor(Cursor):
    """Fits and scores for every subset; there is nothing to keep."""

    def __init__(self, criterion: EstimatorCriterion, data: Dataset) -> None:
        super().__init__(data)
        self.criterion = criterion
        classifies = is_classifier(criterion.estimator)
        if classifies:
            data.require_classes()
        data.require_variation()
        try:
            splitter = check_cv(criterion.cv, data.target, classifier=classifies)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # sparse classes: the scores will tell
                self._splits = list(splitter.split(np.zeros((data.n_samples, 1)), data.target))
        except (TypeError, ValueError) as error:
            raise DataError(f"`cv` must be able to split {data.name}, got: {error}") from error
        self._scorer = check_scoring(criterion.estimator, scoring=criterion.scoring)
        if sparse.issparse(data.X):
            data.X.sort_indices()

    def evaluate(self, members: Features) -> float:
        members = require_members(members)
        with self.criterion.explaining(members):
            scores = cross_val_score(
                self.criterion.estimator,
                _narrow(self.data, members),
                self.data.target,
                scoring=self._scorer,
                cv=self._splits,
                error_score="raise",
            )
        return checked_value(np.mean(scores), members)

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        subsets = [np.flatnonzero(direction.applied(self.members, candidate)) for candidate in candidates]
        if self.criterion.n_jobs in (None, 1):
            return np.array([self.evaluate(members) for members in subsets])
        values = Parallel(n_jobs=self.criterion.n_jobs)(delayed(self.evaluate)(members) for members in subsets)
        return np.array(values, dtype=np.float64)


def _narrow(data: Dataset, members: Features) -> Any:
    return data.X[:, members]
