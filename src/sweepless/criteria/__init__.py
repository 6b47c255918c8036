"""Criteria: what a subset of features is worth.

A criterion is a frozen description of J; `criterion.bind(data)` returns a cursor, which values the neighbours of the
subset it stands at. All names below are imported on first use.

Your own criterion takes two classes. A subclass of `Criterion`, best a frozen dataclass, defines `bind(data)`; a
subclass of `Cursor` defines `evaluate(members)`, which returns J of a subset from scratch. Greater is better, and
the same subset must always have the same value. That is enough for every search. To be faster, a cursor also defines
`_peek(direction, candidates)`, which must agree with `evaluate` to the last bit, and `_rebuild()` and
`_step(direction, feature)`, which keep what `_peek` needs up to date. Define `validate(train, test, members)` on the
criterion for holdout values. `sweepless.testing.check_criterion` checks all of this. Without classes,
`FunctionCriterion` takes any function of the subset.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what an editor and mypy see; `_HOMES` says the same at run time
    from sweepless.criteria.base import Criterion as Criterion
    from sweepless.criteria.base import Cursor as Cursor
    from sweepless.criteria.bayes.gaussian import GaussianNB as GaussianNB
    from sweepless.criteria.bayes.multinomial import MultinomialNB as MultinomialNB
    from sweepless.criteria.composite import Mean as Mean
    from sweepless.criteria.composite import Memoized as Memoized
    from sweepless.criteria.composite import Penalized as Penalized
    from sweepless.criteria.estimator import EstimatorCriterion as EstimatorCriterion
    from sweepless.criteria.filters import CFS as CFS
    from sweepless.criteria.filters import JointMutualInformation as JointMutualInformation
    from sweepless.criteria.folds import Partition as Partition
    from sweepless.criteria.folds import Split as Split
    from sweepless.criteria.function import FunctionCriterion as FunctionCriterion
    from sweepless.criteria.gaussian.distances import GaussianBhattacharyya as GaussianBhattacharyya
    from sweepless.criteria.gaussian.distances import GaussianDivergence as GaussianDivergence
    from sweepless.criteria.gaussian.distances import GeneralizedMahalanobis as GeneralizedMahalanobis
    from sweepless.criteria.linear.ridge import RidgeCriterion as RidgeCriterion
    from sweepless.criteria.multinomial.bhattacharyya import MultinomialBhattacharyya as MultinomialBhattacharyya
    from sweepless.criteria.neighbors.knn import KNN as KNN
    from sweepless.criteria.neighbors.regression import KNNRegression as KNNRegression
    from sweepless.criteria.svm import SVM as SVM
    from sweepless.criteria.units import Units as Units

_HOMES = {
    "base": ["Criterion", "Cursor"],
    "bayes.gaussian": ["GaussianNB"],
    "bayes.multinomial": ["MultinomialNB"],
    "composite": ["Mean", "Memoized", "Penalized"],
    "estimator": ["EstimatorCriterion"],
    "filters": ["CFS", "JointMutualInformation"],
    "folds": ["Partition", "Split"],
    "function": ["FunctionCriterion"],
    "gaussian.distances": ["GaussianBhattacharyya", "GaussianDivergence", "GeneralizedMahalanobis"],
    "linear.ridge": ["RidgeCriterion"],
    "multinomial.bhattacharyya": ["MultinomialBhattacharyya"],
    "neighbors.knn": ["KNN"],
    "neighbors.regression": ["KNNRegression"],
    "svm": ["SVM"],
    "units": ["Units"],
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
