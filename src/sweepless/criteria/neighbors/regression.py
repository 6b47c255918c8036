"""k-NN regression by cross-validation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from sweepless._checks import one_of, whole
from sweepless._typing import Features, Values
from sweepless.criteria.base import Criterion, require_members
from sweepless.criteria.folds import Folds, Split, checked_folds, number_tested
from sweepless.criteria.neighbors.cursor import NeighborCursor
from sweepless.criteria.neighbors.layout import holdout, layout
from sweepless.criteria.scoring import numbers, regression_scores, require_squares
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.kernels.neighbors.regression import sum_errors, sum_errors_by_definition


@dataclass(frozen=True)
class KNNRegression(Criterion):
    """Mean score over the folds of a k-NN regressor.

    Parameters
    ----------
    n_neighbors : int
        The prediction is the mean target of the nearest `n_neighbors` samples; of equally distant samples the one of
        the lowest row counts as nearer.
    folds : int, "loo", Partition or Split
        Number of contiguous blocks of samples; or leave-one-out, which is scored over all samples together; or
        given folds, also as an array of the fold of each sample; or one given split.
    score : {"r2", "mse", "rmse"}
        R², each fold around its own mean as in scikit-learn, or minus the mean squared error, or minus its root.
    metric : {"euclidean", "manhattan"}
    n_jobs, memory_limit : int
        As for `KNN`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sweepless import Dataset
    >>> from sweepless.criteria import KNNRegression
    >>> data = Dataset(*load_diabetes(return_X_y=True))
    >>> round(KNNRegression().bind(data).evaluate([2, 8]), 4)
    0.3915
    """

    n_neighbors: int = 5
    folds: Folds = 3
    score: Literal["r2", "mse", "rmse"] = "r2"
    metric: Literal["euclidean", "manhattan"] = "euclidean"
    n_jobs: int = field(default=1, repr=False, compare=False)
    memory_limit: int = field(default=4 * 2**30, repr=False, compare=False)

    def __post_init__(self) -> None:
        whole("n_neighbors", self.n_neighbors, 1)
        object.__setattr__(self, "folds", checked_folds(self.folds, "loo", Split))
        one_of("score", self.score, ("r2", "mse", "rmse"))
        one_of("metric", self.metric, ("euclidean", "manhattan"))
        whole("memory_limit", self.memory_limit, 0)

    def bind(self, data: Dataset) -> KNNRegressionCursor:
        return KNNRegressionCursor(self, data)

    def operations(self, data: Dataset, size: int) -> float:
        return 8.0 * number_tested(self.folds, data.n_samples) * data.n_samples  # measured: 0.9 ms at 300 samples

    def validate(self, train: Dataset, test: Dataset, members: Features) -> float:
        """Return the score on `test` of the regressor trained on all of `train`."""
        members = require_members(members)
        targets = np.concatenate([_squarable(train), _squarable(test)])
        frame = holdout(np.zeros(train.n_samples, np.int64), np.zeros(test.n_samples, np.int64), "index")
        columns = np.hstack([train.columns(members), test.columns(members)])
        errors = np.zeros(1)
        sum_errors_by_definition(frame, columns, self.n_neighbors, self.metric == "manhattan", targets, errors)
        return float(self.scores(errors[None, :], [targets[train.n_samples :]])[0])

    def scores(self, errors: Values, targets: list[Values]) -> Values:
        """Return J from the squared errors of every fold and the targets predicted there."""
        total = np.zeros(len(errors))
        for fold, actual in enumerate(targets):
            # A constant target is predicted perfectly or not at all.
            total += regression_scores(errors[:, fold], actual, self.score, errors[:, fold] == 0.0)
        return np.asarray(total / len(targets))


class KNNRegressionCursor(NeighborCursor):
    """Adds up the squared errors of every neighbour, whose nearest samples are proved or found by the definition."""

    def __init__(self, criterion: KNNRegression, data: Dataset) -> None:
        data.require_variation()
        self.criterion = criterion
        self._target = _squarable(data)
        alike = np.zeros(data.n_samples, dtype=np.int64)  # one stratum, one class
        frame, n_accounts = layout(criterion.folds, alike, alike, "index", criterion.n_neighbors, data.name)
        self._targets = [self._target[frame.row_sample[frame.row_account == k]] for k in range(n_accounts)]
        super().__init__(criterion, data, frame, listed=False)

    def evaluate(self, members: Features) -> float:
        columns = self.data.columns(require_members(members))
        errors = np.zeros(len(self._targets))
        sum_errors_by_definition(
            self._frame, columns, self.criterion.n_neighbors, self._manhattan, self._target, errors
        )
        return float(self.criterion.scores(errors[None, :], self._targets)[0])

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        columns = self.data.columns(candidates)
        centered, spans = self._centered(columns)
        drift = self._drift(spans)
        if drift is None:
            return super()._peek(direction, candidates)
        self._near(direction)
        slots = self._slots(candidates)
        errors = np.zeros((len(candidates), len(self._targets)))

        def work(first: int, last: int) -> None:
            part = slice(first, last)
            sum_errors(
                self._frame,
                self._filtered,
                self._rows,
                slots[part],
                columns[part],
                centered[part],
                spans[part],
                drift,
                direction.sign,
                self.criterion.n_neighbors,
                self._manhattan,
                self._target,
                errors[part],
            )

        self._threads.spread(len(candidates), work)
        return self.criterion.scores(errors, self._targets)


def _squarable(data: Dataset) -> Values:
    return require_squares(numbers(data), data.name)
