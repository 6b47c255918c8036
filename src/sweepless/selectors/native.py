"""The criterion that computes what `cross_val_score` of an estimator says: native if that is exact, else fitted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import Pipeline

from sweepless._typing import Counts, Features, Values
from sweepless.criteria.base import Criterion, Cursor
from sweepless.criteria.composite import Mean
from sweepless.criteria.estimator import EstimatorCriterion
from sweepless.criteria.fallback import Fallback
from sweepless.criteria.folds import Partition, Split
from sweepless.dataset import Dataset
from sweepless.errors import InputError
from sweepless.selectors.chosen import Chosen
from sweepless.selectors.far import FARTHEST, left_aside
from sweepless.selectors.native_columns import scaler_of
from sweepless.selectors.native_linear import LINEAR
from sweepless.selectors.native_rules import DECLINING, FITTED, RECOGNIZED, Recipe, Setting, Splits
from sweepless.selectors.native_scores import NotNative, is_loss
from sweepless.selectors.native_weights import sample_weight_of
from sweepless.selectors.resampled import Resampled
from sweepless.selectors.scaled import Scaled
from sweepless.selectors.scaled_folds import bound_at_once


def native_criterion(
    estimator: Any,
    data: Dataset,
    scoring: Any,
    splits: Splits,
    n_jobs: int | None,
    fit_params: Mapping[str, Any] | None = None,
) -> Criterion:
    """Return the criterion with the values of the estimator's cross-validation, or raise `NotNative`."""
    steps, final = _taken_apart(estimator)
    recognize = (RECOGNIZED | LINEAR).get(type(final))
    if recognize is None:
        why = f", since {FITTED[type(final)]}" if type(final) in FITTED else ""
        raise NotNative(f"there is no native criterion for {type(final).__name__}{why}")
    if data.has_missing:
        raise NotNative("the data have missing values")
    scalers = tuple(scaler_of(step, data) for step in steps)
    if scalers and (sparse.issparse(data.X) or (data.X.dtype.kind == "f" and data.X.dtype.itemsize != 8)):
        raise NotNative("only dense data of doubles or integers are scaled natively")
    recipe = recognize(final, Setting(data, scoring, splits, bool(scalers), n_jobs or "auto"))
    weights = sample_weight_of(estimator, final, fit_params or {}, data, splits)
    criterion = _over_splits(recipe, scalers, splits, data.n_samples, weights)
    aside = left_aside(final, scalers, data, is_loss(scoring))
    if scalers or aside or type(final) in (*DECLINING, *LINEAR) or not _is_always_defined(final, scoring):
        return Fallback(criterion, EstimatorCriterion(estimator, scoring, list(splits), n_jobs, fit_params), aside)
    return criterion


def _is_always_defined(estimator: Any, scoring: Any) -> bool:
    """Tell whether the score has a value whatever is predicted, and predictions never hang on rounding."""
    if getattr(estimator, "weights", None) == "distance":
        return False
    squares = ("r2", "neg_mean_squared_error", "neg_root_mean_squared_error")
    return scoring is None or scoring in (("accuracy",) if is_classifier(estimator) else squares)


def _over_splits(
    recipe: Recipe, scalers: tuple[Any, ...], splits: Splits, n_samples: int, weights: Values | None
) -> Criterion:
    partition = None if scalers else _as_partition(splits, n_samples)
    if partition is not None:
        return _weighted(recipe(partition), weights)
    return OverSplits([_on_split(recipe, scalers, np.array(train), np.array(test), weights) for train, test in splits])


def _weighted(criterion: Criterion, weights: Values | None) -> Criterion:
    return criterion if weights is None else replace(criterion, sample_weight=weights)  # type: ignore[type-var]


def _on_split(
    recipe: Recipe, scalers: tuple[Any, ...], train: Counts, test: Counts, weights: Values | None
) -> Criterion:
    if not len(train) or not len(test):
        raise NotNative("a split holds nothing to train on or to test")
    rows = np.concatenate([train, test])
    repeats = len(np.unique(rows)) < len(rows)
    split = Split(range(len(train)), range(len(train), len(rows))) if repeats else Split(train, test)  # type: ignore[arg-type]
    criterion = _weighted(recipe(split), weights[rows] if repeats and weights is not None else weights)
    if scalers:
        criterion = Scaled(criterion, scalers, split)
    return Resampled(criterion, tuple(rows.tolist())) if repeats else criterion


@dataclass(frozen=True, repr=False)
class OverSplits(Mean):
    """The mean of one criterion over several splits."""

    def __repr__(self) -> str:
        return f"mean over {len(self.criteria)} splits of {self.criteria[0]!r}"

    def bind(self, data: Dataset) -> Cursor:
        return bound_at_once(self.criteria, data) or super().bind(data)

    def validate(self, train: Dataset, test: Dataset, members: Features) -> float:
        """Return the holdout value, which does not depend on splits."""
        return self.criteria[0].validate(train, test, members)


