"""A second value that decides between candidates of equal J, where J is an accuracy and has few levels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from sweepless.criteria.base import Criterion, Cursor
from sweepless.criteria.function import FunctionCriterion
from sweepless.criteria.linear.ridge import RidgeCriterion
from sweepless.criteria.linear.targets import Score
from sweepless.criteria.scoring import numbers, require_squares
from sweepless.criteria.standardized import Standardized
from sweepless.criteria.wrapper import Wrapper, require_criterion
from sweepless.dataset import Dataset
from sweepless.errors import DataError

_PENALTY = 4.0  # per sample, on features of deviation 1


@dataclass(frozen=True)
class TieBreak(Wrapper):
    """Another criterion, with a second one that decides between candidates of equal value.

    J is that of the first criterion, and so is everything that is counted, recorded and compared; only where several
    candidates of a step share the greatest value, the greatest second value wins among them. Of equal second values the
    first candidate wins. The reference engine ignores second values.

    Parameters
    ----------
    criterion : Criterion
    second : Criterion
        Values subsets of the same features. It is bound at the first tie, and its values are not evaluations.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sweepless import Dataset, run
    >>> from sweepless.criteria import KNN, GaussianDivergence, TieBreak
    >>> data = Dataset(*load_iris(return_X_y=True))
    >>> run("SFS", TieBreak(KNN(), GaussianDivergence()), data, target=2).features.tolist()
    [2, 3]
    """

    second: Criterion

    def __post_init__(self) -> None:
        super().__post_init__()
        require_criterion("second", self.second)

    def __str__(self) -> str:
        return str(self.criterion)

    def screen(self, data: Dataset) -> Criterion | None:
        return self.criterion.screen(data)

    def bind(self, data: Dataset) -> Cursor:
        cursor = self.criterion.bind(data)
        if (n_second := self.second.n_features(data)) != cursor.n_features:
            raise DataError(
                f"`second` must value subsets of the same {cursor.n_features} features of {data.name}, got {n_second}."
            )
        cursor.second = partial(self.second.bind, data)
        return cursor


def smooth_second(criterion: Criterion, data: Dataset) -> Criterion | None:
    """Return a smooth criterion that tells apart what the given one values alike; None if there is none for the data.

    It is leave-one-out R² of a strongly penalized ridge regression on standardized features. A function of subsets has
    no second value, because nobody knows what it is about, and neither have data with missing values, without a target,
    or with several.
    """
    if isinstance(criterion, TieBreak | FunctionCriterion) or data.has_missing or data.y is None or data.y.ndim != 1:
        return None
    try:
        data.require_variation()
        if data.has_classes:
            data.require_classes()
        else:
            target = numbers(data)
            require_squares(target, data.name)
    except DataError:
        return None
    if not data.has_classes and np.ptp(target) == 0.0:
        return None
    score: Score = "class_r2" if data.has_classes else "r2"
    return Standardized(RidgeCriterion(_PENALTY * data.n_samples, "loo", score))
