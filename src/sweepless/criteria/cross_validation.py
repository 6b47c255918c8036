"""Scores of an estimator on the splits of cross-validation, or on the samples that its bootstrap left out."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, TypeAlias

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing

from sweepless._typing import AnyArray, Features, Values
from sweepless.criteria.base import Names, shown
from sweepless.criteria.begun import begun, continued
from sweepless.criteria.gains import NONE, Gains, gains_of, last_of
from sweepless.criteria.short_looks import rough, shortened
from sweepless.dataset import Dataset
from sweepless.errors import CriterionError, DataError, InputError

OOB = "oob"
"""The `scoring` of forests by the samples that each tree has not seen."""


Scored: TypeAlias = tuple[Any, Values]
"""The score of a fold, and what each of its samples gains."""
Started: TypeAlias = dict[int, Any]
"""What was begun on some folds and can be continued."""


class Fits(Protocol):
    """Everything that the score of a subset needs except its columns, as it is sent to workers."""

    @property
    def estimator(self) -> Any: ...

    @property
    def n_folds(self) -> int: ...

    @property
    def gains(self) -> Gains | None: ...

    @property
    def short(self) -> Any | None:
        """A smaller estimator for first looks, if there is one."""

    @property
    def continues(self) -> bool:
        """Whether the smaller estimator only begins what the estimator does."""

    def scores(self, table: Any, fits: Sequence[int], started: Started) -> tuple[list[Scored], Started]:
        """Return the scores of some fits, in order, and what samples gain there; and what they have begun.

        Fit k is a clone of the estimator on fold k; fit `n_folds` + k is one of the smaller estimator. Where something
        was begun, the estimator continues with that, and nobody may do so again.
        """


@dataclass(frozen=True)
class CrossValidation:
    """Fits on the training part of every split and scores on the rest."""

    estimator: Any
    scorer: Any
    target: AnyArray
    splits: list[tuple[Any, Any]]
    fit_params: Mapping[str, Any]
    score_params: Mapping[str, Any]

    @property
    def n_folds(self) -> int:
        return len(self.splits)

    @cached_property
    def gains(self) -> Gains | None:
        return None if self.score_params else gains_of(self.estimator, self.scorer, self.target)

    @cached_property
    def short(self) -> Any | None:
        return shortened(self.estimator) if self._begun is None else self._begun

    @property
    def continues(self) -> bool:
        return self._begun is not None

    @cached_property
    def _begun(self) -> Any | None:
        return begun(self.estimator, len(self.target))

    def scores(self, table: Any, fits: Sequence[int], started: Started) -> tuple[list[Scored], Started]:
        found, new = [], {}
        for fit in fits:
            fold, is_short = fit % self.n_folds, fit >= self.n_folds
            if is_short or fold not in started:
                estimator = clone(self.short if is_short else self.estimator)
            else:
                estimator = continued(started[fold], self.estimator)
            train = self.splits[fold][0]
            estimator.fit(
                _safe_indexing(table, train), self.target[train], **_of(self.fit_params, train, len(self.target))
            )
            found.append(self._scored(estimator, table, fold, is_rough=is_short and not self.continues))
            if is_short and self.continues:
                new[fold] = estimator
        return found, new

    def _scored(self, fitted: Any, table: Any, fold: int, *, is_rough: bool) -> Scored:
        test = self.splits[fold][1]
        tested = _safe_indexing(table, test), self.target[test]
        if self.gains is None:
            return self.scorer(fitted, *tested, **_of(self.score_params, test, len(self.target))), NONE
        if not is_rough:
            return self.gains.scored(self.scorer, fitted, *tested)
        score, gains = rough(self.gains).scored(self.scorer, fitted, *tested)
        return gains.mean() if len(gains) else score, gains


@dataclass(frozen=True)
class OutOfBag:
    """Fits a forest once on all samples and scores each by the trees that have not seen it."""

    estimator: Any
    target: AnyArray
    fit_params: Mapping[str, Any]

    @property
    def n_folds(self) -> int:
        return 1

    @property
    def gains(self) -> None:
        return None

    @property
    def short(self) -> None:
        return None

    @property
    def continues(self) -> bool:
        return False

    def scores(self, table: Any, fits: Sequence[int], _: Started) -> tuple[list[Scored], Started]:
        forests = [last_of(clone(self.estimator).fit(table, self.target, **self.fit_params)) for _ in fits]
        return [(forest.oob_score_, NONE) for forest in forests], {}


def is_oob(scoring: Any) -> bool:
    """Tell whether a score is that of out-of-bag predictions."""
    return isinstance(scoring, str) and scoring == OOB


def scorer_of(estimator: Any, scoring: Any) -> Any:
    """Return scikit-learn's scorer, which scores other samples than those of the bag by the estimator's own score."""
    return check_scoring(estimator, scoring=None if is_oob(scoring) else scoring)


def with_oob_score(estimator: Any) -> Any:
    """Return a clone of a forest that computes its out-of-bag score, or raise if it has none."""
    forest = last_of(estimator)
    params = forest.get_params(deep=False) if hasattr(forest, "get_params") else {}
    if "oob_score" not in params or not params.get("bootstrap", True):
        raise InputError(
            f"`scoring='{OOB}'` must come with a forest that draws bootstrap samples and has `oob_score`, "
            f"got {estimator!r}."
        )
    scored = clone(estimator)
    if not params["oob_score"]:  # it may also be a metric of the user's choice
        last_of(scored).set_params(oob_score=True)
    return scored


def drawn(cv: Any, data: Dataset, classifies: bool) -> list[tuple[Any, Any]]:
    """Return the splits of the data, drawn once."""
    try:
        splitter = check_cv(cv, data.target, classifier=classifies)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # classes with few samples are no reason to warn here
            return list(splitter.split(np.zeros((data.n_samples, 1)), data.target))
    except (TypeError, ValueError) as error:
        raise DataError(f"`cv` must be able to split {data.name}, got: {error}") from error


@contextmanager
def explaining(estimator: Any, members: Features, names: Names) -> Iterator[None]:
    """Turn any exception of the estimator into one sentence that names the subset."""
    try:
        yield
    except Exception as error:
        raise CriterionError(
            f"{type(estimator).__name__} raised {type(error).__name__} on {shown(members, names)}: {error}"
        ) from error


def _of(params: Mapping[str, Any], rows: Any, n_samples: int) -> dict[str, Any]:
    """Return the parameters for some samples: entries with one element per sample are split."""
    return {
        name: _safe_indexing(value, rows) if _is_per_sample(value, n_samples) else value
        for name, value in params.items()
    }


def _is_per_sample(value: Any, n_samples: int) -> bool:
    if isinstance(value, str) or not (hasattr(value, "shape") or hasattr(value, "__len__")):
        return False
    length = value.shape[0] if getattr(value, "shape", ()) else len(value)
    return bool(length == n_samples)
