"""Cross-validation of any scikit-learn estimator as a criterion."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from joblib.parallel import get_active_backend
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.utils.parallel import Parallel, delayed

from sweepless._threads import one_thread
from sweepless._typing import Features, Values
from sweepless._workers import tied_to_us
from sweepless.criteria.base import Criterion, Cursor, checked_value, require_members
from sweepless.criteria.begun import SHARE as BEGUN_SHARE
from sweepless.criteria.begun import ahead_when_begun
from sweepless.criteria.column_names import needs_frame
from sweepless.criteria.cross_validation import (
    CrossValidation,
    Fits,
    OutOfBag,
    Scored,
    Started,
    drawn,
    explaining,
    is_oob,
    scorer_of,
    with_oob_score,
)
from sweepless.criteria.fit_tasks import Found, Task, scored, scores_of, scores_there
from sweepless.criteria.gains import ahead
from sweepless.criteria.short_looks import SHARE
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.errors import InputError

_CHUNKS_PER_JOB = 4  # few, so that columns are sent seldom, but enough that no worker waits long

_MOST_STARTED = 100  # of so many subsets, the most promising ones, what was begun is kept; others begin anew


@dataclass(frozen=True)
class EstimatorCriterion(Criterion):
    """Mean cross-validation score of a scikit-learn estimator on the subset's columns.

    Parameters
    ----------
    estimator : scikit-learn estimator
        Cloned before every fit. Give a random estimator an integer `random_state`: otherwise J is not a function of
        the subset, and runs cannot be reproduced.
    scoring : str, callable or None
        As in scikit-learn; None is the estimator's own `score`. "oob" is for forests with `oob_score`, alone or at the
        end of a pipeline: one fit on all samples, of which each is predicted by the trees that have not seen it
        (accuracy or R², or the metric that `oob_score` names).
    cv : int, splitter or iterable
        As in scikit-learn; the splits are drawn once, when the criterion is bound to data. "oob" needs none.
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
        if self.is_oob:
            with_oob_score(self.estimator)

    @property
    def is_oob(self) -> bool:
        """Whether subsets are valued by out-of-bag predictions."""
        return is_oob(self.scoring)

    def __repr__(self) -> str:
        scoring = "" if self.scoring is None else f", scoring={self.scoring!r}"
        cv = f"{len(self.cv)} given splits" if isinstance(self.cv, list) else repr(self.cv)
        return f"EstimatorCriterion({self.estimator!r}{scoring}{'' if self.is_oob else f', cv={cv}'})"

    def bind(self, data: Dataset) -> EstimatorCursor:
        return EstimatorCursor(self, data)

    def validate(self, train: Dataset, test: Dataset, members: Features) -> float:
        """Return the score on `test` of the estimator fitted on `train`, without `fit_params` and `score_params`."""
        members = require_members(members)
        scorer = scorer_of(self.estimator, self.scoring)
        with explaining(self.estimator, members, train.feature_names):
            fitted = clone(self.estimator).fit(train.select(members), train.target)
            score = scorer(fitted, test.select(members), test.target)
        return checked_value(score, members, train.feature_names)


