"""k-NN by cross-validation where near neighbors weigh more, for classes and for numbers, as in scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from sweepless._checks import one_of, whole
from sweepless._typing import Values
from sweepless.criteria.base import Criterion
from sweepless.criteria.folds import Folds, Split, checked_folds, number_tested
from sweepless.criteria.neighbors.regression import PredictingCursor, squarable
from sweepless.criteria.scores.base import Outputs, Score, cost_of
from sweepless.criteria.scores.names import score_of
from sweepless.criteria.scores.outputs import LossScore, log_loss
from sweepless.dataset import Dataset

_CLOSE = 2.0**-38  # shares of weight that differ by less may be equal without rounding
_LARGEST_ERROR = 4e-13  # of a log loss
_MOST_LOST = 256.0  # squares in units of squared distances: expanded distances still have twelve digits


@dataclass(frozen=True)
class DistanceKNN(Criterion):
    """Mean score over the folds of k-NN whose neighbors weigh as much as their distance is short.

    Parameters
    ----------
    n_neighbors : int
        Of equally distant samples the one of the lowest row counts as nearer. Where some neighbors coincide with a
        sample, only these count.
    folds : int, "loo", Partition or Split
        As for `KNN` or `KNNRegression`.
    score : str or Score
        The name of a score of scikit-learn, for classes or for numbers.
    metric : {"euclidean", "manhattan"}
    exact_size : int
        Up to this size of a subset, the estimator's distances are sums of squared differences. For larger ones it
        expands the squares, and a subset has no value here (NaN) if that loses digits between neighbors.
    n_jobs, memory_limit : int
        As for `KNN`.

    Notes
    -----
    Equal weights of two classes, up to rounding, leave a subset without a value, too. `Fallback` leaves such subsets to
    an estimator.
    """

    n_neighbors: int = 5
    folds: Folds = 3
    score: str | Score = "accuracy"
    metric: Literal["euclidean", "manhattan"] = "euclidean"
    exact_size: int = field(default=0, repr=False)
    n_jobs: int | Literal["auto"] = field(default="auto", repr=False, compare=False)
    memory_limit: int = field(default=4 * 2**30, repr=False, compare=False)

    def __post_init__(self) -> None:
        whole("n_neighbors", self.n_neighbors, 1)
        object.__setattr__(self, "folds", checked_folds(self.folds, "loo", Split))
        score_of(self.score, "numbers", "labels", "outputs", "probabilities")
        one_of("metric", self.metric, ("euclidean", "manhattan"))
        whole("exact_size", self.exact_size, 0)
        whole("memory_limit", self.memory_limit, 0)

    def bind(self, data: Dataset) -> DistanceKNNCursor:
        return DistanceKNNCursor(self, data)

    def operations(self, data: Dataset, size: int) -> float:
        tested = number_tested(self.folds, data.n_samples)
        each = tested * (8.0 * data.n_samples + 4.0 * self.n_neighbors * size)
        return each + cost_of(self.score, self.folds, data.n_samples)


class DistanceKNNCursor(PredictingCursor):
    """Predicts the share of the weight that each class has, or a number."""

    criterion: DistanceKNN

    def __init__(self, criterion: DistanceKNN, data: Dataset) -> None:
        score = score_of(criterion.score, "numbers", "labels", "outputs", "probabilities")
        self._classifies = score.needs != "numbers"
        if self._classifies:
            data.require_classes()
            # scikit-learn's scorers take the share of the first of two classes for the complement of the other's.
            is_log = isinstance(score, LossScore) and score.loss is log_loss
            self._has_complements = is_log and len(data.classes) == 2
            shares = (data.codes == np.arange(len(data.classes))[:, None]).astype(np.float64)
            super().__init__(criterion, data, score, shares, data.codes, data.classes)
        else:
            alike = np.zeros(data.n_samples, dtype=np.int64)
            super().__init__(criterion, data, score, squarable(data)[None], alike, np.empty(0))

    def _limit(self, size: int) -> float:
        return np.inf if self._manhattan or size <= self.criterion.exact_size else _MOST_LOST

    def _score(self, fold: int, predicted: Values) -> Values:
        if self._classifies:
            doubts = np.tile([_CLOSE, 0.0, 0.0], (len(predicted), 1))
            values = self._scores[fold](Outputs(np.ascontiguousarray(predicted), doubts, (0.0, 1.0)))
            if self._has_complements:
                values[_lost(predicted) > _LARGEST_ERROR] = np.nan
        else:
            values = super()._score(fold, predicted)
        return np.where(np.isnan(predicted).any(axis=(1, 2)), np.nan, values)


def _lost(shares: Values) -> Values:
    """Bound what a mean log loss loses if a positive share has no more digits than one has."""
    errors = np.divide(2.0**-51, shares, out=np.zeros(shares.shape), where=shares > 0.0)
    return np.asarray(errors.max(axis=1).mean(axis=1))
