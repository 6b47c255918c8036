"""Cross-validation of any scikit-learn estimator as a criterion."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from joblib.parallel import get_active_backend
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing
from sklearn.utils.parallel import Parallel, delayed

from sweepless._threads import one_thread
from sweepless._typing import AnyArray, Features, Values
from sweepless._workers import tied_to_us
from sweepless.criteria.base import Criterion, Cursor, Names, checked_value, require_members, shown
from sweepless.criteria.column_names import needs_frame
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.errors import CriterionError, DataError, InputError

_CHUNKS_PER_JOB = 4  # few, so that columns are sent seldom, but enough that no worker waits long


@dataclass(frozen=True)
class EstimatorCriterion(Criterion):
    """Mean cross-validation score of a scikit-learn estimator on the subset's columns.

    Parameters
    ----------
    estimator : scikit-learn estimator
        Cloned before every fit. Give a random estimator an integer `random_state`: otherwise J is not a function of
        the subset, and runs cannot be reproduced.
    scoring : str, callable or None
        As in scikit-learn; None is the estimator's own `score`.
    cv : int, splitter or iterable
        As in scikit-learn; the splits are drawn once, when the criterion is bound to data.
    n_jobs : int or None
        How many candidates are evaluated at once, on joblib's active backend. The values depend neither on this number
        nor on the backend: linear algebra always runs in one thread, as several would round differently. Workers
        receive the columns they need; workers of a Dask cluster receive all the data once.
    fit_params, score_params : mapping, optional
        Further arguments of `fit` and of the scorer, such as `sample_weight`; entries with one element per sample
        are split like the samples.

    Notes
    -----
    If the data are a dataframe, the estimator receives a dataframe with the names of the subset's columns if it may
    use them: if a column holds anything but numbers, if a parameter names columns, or if a part of the estimator is a
    ColumnTransformer, a FunctionTransformer or not scikit-learn's own. All others receive an array, which is faster.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from sweepless import Dataset
    >>> from sweepless.criteria import EstimatorCriterion
    >>> criterion = EstimatorCriterion(DecisionTreeClassifier(random_state=0), cv=3)
    >>> round(criterion.bind(Dataset(*load_iris(return_X_y=True))).evaluate([2, 3]), 4)
    0.9467
    """

    estimator: Any
    scoring: Any = None
    cv: Any = 3
    n_jobs: int | None = None
    fit_params: Mapping[str, Any] | None = None
    score_params: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if isinstance(self.estimator, type) or not hasattr(self.estimator, "fit"):
            raise InputError(f"`estimator` must be a scikit-learn estimator, got {self.estimator!r}.")
        if isinstance(self.cv, Iterator):  # it would be used up by the first data set
            object.__setattr__(self, "cv", list(self.cv))

    def __repr__(self) -> str:
        scoring = "" if self.scoring is None else f", scoring={self.scoring!r}"
        cv = f"{len(self.cv)} given splits" if isinstance(self.cv, list) else repr(self.cv)
        return f"EstimatorCriterion({self.estimator!r}{scoring}, cv={cv})"

    def bind(self, data: Dataset) -> EstimatorCursor:
        return EstimatorCursor(self, data)

    def validate(self, train: Dataset, test: Dataset, members: Features) -> float:
        """Return the score on `test` of the estimator fitted on `train`, without `fit_params` and `score_params`."""
        members = require_members(members)
        scorer = check_scoring(self.estimator, scoring=self.scoring)
        with explaining(self.estimator, members, train.feature_names):
            fitted = clone(self.estimator).fit(train.select(members), train.target)
            score = scorer(fitted, test.select(members), test.target)
        return checked_value(score, members, train.feature_names)


class EstimatorCursor(Cursor):
    """Fits and scores the estimator for every subset; there is no state to keep."""

    takes_missing = True

    def __init__(self, criterion: EstimatorCriterion, data: Dataset) -> None:
        super().__init__(data)
        self.criterion = criterion
        estimator = criterion.estimator
        if is_classifier(estimator) and data.target.ndim == 1:
            data.require_classes()
        data.require_variation()
        self._fits = Fits(
            estimator,
            check_scoring(estimator, scoring=criterion.scoring),
            data.target,
            _drawn(criterion.cv, data, is_classifier(estimator)),
            criterion.fit_params or {},
            criterion.score_params or {},
        )
        self.n_at_once = self._n_jobs = effective_n_jobs(criterion.n_jobs)
        self._held: tuple[Any, str] | None = None
        needs_names = data.frame is not None and needs_frame(data.frame, estimator, criterion.scoring)
        self._columns = data if needs_names else data.without_frame()
        if sparse.issparse(data.X):
            data.X.sort_indices()

    def evaluate(self, members: Features) -> float:
        members = require_members(members)
        with one_thread():
            return _value(self._fits, self._columns.select(members), members, self.names)

    def evaluate_many(self, subsets: list[Features]) -> Values:
        if self._n_jobs == 1 or len(subsets) < 2:
            return super().evaluate_many(subsets)
        subsets = [require_members(members) for members in subsets]
        n_chunks = min(len(subsets), _CHUNKS_PER_JOB * self._n_jobs)
        bounds = np.linspace(0, len(subsets), n_chunks + 1).astype(int).tolist()
        task = self._task()
        with one_thread():  # here too: workers may be threads
            found = Parallel(n_jobs=self._n_jobs, **tied_to_us())(
                task(subsets[first:last]) for first, last in pairwise(bounds)
            )
        return np.array([value for values in found for value in values], dtype=np.float64)

    def _task(self) -> Callable[[list[Features]], Any]:
        """Return a function that makes a task of some subsets, with their columns or for workers that hold the data."""
        client = getattr(get_active_backend()[0], "client", None)  # only Dask's backend has one
        if client is None:
            return self._with_columns
        if self._held is None or self._held[0] is not client:
            from sweepless._cluster import lend

            self._held = client, lend(client, (self._fits, self._columns), self)
        return partial(delayed(_values_there), self._held[1])

    def _with_columns(self, subsets: list[Features]) -> Any:
        features = np.unique(np.concatenate(subsets))
        names = None if self.names is None else {feature: self.names[feature] for feature in features.tolist()}
        return delayed(_values)(self._fits, self._columns.select(features), features, names, subsets)

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        return self.evaluate_many([self._neighbor(direction, candidate) for candidate in candidates])


@dataclass(frozen=True)
class Fits:
    """Everything that cross-validation needs except the columns, as it is sent to workers."""

    estimator: Any
    scorer: Any
    target: AnyArray
    splits: list[tuple[Any, Any]]
    fit_params: Mapping[str, Any]
    score_params: Mapping[str, Any]

    def scores(self, table: Any) -> list[float]:
        """Return the score of a clone on every split."""
        scores = []
        for train, test in self.splits:
            fitted = clone(self.estimator).fit(
                _safe_indexing(table, train), self.target[train], **self._of(self.fit_params, train)
            )
            scores.append(
                self.scorer(fitted, _safe_indexing(table, test), self.target[test], **self._of(self.score_params, test))
            )
        return scores

    def _of(self, params: Mapping[str, Any], rows: Any) -> dict[str, Any]:
        """Return the parameters for some samples: entries with one element per sample are split."""
        return {
            name: _safe_indexing(value, rows) if self._is_per_sample(value) else value for name, value in params.items()
        }

    def _is_per_sample(self, value: Any) -> bool:
        if isinstance(value, str) or not (hasattr(value, "shape") or hasattr(value, "__len__")):
            return False
        length = value.shape[0] if getattr(value, "shape", ()) else len(value)
        return bool(length == len(self.target))


@contextmanager
def explaining(estimator: Any, members: Features, names: Names) -> Iterator[None]:
    """Turn any exception of the estimator into one sentence that names the subset."""
    try:
        yield
    except Exception as error:
        raise CriterionError(
            f"{type(estimator).__name__} raised {type(error).__name__} on {shown(members, names)}: {error}"
        ) from error


def _drawn(cv: Any, data: Dataset, classifies: bool) -> list[tuple[Any, Any]]:
    try:
        splitter = check_cv(cv, data.target, classifier=classifies)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # classes with few samples are no reason to warn here
            return list(splitter.split(np.zeros((data.n_samples, 1)), data.target))
    except (TypeError, ValueError) as error:
        raise DataError(f"`cv` must be able to split {data.name}, got: {error}") from error


def _values(fits: Fits, table: Any, features: Features, names: Names, subsets: list[Features]) -> list[float]:
    """Value some subsets, given the columns of their features; a worker runs this."""
    part = Dataset(table, allow_missing=True)
    with one_thread():
        return [_value(fits, part.select(np.searchsorted(features, members)), members, names) for members in subsets]


def _values_there(key: str, subsets: list[Features]) -> list[float]:
    """Value some subsets of data that the worker holds; a worker of a cluster runs this."""
    from sweepless._cluster import held

    fits, data = held(key)
    with one_thread():
        return [_value(fits, data.select(members), members, data.feature_names) for members in subsets]


def _value(fits: Fits, table: Any, members: Features, names: Names) -> float:
    with explaining(fits.estimator, members, names):
        scores = fits.scores(table)
    return checked_value(np.mean([checked_value(score, members, names) for score in scores]), members, names)
