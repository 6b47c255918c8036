"""k-NN by cross-validation: the wrapper criterion of the paper, and smooth scores of the votes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, Literal

import numpy as np

from sweepless._checks import one_of, whole
from sweepless._typing import AnyArray, Counts, Features, Mask, Values
from sweepless.criteria.base import Criterion, Cursor, require_members
from sweepless.criteria.composite import Mean
from sweepless.criteria.folds import Folds, Partition, Split, checked_folds, number_tested
from sweepless.criteria.neighbors.ballots import Ballots, Points
from sweepless.criteria.neighbors.cursor import LARGEST_SUM, NeighborCursor
from sweepless.criteria.neighbors.layout import Apart, by_rank, holdout, layout
from sweepless.criteria.neighbors.near import Block, NearLists, Settler, open_mask
from sweepless.criteria.neighbors.repeated import RepeatedKNNCursor
from sweepless.criteria.neighbors.votes import VOTE_SCORES, VoteScore
from sweepless.criteria.scores.base import Needs, Score, cost_of
from sweepless.criteria.scores.names import score_of
from sweepless.criteria.scoring import codes_known_to
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.kernels._lanes import aligned
from sweepless.kernels.neighbors.definition import Frame, ballot_for, count_correct_by_definition
from sweepless.kernels.neighbors.labels import settle_labels
from sweepless.kernels.neighbors.lists import Room
from sweepless.kernels.neighbors.nearest import fractions_of, settle_by_lists
from sweepless.kernels.neighbors.probes import count_correct_anywhere
from sweepless.kernels.neighbors.ranked import room_to_rank
from sweepless.kernels.neighbors.several import settle_votes
from sweepless.kernels.neighbors.singles import count_correct_alone, ranked_frame
from sweepless.kernels.neighbors.undecided import count_correct

_NEEDS: tuple[Needs, ...] = ("labels", "outputs", "probabilities")
_BLOCK_CELLS = 1 << 23  # counts at a time: 64 megabytes
_BLOCK_VALUES = 1 << 21  # values of candidates at a time: 16 megabytes, so that sparse data stay sparse
_SMALLEST_BLOCK = 48


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
    score : str or Score
        The accuracy, or minus a loss of the shares that the classes have of the votes, which tells more subsets apart:
        "brier" is minus the Brier score, from -1 to 0, and "log_loss" minus the logarithmic loss, for which no class
        counts as less than half a vote. Or the name of another score of scikit-learn for classifiers.
    n_jobs : int or "auto"
        Threads over candidates, -1 for all cores; the values do not depend on it. "auto" is one per core in a search
        whose steps are long enough, and one everywhere else.
    memory_limit : int
        The most bytes that the distances of the working subset may take: 8 per pair of samples. Above this limit those
        of a sample are computed whenever its list of near samples proves too little, with a warning.

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
    score: str | Score = "accuracy"
    n_jobs: int | Literal["auto"] = field(default="auto", repr=False, compare=False)
    memory_limit: int = field(default=4 * 2**30, repr=False, compare=False)

    def __post_init__(self) -> None:
        whole("n_neighbors", self.n_neighbors, 1)
        object.__setattr__(self, "folds", checked_folds(self.folds, "loo", Split))
        one_of("ties", self.ties, ("class", "index"))
        one_of("metric", self.metric, ("euclidean", "manhattan"))
        if self.score not in VOTE_SCORES:
            score_of(self.score, *_NEEDS)
        whole("memory_limit", self.memory_limit, 0)

    def __repr__(self) -> str:
        metric = "" if self.metric == "euclidean" else f", metric={self.metric!r}"
        score = "" if self.score == "accuracy" else f", score={self.score!r}"
        return f"KNN(n_neighbors={self.n_neighbors}, folds={self.folds!r}, ties={self.ties!r}{metric}{score})"

    def bind(self, data: Dataset) -> Cursor:
        if not isinstance(self.folds, Partition) or self.folds.repeats == 1:
            return KNNCursor(self, self.folds, data)
        if self.n_neighbors > 1 and self.score in VOTE_SCORES:
            return RepeatedKNNCursor(self, self.folds, data)
        # The lists of one neighbor are faster for each partition by itself than all distances for all partitions.
        share = self.memory_limit // self.folds.repeats
        return Mean([replace(self, folds=each, memory_limit=share) for each in self.folds.each()]).bind(data)

    def operations(self, data: Dataset, size: int) -> float:
        # Measured for one neighbor: 1.5, 4 and 40 us at 60, 300 and 1,000 samples; for five: 0.07, 0.9 and 5 ms.
        each = 30.0 + data.n_samples / 50 if self.n_neighbors == 1 else 8.0 * data.n_samples
        return number_tested(self.folds, data.n_samples) * each + cost_of(self.score, self.folds, data.n_samples)

    def validate(self, train: Dataset, test: Dataset, members: Features) -> float:
        """Return the score on `test` of the classifier trained on all of `train`."""
        members = require_members(members)
        n_neighbors = min(self.n_neighbors, train.n_samples)
        codes = codes_known_to(train, test)
        columns = np.hstack([train.columns(members), test.columns(members)])
        if self.score not in VOTE_SCORES:  # which know nothing of a class that was not trained on
            columns, codes = columns[:, np.append(np.full(train.n_samples, True), codes >= 0)], codes[codes >= 0]
        frame = holdout(train.codes, codes, self.ties)
        counting = self.counting(n_neighbors, frame, 1, np.append(train.codes, codes), train.classes)
        return float(counting.values(self.count_by_definition(counting, columns, n_neighbors)[:, None])[0])

    def counting(
        self, n_neighbors: int, frame: Frame, n_accounts: int, truth: Counts, classes: AnyArray
    ) -> Points | Ballots:
        """Return what is to be counted, and its value."""
        if isinstance(self.score, str) and self.score in VOTE_SCORES:
            return Points(VoteScore(self.score, n_neighbors), frame, n_accounts)
        return Ballots(score_of(self.score, *_NEEDS), n_neighbors, frame, n_accounts, truth, classes)

    def count_by_definition(self, counting: Points | Ballots, columns: Values, n_neighbors: int) -> Counts:
        """Return the counts of every round and account for the subset whose columns, ascending, are given."""
        manhattan = self.metric == "manhattan"
        counts = [
            count_correct_by_definition(frame, columns, n_neighbors, counting.n_accounts, manhattan, gains)
            for frame, gains in counting.rounds
        ]
        return np.stack(counts)


class KNNCursor(NeighborCursor):
    """Counts the correctly classified samples of every neighbor, or the points of their votes.

    As far as the nearest are proved they are counted at once, else by the definition.
    """

    def __init__(self, criterion: KNN, folds: Folds | Apart, data: Dataset) -> None:
        data.require_classes()
        data.require_variation()
        self.criterion = criterion
        n_neighbors = criterion.n_neighbors
        frame, n_accounts = layout(folds, data.codes, data.codes, criterion.ties, n_neighbors, data.name)
        self._counting = criterion.counting(n_neighbors, frame, n_accounts, data.codes, data.classes)
        self._by_rank = by_rank(data.codes, criterion.ties)
        self._ranks, self._ranked = fractions_of(self._by_rank), ranked_frame(frame, self._by_rank)
        own_columns = len(frame.col_fold) > 1 or isinstance(folds, Split)
        self._sorts_singles = own_columns and n_neighbors == 1 and isinstance(self._counting, Points)
        super().__init__(criterion, data, frame, is_listed=True)

    def evaluate(self, members: Features) -> float:
        counts = self._count_by_definition(self.data.columns(require_members(members)))
        return float(self._counting.values(counts[:, None])[0])

    def evaluate_many(self, subsets: list[Features]) -> Values:
        return self._in_blocks(subsets, self._evaluate_block)

    def _evaluate_block(self, subsets: list[Features]) -> Values:
        counts, n_neighbors = self._no_counts(len(subsets)), self.criterion.n_neighbors

        def work(first: int, last: int) -> None:
            for k in range(first, last):
                columns = self.data.columns(require_members(subsets[k]))
                centered, spans = self._centered(columns)
                if not spans.sum() < LARGEST_SUM:
                    counts[:, k] = self._count_by_definition(columns)
                    continue
                for (frame, gains), found in zip(self._counting.rounds, counts):
                    votes = ballot_for(frame, n_neighbors, gains)
                    count_correct_anywhere(
                        frame, columns, centered, spans.sum(), n_neighbors, self._manhattan, votes, gains, found[k]
                    )

        self._threads.spread(len(subsets), work)
        return self._counting.values(counts)

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        return self._in_blocks(candidates, lambda some: self._peek_block(direction, some))

    def _peek_block(self, direction: Direction, candidates: Features) -> Values:
        counts = self._no_counts(len(candidates))
        if self._sorts_singles and len(self._features) + direction.sign == 1:
            alone = candidates if direction.adds else self._features[1 - self._slots(candidates)]
            self._ranges(alone)  # which also tells what is whole
            (columns, places), is_whole = self.data.lend(alone), self._is_whole[alone]

            def work(first: int, last: int) -> None:
                self._count_alone(columns, places[first:last], is_whole[first:last], counts[0, first:last])

            self._threads.spread(len(alone), work)
        else:
            self._count(direction, candidates, counts)
        return self._counting.values(counts)

    def _in_blocks(self, items: Any, value: Callable[[Any], Values]) -> Values:
        """Value some items at a time, so that their columns and the counts of all accounts need little memory."""
        width = _BLOCK_CELLS // (len(self._counting.rounds) * self._counting.n_accounts)
        width = max(_SMALLEST_BLOCK, min(width, _BLOCK_VALUES // self.data.n_samples))
        if 0 < len(items) <= width:
            return value(items)
        blocks = [value(items[first : first + width]) for first in range(0, len(items), width)]
        return np.concatenate([np.empty(0), *blocks])

    def _no_counts(self, n_subsets: int) -> Counts:
        return np.zeros((len(self._counting.rounds), n_subsets, self._counting.n_accounts), dtype=np.int64)

    def _count_by_definition(self, columns: Values) -> Counts:
        return self.criterion.count_by_definition(self._counting, columns, self.criterion.n_neighbors)

    def _count_alone(self, columns: Values, places: Features, is_whole: Mask, correct: Counts) -> None:
        """Count the correct rows of single features, by one sort if the count is proved, else by the definition."""
        for k in np.flatnonzero(~self._count_sorted(columns, places, is_whole, correct)):
            correct[k] = self._count_by_definition(columns[places[k]][None])[0]

    def _count_sorted(self, columns: Values, places: Features, is_whole: Mask, correct: Counts) -> Mask:
        return count_correct_alone(self._ranked, self._by_rank, columns, places, is_whole, correct)

    def _count(self, direction: Direction, candidates: Features, counts: Counts) -> None:
        """Count some neighbors round by round: the rows that lists settle, then the others row by row."""
        (columns, places), (middles, spans) = self.data.lend(candidates), self._ranges(candidates)
        slots, drift = self._slots(candidates), self._drift(spans)
        if drift is None:
            for k, slot in enumerate(slots):
                rows = direction.spliced(self._rows, slot, columns[places[k]])
                counts[:, k] = self._count_by_definition(np.ascontiguousarray(rows.T))
            return
        near, n_neighbors = self._near if len(self._features) else None, self.criterion.n_neighbors
        blocks = self._blocks(columns, places, middles, spans, drift)
        is_whole = self._is_whole[candidates] & self._is_whole[self._features].all()
        lock = Lock()

        def work(first: int, last: int) -> None:
            some = np.arange(first, last)
            found = np.zeros_like(counts)
            for (frame, gains), correct in zip(self._counting.rounds, found):
                is_open, left = open_mask(self._n_rows, first, last, len(candidates)), some
                if near is not None:
                    by_lists = self._settler(near, frame, gains, direction, is_open, is_whole, correct)
                    left = near.settle(some, blocks, by_lists)
                if len(left) == 0:
                    continue
                kept = self._distances.pairs(), self._distances.grid[0], self._rows
                step = *kept, slots, columns, places, middles, spans, drift, direction.sign
                count_correct(frame, *step, n_neighbors, self._manhattan, left, is_open, gains, correct)
            with lock:  # other threads count in other rows
                np.add(counts, found, out=counts)

        self._threads.spread(self._n_rows, work, len(candidates))

    def _settler(
        self,
        near: NearLists,
        frame: Frame,
        gains: Counts | None,
        direction: Direction,
        is_open: Mask,
        is_whole: Mask,
        correct: Counts,
    ) -> Settler:
        """Return what counts the rows that the lists prove, and marks them as no longer open."""
        eight_open, pairs = is_open.view(np.uint64), self._distances.pairs()
        k, n_classes = self.criterion.n_neighbors, frame.class_start.shape[1] - 1

        def by_lists(some: Features, block: Block, room: Room, n_open: Counts) -> None:
            (first, last, beside, margin), lanes = block, len(block.margin)
            rows = near.lists, frame, pairs, some, *self._distances.grid
            step = beside, margin, direction.sign, self._manhattan, room
            tally: AnyArray = np.zeros((correct.shape[1], lanes), np.int32 if k == 1 else np.int64)
            ending = first, is_open, eight_open, n_open, tally
            bases, nearest = np.empty(near.length, np.float32), aligned(2 + n_classes, lanes)
            if k == 1 and gains is None:
                ranks = self._ranks if is_whole[first:last].all() else self._ranks[:0]
                settle_by_lists(*rows, *step, ranks, bases, nearest, *ending)
            elif k == 1:  # the class itself is what is gained
                settle_labels(*rows, *step, bases, nearest, *ending)
            else:
                votes, ballot = aligned(n_classes + 1, lanes), np.empty(n_classes, np.int64)
                working = room_to_rank(near.length, k, lanes), gains, votes, ballot, np.zeros(n_classes + 1, np.int64)
                settle_votes(*rows, *step, *working, *ending)
            correct[first:last] += tally[:, : last - first].T

        return by_lists