class EstimatorCursor(Cursor):
    """Fits and scores the estimator for every subset, all folds at once or, to estimate its value, the first ones."""

    takes_missing = True

    def __init__(self, criterion: EstimatorCriterion, data: Dataset) -> None:
        super().__init__(data)
        self.criterion = criterion
        estimator = criterion.estimator
        if is_classifier(estimator) and data.target.ndim == 1:
            data.require_classes()
        data.require_variation()
        self._fits = _fits(criterion, data)
        self._looks_first = self._fits.short is not None
        self.rungs = _rungs(self._fits)
        self.compares = self._fits.gains is not None
        self._glimpsed: dict[bytes, dict[int, Scored]] = {}  # what the fits of subsets came to
        self._started: dict[bytes, Started] = {}  # what they have begun
        self._glimpsed_from = b""  # where the cursor stood then
        self.n_at_once = self._n_jobs = effective_n_jobs(criterion.n_jobs)
        self._held: tuple[Any, str] | None = None
        needs_names = data.frame is not None and needs_frame(data.frame, estimator, criterion.scoring)
        self._columns = data if needs_names else data.without_frame()
        if sparse.issparse(data.X):
            data.X.sort_indices()

    def evaluate(self, members: Features) -> float:
        return float(self.evaluate_many([members])[0])

    def evaluate_many(self, subsets: list[Features]) -> Values:
        return self._means([require_members(members) for members in subsets], self._on_folds(self._fits.n_folds))

    def glimpse(self, subsets: list[Features], rung: int) -> Values:
        """Return the mean scores of the fits of a rung, which are kept while the cursor stands where it is.

        Every rung has whole fits on one more fold. If there are short ones, the first rung has nothing else, and they
        stand for the folds that are left; those that will be continued are made on the first fold only. The fold that
        was the last one comes first when the cursor has moved on: who was unlucky there is next judged by other
        samples.
        """
        self._forget_elsewhere()
        return self._means([require_members(members) for members in subsets], self._on_folds(self._n_whole(rung)))

    def compare(self, subsets: list[Features], rung: int, rivals: list[Features], n_errors: float) -> Values:
        """Return what J will be if subsets and rivals differ elsewhere as they do in the fits that were made."""
        self._forget_elsewhere()
        n_whole = self._n_whole(rung)
        subsets, rivals = ([require_members(members) for members in some] for some in (subsets, rivals))
        here, first, every = (self._on_folds(n) for n in (n_whole, 0, self._fits.n_folds))
        values = self._means(rivals, every)
        self._means(subsets, here)  # these fits were made before, unless a journal knows of them
        if self._looks_first:
            self._means(rivals, first)
        ours, whole, short = self._gains(subsets, here), self._gains(rivals, every), self._gains(rivals, first)
        if self._fits.continues and n_whole == 0:
            return np.asarray(values.mean() + ahead_when_begun(ours, short, whole, n_errors))
        looked = short if self._looks_first and not self._fits.continues else []
        return np.asarray(values.mean() + ahead(ours, whole, looked, n_whole, n_errors))

    def _n_whole(self, rung: int) -> int:
        """Return on how many folds a subset has whole fits on a rung."""
        return rung if self._looks_first else rung + 1

    def _on_folds(self, n_whole: int) -> list[int]:
        """Return the fits that tell most about a subset with whole ones on some folds: short ones on the others."""
        n_folds, size = self._fits.n_folds, self.size
        folds = [(place - size) % n_folds for place in range(n_folds)]
        n_looked = 0 if not self._looks_first else 1 if self._fits.continues else n_folds
        return folds[:n_whole] + [n_folds + fold for fold in folds[n_whole:n_looked]]

    def _gains(self, subsets: list[Features], fits: list[int]) -> list[list[Values]]:
        """Return what samples gain by the same fits, fold by fold."""
        return [[self._glimpsed[members.tobytes()][fit][1] for fit in fits] for members in subsets]

    def _forget_elsewhere(self) -> None:
        if (here := self.members.tobytes()) != self._glimpsed_from:
            self._glimpsed, self._started, self._glimpsed_from = {}, {}, here

    def _means(self, subsets: list[Features], fits: list[int]) -> Values:
        """Return the mean scores by some fits; none is made twice."""
        fits = sorted(fits)  # a sum must not depend on where the cursor stands
        keys = [members.tobytes() for members in subsets]
        known = [self._glimpsed.get(key, {}) for key in keys]
        missing = [[fit for fit in fits if fit not in row] for row in known]
        todo = [place for place, some in enumerate(missing) if some]
        # What was begun is continued only once, also if that is interrupted.
        tasks = [(subsets[place], missing[place], self._started.pop(keys[place], {})) for place in todo]
        started = {}
        for place, (new, begun) in zip(todo, self._scores(tasks), strict=True):
            known[place] = known[place] | dict(zip(missing[place], new, strict=True))
            if begun:
                started[keys[place]] = begun
        if self.members.tobytes() == self._glimpsed_from:
            self._glimpsed.update(zip(keys, known, strict=True))
            if started:
                self._keep(started)
        means = [
            checked_value(np.mean([row[fit][0] for fit in fits]), members, self.names)
            for members, row in zip(subsets, known, strict=True)
        ]
        return np.array(means, dtype=np.float64)

    def _keep(self, started: dict[bytes, Started]) -> None:
        """Keep what was begun of the most promising subsets; all of it might not fit into memory."""
        (look,) = self._on_folds(0)
        self._started |= started
        best = sorted(self._started, key=lambda key: -self._glimpsed[key][look][0])
        self._started = {key: self._started[key] for key in best[:_MOST_STARTED]}

    def _scores(self, tasks: list[Task]) -> list[Found]:
        if not tasks:
            return []
        if self._n_jobs == 1 or len(tasks) < 2:
            with one_thread():
                return [scored(self._fits, self._columns.select(task[0]), task, self.names) for task in tasks]
        n_chunks = min(len(tasks), _CHUNKS_PER_JOB * self._n_jobs)
        bounds = np.linspace(0, len(tasks), n_chunks + 1).astype(int).tolist()
        work = self._work()
        with one_thread():  # here too: workers may be threads
            found = Parallel(n_jobs=self._n_jobs, **tied_to_us())(
                work(tasks[first:last]) for first, last in pairwise(bounds)
            )
        return [one for part in found for one in part]

    def _work(self) -> Callable[[list[Task]], Any]:
        """Return a function that sends tasks to a worker, with their columns unless the worker holds the data."""
        client = getattr(get_active_backend()[0], "client", None)  # only Dask's backend has one
        if client is None:
            return self._with_columns
        if self._held is None or self._held[0] is not client:
            from sweepless._cluster import lend

            self._held = client, lend(client, (self._fits, self._columns), self)
        return partial(delayed(scores_there), self._held[1])

    def _with_columns(self, tasks: list[Task]) -> Any:
        features = np.unique(np.concatenate([task[0] for task in tasks]))
        names = None if self.names is None else {feature: self.names[feature] for feature in features.tolist()}
        return delayed(scores_of)(self._fits, self._columns.select(features), features, names, tasks)

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        return self.evaluate_many([self._neighbor(direction, candidate) for candidate in candidates])


def _fits(criterion: EstimatorCriterion, data: Dataset) -> Fits:
    estimator, fit_params = criterion.estimator, criterion.fit_params or {}
    if criterion.is_oob:
        return OutOfBag(with_oob_score(estimator), data.target, fit_params)
    scorer = scorer_of(estimator, criterion.scoring)
    splits = drawn(criterion.cv, data, is_classifier(estimator))
    return CrossValidation(estimator, scorer, data.target, splits, fit_params, criterion.score_params or {})


def _rungs(fits: Fits) -> tuple[float, ...]:
    """Return the work, in values, that is done on every rung; none if the first one is the value."""
    whole = [n_whole / fits.n_folds for n_whole in range(1, fits.n_folds + 1)]
    if fits.short is None:
        return tuple(whole) if len(whole) > 1 else ()
    if fits.continues:
        return (BEGUN_SHARE * whole[0], *whole)
    return (SHARE, *(SHARE + share for share in whole))
