"""From an estimator, a scoring and splits to the native criterion that computes the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scipy import sparse
from sklearn.pipeline import Pipeline

from sweepless._typing import Features
from sweepless.criteria.base import Criterion
from sweepless.criteria.composite import Mean
from sweepless.criteria.estimator import EstimatorCriterion
from sweepless.criteria.fallback import Settled
from sweepless.dataset import Dataset
from sweepless.selectors.far import left_aside
from sweepless.selectors.native_rules import DECLINING, RECOGNISED, NotNative, Recipe, Setting
from sweepless.selectors.partition import Splits, as_partition, as_single_splits
from sweepless.selectors.scaled import SCALERS, Scaled


def native_criterion(estimator: Any, data: Dataset, scoring: Any, splits: Splits, n_jobs: int | None) -> Criterion:
    """Return the criterion that computes what cross-validation of the estimator says, or raise `NotNative`."""
    if data.has_missing:
        raise NotNative("the data have missing values")
    scalers, final = _taken_apart(estimator)
    recognise = RECOGNISED.get(type(final))
    if recognise is None:
        raise NotNative(f"there is no native criterion for {type(final).__name__}")
    if scalers and (sparse.issparse(data.X) or (data.X.dtype.kind == "f" and data.X.dtype.itemsize != 8)):
        raise NotNative("only dense data of doubles or integers are scaled natively")
    recipe = recognise(final, Setting(data, scoring, splits, bool(scalers), n_jobs or 1))
    criterion = _over_splits(recipe, scalers, splits, data.n_samples)
    aside = left_aside(final, scalers, data)
    if scalers or aside or type(final) in DECLINING:
        return Settled(criterion, EstimatorCriterion(estimator, scoring, list(splits), n_jobs), aside)
    return criterion


def _over_splits(recipe: Recipe, scalers: tuple[Any, ...], splits: Splits, n_samples: int) -> Criterion:
    partition = None if scalers else as_partition(splits, n_samples)
    if partition is not None:
        return recipe(partition)
    singles = as_single_splits(splits)
    if singles is None:
        raise NotNative("a split holds a sample twice, or nothing to train on or to test")
    alone = [recipe(split) for split in singles]
    return OverSplits([Scaled(one, scalers, split) for one, split in zip(alone, singles)] if scalers else alone)


@dataclass(frozen=True, repr=False)
class OverSplits(Mean):
    """The mean of one and the same criterion over several splits."""

    def __repr__(self) -> str:
        return f"mean over {len(self.criteria)} splits of {self.criteria[0]!r}"

    def validate(self, train: Dataset, test: Dataset, members: Features) -> float:
        """Return the holdout value, which does not depend on splits."""
        return self.criteria[0].validate(train, test, members)


def _taken_apart(estimator: Any) -> tuple[tuple[Any, ...], Any]:
    """Return the scalers of a pipeline, and what they are for."""
    if type(estimator) is not Pipeline:
        return (), estimator
    steps = [step for _, step in estimator.steps if step is not None and step != "passthrough"]
    if not steps or estimator.steps[-1][1] is not steps[-1]:
        raise NotNative("the pipeline ends in no estimator")
    for step in steps[:-1]:
        if type(step) not in SCALERS or getattr(step, "clip", False):
            raise NotNative(f"the pipeline holds {step!r}, which is no plain scaler of single features")
    if getattr(estimator, "transform_input", None) is not None:
        raise NotNative("the pipeline transforms more than X")
    return tuple(steps[:-1]), steps[-1]
