"""A cursor for k-NN over several partitions into folds, which share the distances of all pairs of samples."""

from __future__ import annotations

from itertools import pairwise
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Values
from sweepless.criteria.base import require_members
from sweepless.criteria.folds import Partition
from sweepless.criteria.neighbors.cursor import NeighborCursor, drift_of
from sweepless.criteria.neighbors.distances import Distances
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
        super().__init__(criterion, data, frame, is_listed=False)

    def evaluate(self, members: Features) -> float:
        columns = self.data.columns(require_members(members))
        return float(self._values(self._count_by_definition(columns)[None, :])[0])

    def evaluate_many(self, subsets: list[Features]) -> Values:
        correct = self._no_points(len(subsets))
        nothing = np.zeros((1, self.data.n_samples))  # a candidate that adds nothing to any distance

        def work(first: int, last: int) -> None:
            for k in range(first, last):
                columns = self.data.columns(require_members(subsets[k]))
                distances = Distances(self._frame, self.data.n_samples, self._manhattan, is_kept=False)
                middles, spans = self._ranges_of(columns)
                distances.begin(columns, middles, spans)
                drift = drift_of(len(columns), float(spans.sum()), distances.error())
                if drift is None:
                    correct[k] = self._count_by_definition(columns)
                    continue
                rows, slots = np.ascontiguousarray(columns.T), np.zeros(1, dtype=np.int64)
                for some, shown in distances.in_blocks(np.arange(self._n_rows)):
                    self._count(some, shown, rows, slots, nothing, drift, Direction.ADD, correct[k : k + 1])

        self._threads.spread(len(subsets), work)
        return self._values(correct)

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        columns = self.data.columns(candidates)
        drift = self._drift(self._ranges(candidates)[1])
        if drift is None:
            return super()._peek(direction, candidates)
        slots = self._slots(candidates)
        correct = self._no_points(len(candidates))
        lock = Lock()

        def work(first: int, last: int) -> None:
            found = np.zeros_like(correct)
            for some, shown in self._distances.in_blocks(np.arange(first, last)):
                self._count(some, shown, self._rows, slots, columns, drift, direction, found)
            with lock:  # other threads count in other rows
                np.add(correct, found, out=correct)

        self._threads.spread(self._n_rows, work)
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
        some: Features,
        distances: AnyArray,
        rows: Values,
        slots: Counts,
        columns: Values,
        drift: float,
        direction: Direction,
        correct: Counts,
    ) -> None:
        """Count the points of some neighbors in some rows, of the subset that has these distances and these values."""
        centered, spans = self._centered(columns)
        count_repeated(
            self._frame,
            some,
            distances,
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