def _taken_apart(estimator: Any) -> tuple[tuple[Any, ...], Any]:
    """Return the first steps of a pipeline and its final estimator."""
    if type(estimator) is not Pipeline:
        return (), estimator
    steps = [step for _, step in estimator.steps if step is not None and step != "passthrough"]
    if not steps or estimator.steps[-1][1] is not steps[-1]:
        raise NotNative("the pipeline ends in no estimator")
    if getattr(estimator, "transform_input", None) is not None:
        raise NotNative("the pipeline transforms more than X")
    return tuple(steps[:-1]), steps[-1]


def _as_partition(splits: Splits, n_samples: int) -> Partition | None:
    """Return the splits as a partition, or None if they are none.

    A partition tests every sample once, and trains on it, in ascending order of rows, for all other folds.
    """
    folds = np.full(n_samples, -1, dtype=np.int64)
    for fold, (train, test) in enumerate(splits):
        is_whole = len(train) + len(test) == n_samples and np.all(np.diff(train) > 0)
        if len(test) == 0 or not is_whole or np.any(folds[test] >= 0):
            return None
        folds[test] = fold
        apart = np.ones(n_samples, dtype=np.bool_)
        apart[test] = False
        apart[train] = False
        if apart.any():
            return None
    return Partition(folds) if len(splits) > 1 and np.all(folds >= 0) else None  # type: ignore[arg-type]


def choose_criterion(
    estimator: Any,
    data: Dataset,
    *,
    scoring: Any = None,
    splits: Splits,
    native: Literal["auto"] | bool = "auto",
    n_jobs: int | None = None,
    fit_params: Mapping[str, Any] | None = None,
    score_params: Mapping[str, Any] | None = None,
) -> Chosen:
    """Choose the criterion whose value is `cross_val_score(estimator, X[:, subset], y, cv=splits).mean()`.

    Parameters
    ----------
    estimator : scikit-learn estimator
    data : Dataset
        The data that the criterion will be bound to.
    scoring : str, callable or None
        As in scikit-learn.
    splits : list of (train, test)
        Row numbers of the data.
    native : {"auto", True, False}
        Whether to compute without the estimator where that gives the same value; True insists, False declines.
    n_jobs : int or None
        How many candidates are valued at once.
    fit_params, score_params : mapping, optional
        Further arguments of `fit` and of the scorer; entries with one element per sample are split like the samples.

    Raises
    ------
    InputError
        If `native` is True and the estimator has to be fitted itself.
    """
    if native not in ("auto", True, False):
        raise InputError(f"`native` must be 'auto', True or False, got {native!r}.")
    name = type(estimator).__name__
    reason = "`native` is False"
    if native is not False:
        try:
            if score_params:
                raise NotNative("only the estimator itself knows what to do with parameters for its score")
            criterion = native_criterion(estimator, data, scoring, splits, n_jobs, fit_params or None)
            last = estimator[-1] if isinstance(estimator, Pipeline) else estimator
            deviation = _DEVIATIONS.get(type(last))
            note = _note(criterion, deviation)
            text = f"{name} is computed natively by {criterion}: {note}."
            return Chosen(criterion, True, text, deviation is not None)
        except NotNative as found:
            reason = str(found)
    if native is True:
        raise InputError(
            f"`native=True` must come with an estimator that sweepless computes itself, got {name}: {reason}."
        )
    fitted = EstimatorCriterion(estimator, scoring, list(splits), n_jobs, fit_params or None, score_params or None)
    scored = "out of bag" if fitted.is_oob else "by cross-validation"
    return Chosen(fitted, False, f"{name} is fitted and scored {scored}: {reason}.")


def _note(criterion: Criterion, deviation: str | None) -> str:
    """Say how the values compare with cross-validation of the estimator."""
    aside = criterion.aside if isinstance(criterion, Fallback) else ()
    far = f"with a feature whose mean is more than {FARTHEST:,.0f} deviations from zero ({len(aside)} of them)"
    if deviation is not None:
        note = f"{deviation}; `cv_results_` holds what the estimator itself scores"
        return f"{note}; subsets {far} are fitted and scored" if aside else note
    if isinstance(criterion, Fallback):
        also = f", and those {far}" if aside else ""
        return f"same values; subsets whose value would hang on rounding are still fitted and scored{also}"
    return "same values"


_TIES = (
    "same values but for ties: of equally distant samples the lowest row is nearer, which where values repeat may "
    "change scores and what is selected"
)
_OPTIMUM = (
    "values at the optimum, and fitted ones where rounding would decide them; scikit-learn's solvers stop short of the "
    "optimum, so its own score may differ slightly"
)
_DEVIATIONS: dict[type, str] = {KNeighborsClassifier: _TIES, KNeighborsRegressor: _TIES} | dict.fromkeys(
    LINEAR, _OPTIMUM
)
"""Estimators whose own scores may differ from the native ones, and how."""
