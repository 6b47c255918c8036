"""A cursor for k-NN over several partitions into folds, which share the distances of all pairs of samples."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Values
from sweepless.criteria.base import require_members
from sweepless.criteria.folds import Partition
from sweepless.criteria.neighbors.cursor import NeighborCursor, drift_of
from sweepless.criteria.neighbors.layout import layout
from sweepless.criteria.neighbors.votes import VoteScore
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.kernels.neighbors.definition import count_correct_by_definition
from sweepless.kernels.neighbors.repeats import count_repeated

if TYPE_CHECKING:
    from sweepless.criteria.neighbors.knn import KNN


class RepeatedKNNCursor(NeighborCursor):
    """Counts points for every fold of every partition; the definition takes one partition after the other."""

    def __init__(self, criterion: KNN, repeats: Partition, data: Dataset) -> None:
        data.require_classes()
        data.require_variation()
        self.criterion = criterion
        n_neighbors = criterion.n_neighbors
        self._score = VoteScore(str(criterion.score), n_neighbors)
        shared = data.codes, data.codes, criterion.ties, n_neighbors, data.name
        self._parts = [layout(partition, *shared) for partition in repeats.each()]
        frame, _ = layout("loo", *shared)
        self._row_fold = np.array([partition.folds for partition in repeats.each()], dtype=np.int64)
        self._col_fold = np.ascontiguousarray(self._row_fold[:, frame.col_sample[0]])
        self._sizes = np.concatenate([np.bincount(folds) for folds in self._row_fold])
        self._bounds = np.cumsum([0, *(n_folds for _, n_folds in self._parts)])  # of the accounts of each partition
        # Some listed columns will be of the row's own fold, in most partitions less than half of them.
        self._n_listed = min(2 * n_neighbors + 6, data.n_samples)
        super().__init__(criterion, data, frame)

    def evaluate(self, members: Features) -> float:
        columns = self.data.columns(require_members(members))
        return float(self._values(self._count_by_definition(columns)[None, :])[0])

    def evaluate_many(self, subsets: list[Features]) -> Values:
        correct = self._no_points(len(subsets))
        nothing = np.zeros((1, self.data.n_samples))  # a candidate that adds nothing to any distance
        none_kept = np.empty((0, 0), dtype=np.float32)

        def work(first: int, last: int) -> None:
            for k in range(first, last):
                columns = self.data.columns(require_members(subsets[k]))
                drift = drift_of(len(columns), float(self._centered(columns)[1].sum()))
                if drift is None:
                    correct[k] = self._count_by_definition(columns)
                else:
                    rows, slots = np.ascontiguousarray(columns.T), np.zeros(1, dtype=np.int64)
                    self._count(none_kept, rows, slots, nothing, drift, Direction.ADD, correct[k : k + 1])

        self._threads.spread(len(subsets), work)
        return self._values(correct)

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        columns = self.data.columns(candidates)
        drift = self._drift(self._centered(columns)[1])
        if drift is None:
            return super()._peek(direction, candidates)
        self._near(direction)
        slots = self._slots(candidates)
        correct = self._no_points(len(candidates))

        def work(first: int, last: int) -> None:
            part = slice(first, last)
            self._count(self._filtered, self._rows, slots[part], columns[part], drift, direction, correct[part])

        self._threads.spread(len(candidates), work)
        return self._values(correct)

    def _values(self, correct: Counts) -> Values:
        """Return the mean over the partitions of the mean over their folds."""
        total = np.zeros(len(correct))
        for first, last in pairwise(self._bounds):
            total += self._score.values(correct[:, first:last], self._sizes[first:last])
        return total / len(self._parts)

    def _no_points(self, n_subsets: int) -> Counts:
        return np.zeros((n_subsets, len(self._sizes)), dtype=np.int64)

    def _count_by_definition(self, columns: Values) -> Counts:
        neighbors, gains = self.criterion.n_neighbors, self._score.gains
        counts = [
            count_correct_by_definition(frame, columns, neighbors, n_folds, self._manhattan, gains)
            for frame, n_folds in self._parts
        ]
        return np.concatenate(counts)

    def _count(
        self,
        filtered: AnyArray,
        rows: Values,
        slots: Counts,
        columns: Values,
        drift: float,
        direction: Direction,
        correct: Counts,
    ) -> None:
        """Count the points of some neighbours of the subset that has these distances and these values."""
        centered, spans = self._centered(columns)
        count_repeated(
            self._frame,
            filtered,
            rows,
            slots,
            columns,
            centered,
            spans,
            drift,
            direction.sign,
            self.criterion.n_neighbors,
            self._n_listed,
            self._manhattan,
            self._row_fold,
            self._col_fold,
            self._bounds,
            self._score.gains,
            correct,
        )
