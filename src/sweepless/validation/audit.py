"""Rows that the search never sees, and what its subsets are worth there."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, clone, is_classifier
from sklearn.model_selection import (
    BaseShuffleSplit,
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    LeavePGroupsOut,
    LeavePOut,
    PredefinedSplit,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
)
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import _check_method_params

from sweepless._typing import Features, Values
from sweepless.criteria.base import Criterion
from sweepless.criteria.cross_validation import explaining, is_oob, scorer_of
from sweepless.dataset import Dataset
from sweepless.errors import AuditWarning, InputError

# Splitters to which the order of the rows means nothing.
_UNORDERED = (
    BaseShuffleSplit,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    LeavePGroupsOut,
    LeavePOut,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
    StratifiedKFold,
)
_BLOCKS = 10  # for scores whose standard error no formula gives

Scored = Callable[[Features], Callable[[Features], float]]
"""Takes a subset of features, fits, and returns the score on some rows of the held-back data."""


def held_back(
    audit: Any, cv: Any, data: Dataset, groups: Any, classifies: bool, seed: int
) -> tuple[Features, Features] | None:
    """Return the rows to search on and the rows to hold back, ascending; None without an audit.

    Rows that a share holds back stand to the others as the test rows of the splitter `cv` stand to its training rows:
    they are the last where folds follow time, of other groups where there are groups, and drawn otherwise.
    """
    if audit is None or audit is False:
        return None
    counts = cv is None or isinstance(cv, int | np.integer)
    if isinstance(cv, PredefinedSplit) or not (counts or hasattr(cv, "split")):
        raise InputError("`cv` must split whatever rows `audit` leaves, got folds of all rows by number.")
    if hasattr(audit, "split") and not isinstance(audit, str):
        splitter = audit
    elif not (isinstance(audit, float | np.floating) and 0.0 < audit < 1.0):
        raise InputError(f"`audit` must be a fraction between 0 and 1, a splitter or None, got {audit!r}.")
    elif isinstance(cv, TimeSeriesSplit):
        return _last_rows(float(audit), data.n_samples, cv.gap)
    elif not (counts or isinstance(cv, _UNORDERED)):
        raise InputError(
            f"`audit` must be a splitter, which says what rows to hold back, for cv={cv!r}, got {audit!r}."
        )
    else:
        kind = GroupShuffleSplit if groups is not None else StratifiedShuffleSplit if classifies else ShuffleSplit
        splitter = kind(1, test_size=float(audit), random_state=seed % 2**32)
    train, test = next(iter(splitter.split(np.zeros((data.n_samples, 1)), data.y, groups)))
    return np.sort(train), np.sort(test)


def _last_rows(share: float, n_samples: int, gap: int) -> tuple[Features, Features]:
    first = n_samples - ceil(share * n_samples)
    if first - gap < 2:
        raise InputError(f"`audit` must leave rows to search, got {share:g} of {n_samples} with a gap of {gap}.")
    return np.arange(first - gap), np.arange(first, n_samples)


@dataclass(frozen=True)
class Audit:
    """Values subsets on held-back data, with standard errors."""

    scored: Scored
    blocks: Features  # of every held-back sample
    is_accuracy: bool = False

    @staticmethod
    def of_criterion(criterion: Criterion, train: Dataset, test: Dataset) -> Audit:
        """Audit by the criterion's own holdout validation."""

        def scored(members: Features) -> Callable[[Features], float]:
            return lambda rows: criterion.validate(train, test.take(rows), members)

        return Audit(scored, _blocks(test))

    @staticmethod
    def of_estimator(
        estimator: Any,
        scoring: Any,
        train: Dataset,
        test: Dataset,
        fit_params: Mapping[str, Any],
        score_params: Mapping[str, Any],
    ) -> Audit:
        """Audit by fitting on all that the search saw and scoring on what it did not."""
        scorer = scorer_of(estimator, scoring)

        def scored(members: Features) -> Callable[[Features], float]:
            with explaining(estimator, members, train.feature_names):
                fitted = clone(estimator).fit(train.select(members), train.target, **fit_params)

            def score(rows: Features) -> float:
                part = test.take(rows)
                with explaining(estimator, members, train.feature_names):
                    params = _check_method_params(test.X, score_params, rows)
                    return float(scorer(fitted, part.select(members), part.target, **params))

            return score

        return Audit(scored, _blocks(test), _is_accuracy(estimator, scoring) and not score_params)

    def __call__(self, subsets: list[Features]) -> tuple[Values, Values]:
        """Return the score of every subset on held-back data, and its standard error.

        The error is that of a share for accuracy. For any other score it is a jackknife: what the score would
        be without each of ten blocks of samples, and how much that differs.
        """
        values, errors = np.empty(len(subsets)), np.empty(len(subsets))
        n_samples, n_blocks = len(self.blocks), int(self.blocks.max()) + 1
        parts = [np.flatnonzero(self.blocks != block) for block in range(n_blocks)]
        for k, members in enumerate(subsets):
            score = self.scored(members)
            values[k] = score(np.arange(n_samples))
            if self.is_accuracy:
                errors[k] = np.sqrt(values[k] * (1.0 - values[k]) / (n_samples - 1))
            else:
                without = np.array([score(rows) for rows in parts])
                errors[k] = np.sqrt((n_blocks - 1) * np.mean((without - without.mean()) ** 2))
        return values, errors


def warn_of_gap(size: int, optimized: float, audited: float, error: float) -> None:
    """Warn if the optimized value is more than two standard errors above the audited one."""
    if optimized - audited > 2.0 * error:
        warnings.warn(
            f"the search reached {optimized:.4g} with {size} features, but data it never saw give {audited:.4g}, "
            f"lower by more than two standard errors ({error:.2g} each): the optimized value is not what to expect.",
            AuditWarning,
            stacklevel=5,
        )


def _is_accuracy(estimator: Any, scoring: Any) -> bool:
    if scoring is not None and not is_oob(scoring):
        return isinstance(scoring, str) and scoring == "accuracy"
    last = estimator[-1] if isinstance(estimator, Pipeline) else estimator
    kind = type(last)
    return is_classifier(last) and (kind.__module__.startswith("sklearn.") or kind.score is ClassifierMixin.score)


def _blocks(test: Dataset) -> Features:
    """Deal the samples to blocks, in the order of their targets so that every block has its share of each class."""
    n_samples = test.n_samples
    if n_samples < 2:
        raise InputError(f"`audit` must hold back at least 2 samples, got {n_samples}.")
    order = np.arange(n_samples)
    if test.y is not None and test.y.ndim == 1:
        order = np.argsort(test.y, kind="stable")
    blocks = np.empty(n_samples, dtype=np.intp)
    blocks[order] = np.arange(n_samples) % min(_BLOCKS, n_samples)
    return blocks
