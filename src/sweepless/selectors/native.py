"""Estimators that a native criterion computes exactly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.neighbors import KNeighborsClassifier

from sweepless.criteria.base import Criterion
from sweepless.criteria.composite import Mean
from sweepless.criteria.folds import Folds
from sweepless.criteria.knn import KNN
from sweepless.dataset import Dataset
from sweepless.selectors.partition import Splits, as_partition, as_single_splits


class NotNative(Exception):
    """Why an estimator has to be run itself; no sentence, but the end of one."""


def native_criterion(estimator: Any, data: Dataset, scoring: Any, splits: Splits, n_jobs: int | None) -> Criterion:
    """Return the criterion that computes what cross-validation of the estimator says, or raise `NotNative`."""
    recognise = _RECOGNISED.get(type(estimator))
    if recognise is None:
        raise NotNative(f"there is no native criterion for {type(estimator).__name__}")
    partition = as_partition(splits, data.n_samples)
    if partition is not None:
        return recognise(estimator, data, scoring, partition, n_jobs or 1)
    singles = as_single_splits(splits)
    if singles is None:
        raise NotNative("a split holds a sample twice")
    return Mean([recognise(estimator, data, scoring, split, n_jobs or 1) for split in singles])


def _knn(estimator: Any, data: Dataset, scoring: Any, folds: Folds, n_jobs: int) -> Criterion:
    _require_accuracy(scoring)
    _require(estimator, "weights", "uniform")
    return KNN(estimator.n_neighbors, folds, "index", _metric(estimator), n_jobs)


def _metric(estimator: Any) -> Any:
    if estimator.metric_params:
        raise NotNative("`metric_params` are given")
    if estimator.metric in ("euclidean", "l2") or (estimator.metric == "minkowski" and estimator.p == 2):
        return "euclidean"
    if estimator.metric in ("manhattan", "l1", "cityblock") or (estimator.metric == "minkowski" and estimator.p == 1):
        return "manhattan"
    raise NotNative(f"the metric {estimator.metric!r} is neither euclidean nor manhattan")


def _require(estimator: Any, name: str, *allowed: Any) -> None:
    value = getattr(estimator, name)
    if not any(value is one or (isinstance(value, type(one)) and value == one) for one in allowed):
        raise NotNative(f"`{name}={value!r}` is not computed natively")


def _require_accuracy(scoring: Any) -> None:
    if not (scoring is None or (isinstance(scoring, str) and scoring == "accuracy")):
        raise NotNative(f"`scoring={scoring!r}` is not computed natively")


_RECOGNISED: dict[type, Callable[[Any, Dataset, Any, Folds, int], Criterion]] = {KNeighborsClassifier: _knn}
