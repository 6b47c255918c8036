"""k-NN by cross-validation: the wrapper criterion of the paper, and smooth scores of the votes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from sweepless._checks import one_of, whole
from sweepless._typing import Counts, Features, Values
from sweepless.criteria.base import Criterion, Cursor, require_members
from sweepless.criteria.composite import Mean
from sweepless.criteria.folds import Folds, Partition, Split, checked_folds, number_tested
from sweepless.criteria.neighbors.cursor import LARGEST_SUM, NearLists, NeighborCursor
from sweepless.criteria.neighbors.layout import by_rank, holdout, layout
from sweepless.criteria.neighbors.repeated import RepeatedKNNCursor
from sweepless.criteria.neighbors.votes import SCORES, Score, VoteScore
from sweepless.criteria.scoring import codes_known_to
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.kernels.neighbors.definition import count_correct_by_definition
from sweepless.kernels.neighbors.filter import count_correct
from sweepless.kernels.neighbors.probes import count_correct_anywhere
from sweepless.kernels.neighbors.singles import count_correct_alone


@dataclass(frozen=True)
class KNN(Criterion):
    """Mean score over the folds of a k-NN classifier, by default its accuracy.

    Parameters
    ----------
    n_neighbors : int
        The nearest `n_neighbors` samples vote; equal votes go to the lowest class.
    folds : int, "loo", Partition or Split
        Number of positional stratified folds, contiguous within each class and not shuffled; or leave-one-out; or
        given folds, also as an array of the fold of each sample; or one given split; or several partitions into given
        folds, also as an array with one partition per row.
    ties : {"class", "index"}
        Which of several equally distant samples counts as nearer: the one of the lowest class, then of the lowest
        row (as in the paper), or simply that of the lowest row (as in scikit-learn). On sparse or discrete data this
        changes results, so it is part of the criterion.
    metric : {"euclidean", "manhattan"}
    score : {"accuracy", "brier", "log_loss"}
        The accuracy, or minus a loss of the shares that the classes have of the votes, which tells more subsets apart:
        minus the Brier score, from -1 to 0, or minus the logarithmic loss, for which no class counts as less than half
        a vote.
    n_jobs : int
        Threads over candidates, -1 for all cores; the values do not depend on it.
    memory_limit : int
        The most bytes that the distances of the working subset may take: 16 per pair of samples, or 12 for several
        neighbours. Above this limit they are computed whenever they are needed, which is slower, with a warning.

    Notes
    -----
    A peek costs O(n²) per candidate at worst and mostly O(n), for any size of the subset.
    Values are exactly those of the definition: doubles summed in ascending feature order.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sweepless import Dataset
    >>> from sweepless.criteria import KNN
    >>> data = Dataset(*load_iris(return_X_y=True))
    >>> round(KNN().bind(data).evaluate([2, 3]), 4)
    0.9669
    """

    n_neighbors: int = 1
    folds: Folds = 3
    ties: Literal["class", "index"] = "class"
    metric: Literal["euclidean", "manhattan"] = "euclidean"
    score: Score = "accuracy"
    n_jobs: int = field(default=1, repr=False, compare=False)
    memory_limit: int = field(default=4 * 2**30, repr=False, compare=False)

    def __post_init__(self) -> None:
        whole("n_neighbors", self.n_neighbors, 1)
        object.__setattr__(self, "folds", checked_folds(self.folds, "loo", Split))
        one_of("ties", self.ties, ("class", "index"))
        one_of("metric", self.metric, ("euclidean", "manhattan"))
        one_of("score", self.score, SCORES)
        whole("memory_limit", self.memory_limit, 0)

    def __repr__(self) -> str:
        metric = "" if self.metric == "euclidean" else f", metric={self.metric!r}"
        score = "" if self.score == "accuracy" else f", score={self.score!r}"
        return f"KNN(n_neighbors={self.n_neighbors}, folds={self.folds!r}, ties={self.ties!r}{metric}{score})"

    def bind(self, data: Dataset) -> Cursor:
        if not isinstance(self.folds, Partition) or self.folds.repeats == 1:
            return KNNCursor(self, self.folds, data)
        if self.n_neighbors > 1:
            return RepeatedKNNCursor(self, self.folds, data)
        # The lists of one neighbour are faster for each partition by itself than all distances for all partitions.
        share = self.memory_limit // self.folds.repeats
        return Mean([replace(self, folds=each, memory_limit=share) for each in self.folds.each()]).bind(data)

    def operations(self, data: Dataset, size: int) -> float:
        # Measured for one neighbor: 1.5, 4 and 40 us at 60, 300 and 1,000 samples; for five: 0.07, 0.9 and 5 ms.
        each = 30.0 + data.n_samples / 50 if self.n_neighbors == 1 else 8.0 * data.n_samples
        return number_tested(self.folds, data.n_samples) * each

    def validate(self, train: Dataset, test: Dataset, members: Features) -> float:
        """Return the score on `test` of the classifier trained on all of `train`."""
        members = require_members(members)
        n_neighbors = min(self.n_neighbors, train.n_samples)
        score = VoteScore(self.score, n_neighbors)
        frame = holdout(train.codes, codes_known_to(train, test), self.ties)
        columns = np.hstack([train.columns(members), test.columns(members)])
        points = count_correct_by_definition(frame, columns, n_neighbors, 1, self.metric == "manhattan", score.gains)
        return float(score.values(points[None, :], np.array([test.n_samples]))[0])


class KNNCursor(NeighborCursor):
    """Counts the correctly classified samples of every neighbour, or the points of their votes.

    As far as the nearest are proved they are counted at once, else by the definition.
    """

    def __init__(self, criterion: KNN, folds: Folds, data: Dataset) -> None:
        data.require_classes()
        data.require_variation()
        self.criterion = criterion
        self._score = VoteScore(criterion.score, criterion.n_neighbors)
        frame, self._n_accounts = layout(
            folds, data.codes, data.codes, criterion.ties, criterion.n_neighbors, data.name
        )
        self._by_rank = by_rank(data.codes, criterion.ties)
        self._account_sizes = np.bincount(frame.row_account, minlength=self._n_accounts)
        super().__init__(criterion, data, frame, listed=criterion.n_neighbors == 1)

    def evaluate(self, members: Features) -> float:
        correct = self._count_by_definition(self.data.columns(require_members(members)))
        return float(self._score.values(correct[None, :], self._account_sizes)[0])

    def evaluate_many(self, subsets: list[Features]) -> Values:
        correct = np.zeros((len(subsets), self._n_accounts), dtype=np.int64)
        n_neighbors, n_classes = self.criterion.n_neighbors, self._frame.class_start.shape[1] - 1

        def work(first: int, last: int) -> None:
            for k in range(first, last):
                columns = self.data.columns(require_members(subsets[k]))
                centered, spans = self._centered(columns)
                if spans.sum() < LARGEST_SUM:
                    votes = None if n_neighbors == 1 else np.zeros(n_classes, dtype=np.int64)
                    count_correct_anywhere(
                        self._frame,
                        columns,
                        centered,
                        spans.sum(),
                        n_neighbors,
                        self._manhattan,
                        votes,
                        self._score.gains,
                        correct[k],
                    )
                else:
                    correct[k] = self._count_by_definition(columns)

        self._threads.spread(len(subsets), work)
        return self._score.values(correct, self._account_sizes)

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        near = self._near(direction)
        correct = np.zeros((len(candidates), self._n_accounts), dtype=np.int64)
        own_columns = self._frame.col_fold.shape[0] > 1 or isinstance(self.criterion.folds, Split)
        alone = len(self._features) == 0 and self.criterion.n_neighbors == 1 and own_columns

        def work(first: int, last: int) -> None:
            columns = self.data.columns(candidates[first:last])
            if alone:
                self._count_alone(columns, correct[first:last])
            else:
                self._count(direction, candidates[first:last], columns, near, correct[first:last])

        self._threads.spread(len(candidates), work)
        return self._score.values(correct, self._account_sizes)

    def _count_by_definition(self, columns: Values) -> Counts:
        neighbors = self.criterion.n_neighbors
        return count_correct_by_definition(
            self._frame, columns, neighbors, self._n_accounts, self._manhattan, self._score.gains
        )

    def _count_alone(self, columns: Values, correct: Counts) -> None:
        """Count the correct rows of single features, by one sort if the count is proved, else by the definition."""
        is_proved = count_correct_alone(self._frame, self._by_rank, columns, correct)
        for k in np.flatnonzero(~is_proved):
            correct[k] = self._count_by_definition(columns[k : k + 1])

    def _count(
        self, direction: Direction, candidates: Features, columns: Values, near: NearLists | None, correct: Counts
    ) -> None:
        """Count the correct rows of some neighbours: those that lists settle, then the others row by row."""
        centered, spans = self._centered(columns)
        slots = self._slots(candidates)
        drift = self._drift(spans)
        if drift is None:
            for k, slot in enumerate(slots):
                rows = direction.spliced(self._rows, slot, columns[k])
                correct[k] = self._count_by_definition(np.ascontiguousarray(rows.T))
            return
        is_open = np.full((self._n_rows, len(candidates)), near is None)
        if near is not None:
            near.settle(centered, spans, drift, is_open, correct)
        count_correct(
            self._frame,
            self._filtered,
            self._rows,
            slots,
            columns,
            centered,
            spans,
            drift,
            direction.sign,
            self.criterion.n_neighbors,
            self._manhattan,
            is_open,
            self._score.gains,
            correct,
        )
