"""k-NN regression by cross-validation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from sweepless._checks import one_of, whole
from sweepless._typing import AnyArray, Counts, Features, Mask, Values
from sweepless.criteria.base import Criterion, require_members
from sweepless.criteria.folds import Folds, Split, checked_folds, number_tested
from sweepless.criteria.neighbors.cursor import NeighborCursor, centered_at
from sweepless.criteria.neighbors.layout import holdout, layout
from sweepless.criteria.neighbors.near import Block, NearLists, Settler, open_mask
from sweepless.criteria.neighbors.resources import Spares
from sweepless.criteria.scores.base import BoundScore, Score, cost_of, mean_over_folds
from sweepless.criteria.scores.names import score_of
from sweepless.criteria.scoring import numbers, require_squares
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.kernels._lanes import WIDTH, aligned
from sweepless.kernels.neighbors.lists import LANES, Room
from sweepless.kernels.neighbors.ranked import room_to_rank
from sweepless.kernels.neighbors.regression import predict_by_definition, predict_neighbors
from sweepless.kernels.neighbors.several import Weighing, predict_by_lists
from sweepless.kernels.neighbors.tied import Step

_BLOCK_CELLS = 1 << 22  # predictions at a time: 32 megabytes
_SMALLEST_BLOCK = 48
ALIKE = -1.0
"""All neighbors weigh the same."""


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
    score : str or Score
        The name of a score of scikit-learn for regressors, such as "r2", each fold around its own mean; "mse" and
        "rmse" are short for minus the mean squared error and minus its root.
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
    score: str | Score = "r2"
    metric: Literal["euclidean", "manhattan"] = "euclidean"
    n_jobs: int | Literal["auto"] = field(default="auto", repr=False, compare=False)
    memory_limit: int = field(default=4 * 2**30, repr=False, compare=False)

    def __post_init__(self) -> None:
        whole("n_neighbors", self.n_neighbors, 1)
        object.__setattr__(self, "folds", checked_folds(self.folds, "loo", Split))
        score_of(self.score, "numbers")
        one_of("metric", self.metric, ("euclidean", "manhattan"))
        whole("memory_limit", self.memory_limit, 0)

    def bind(self, data: Dataset) -> KNNRegressionCursor:
        return KNNRegressionCursor(self, data)

    def operations(self, data: Dataset, size: int) -> float:
        # What it took before lists, as in `KNN`.
        each = 8.0 * number_tested(self.folds, data.n_samples) * data.n_samples
        return each + cost_of(self.score, self.folds, data.n_samples)

    def validate(self, train: Dataset, test: Dataset, members: Features) -> float:
        """Return the score on `test` of the regressor trained on all of `train`."""
        members = require_members(members)
        targets = np.concatenate([squarable(train), squarable(test)])
        frame = holdout(np.zeros(train.n_samples, np.int64), np.zeros(test.n_samples, np.int64), "index")
        columns = np.hstack([train.columns(members), test.columns(members)])
        predicted = np.empty((1, test.n_samples))
        is_manhattan = self.metric == "manhattan"
        predict_by_definition(frame, columns, self.n_neighbors, is_manhattan, ALIKE, targets[None], predicted)
        score = BoundScore(score_of(self.score, "numbers"), test.target, np.empty(0))
        return float(score(predicted)[0])


class PredictingCursor(NeighborCursor):
    """Predicts by every neighbor, whose nearest samples are proved or found by the definition."""

    def __init__(
        self, criterion: Any, data: Dataset, score: Score, targets: Values, strata: Counts, classes: AnyArray
    ) -> None:
        data.require_variation()
        self.criterion = criterion
        self._targets = targets
        truth = data.codes if len(classes) else data.target
        alike = np.zeros(data.n_samples, dtype=np.int64)  # one class: neighbors are predicted from, they do not vote
        frame, n_accounts = layout(criterion.folds, alike, strata, "index", criterion.n_neighbors, data.name)
        self._places = [np.flatnonzero(frame.row_account == k) for k in range(n_accounts)]
        self._scores = [BoundScore(score, truth[frame.row_sample[rows]], classes) for rows in self._places]
        self._predicted = np.empty((0, len(targets), len(frame.row_sample)))
        super().__init__(criterion, data, frame, is_listed=True)
        length, n_columns = self._near.length if self._near else 0, frame.col_sample.shape[1]
        self._ranked = Spares(lambda: room_to_rank(length, n_columns, criterion.n_neighbors, 1))

    def _limit(self, size: int) -> float:
        """Return how neighbors weigh for a subset of this size, as the kernels take it."""
        return ALIKE

    def _score(self, fold: int, predicted: Values) -> Values:
        """Return the values of predictions of shape (candidate, target, sample) in one fold."""
        return self._scores[fold](predicted[:, 0])

    def evaluate(self, members: Features) -> float:
        columns = self.data.columns(require_members(members))
        predicted = np.empty((1, len(self._targets), self._n_rows))
        options = self.criterion.n_neighbors, self._manhattan, self._limit(len(columns))
        predict_by_definition(self._frame, columns, *options, self._targets, predicted[0])
        return float(self._values(predicted)[0])

    def _values(self, predicted: Values) -> Values:
        return mean_over_folds([self._score(k, _of_fold(predicted, rows)) for k, rows in enumerate(self._places)])

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        width = max(_SMALLEST_BLOCK, _BLOCK_CELLS // (self._n_rows * len(self._targets)))
        candidates = candidates.copy()
        blocks = [self._peek_block(direction, candidates, k, k + width) for k in range(0, len(candidates), width)]
        return np.concatenate([np.empty(0), *blocks])

    def _peek_block(self, direction: Direction, everyone: Features, start: int, stop: int) -> Values:
        candidates = everyone[start:stop]
        (columns, places), (middles, spans) = self.data.lend(candidates), self._ranges(candidates)
        drift = self._drift(spans)
        if drift is None:
            return super()._peek(direction, candidates)
        slots = self._slots(candidates)
        predicted = self._room_for(len(candidates))
        limit = self._limit(len(self._features) + direction.sign)

        near = self._near if len(self._features) else None
        margins = [] if near is None else self._margins(spans, drift)

        def work(first: int, last: int) -> None:
            left = self._by_group[first:last]
            is_open = open_mask(self._n_rows, left, len(candidates))
            if near is not None:
                tied = columns, places, slots
                blocks = near.blocks(everyone, start, columns, places, middles, margins)
                left = near.settle(left, blocks, self._settler(near, direction, tied, is_open, limit, predicted))
            if not len(left):
                return
            values = columns[places]
            centered = centered_at(middles, values)
            for some, distances in self._distances.in_blocks(left):
                predict_neighbors(
                    self._frame,
                    some,
                    distances,
                    is_open,
                    self._rows,
                    slots,
                    values,
                    centered,
                    spans,
                    drift,
                    direction.sign,
                    self.criterion.n_neighbors,
                    self._manhattan,
                    limit,
                    self._targets,
                    predicted,
                )

        self._threads.spread(self._n_rows, work, len(candidates))
        return self._values(predicted)

    def _room_for(self, n_candidates: int) -> Values:
        """Return room for predictions, again and again the same: new one would come from the system, page by page."""
        if len(self._predicted) < n_candidates:
            self._predicted = np.empty((n_candidates, len(self._targets), self._n_rows))
        return self._predicted[:n_candidates]

    def _settler(
        self,
        near: NearLists,
        direction: Direction,
        tied: tuple[Values, Features, Counts],
        is_open: Mask,
        limit: float,
        predicted: Values,
    ) -> Settler:
        """Return what predicts by the neighbors that can be proved, and marks the rows as no longer open."""
        pairs, members = self._distances.pairs(), self._members()
        (columns, places, slots), order = tied, np.arange(self.data.n_samples)
        means, weighing = aligned(WIDTH, LANES, np.float64), None
        if limit >= 0.0:
            weighing = Weighing(self._rows, limit, np.empty(near.n_columns, np.int64), np.empty(near.n_columns))

        def by_lists(some: Features, block: Block, room: Room, n_open: Counts) -> None:
            (first, last, beside, margin), ranked = block, self._ranked.take()
            rows = near.lists, self._frame, pairs, some, *self._distances.grid
            how = beside, margin, direction.sign, self._manhattan, room, False
            step = Step(*members, columns, places[first:last], slots[first:last], order)
            ending = first, is_open, is_open.view(np.uint64), n_open, predicted[first:last]
            predict_by_lists(*rows, *how, step, ranked, weighing, means, self._targets, *ending)
            self._ranked.give(ranked)

        return by_lists


class KNNRegressionCursor(PredictingCursor):
    """Predicts one number."""

    def __init__(self, criterion: KNNRegression, data: Dataset) -> None:
        score, alike = score_of(criterion.score, "numbers"), np.zeros(data.n_samples, dtype=np.int64)
        super().__init__(criterion, data, score, squarable(data)[None], alike, np.empty(0))


def _of_fold(predicted: Values, rows: Counts) -> Values:
    """Return the predictions of some rows, as they are where these follow one another."""
    if len(rows) and rows[-1] - rows[0] + 1 == len(rows):
        return predicted[:, :, rows[0] : rows[-1] + 1]
    return predicted.take(rows, axis=2)


def squarable(data: Dataset) -> Values:
    return require_squares(numbers(data), data.name)
