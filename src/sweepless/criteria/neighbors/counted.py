"""A cursor for k-NN that counts who is classified correctly, or the points of the votes."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Mask, Values
from sweepless.criteria.base import require_members
from sweepless.criteria.folds import Folds, Split
from sweepless.criteria.neighbors.ballots import Points
from sweepless.criteria.neighbors.crowds import Crowds
from sweepless.criteria.neighbors.cursor import LARGEST_SUM, NeighborCursor
from sweepless.criteria.neighbors.layout import Apart, by_rank, layout
from sweepless.criteria.neighbors.near import Block, NearLists, Settler, open_mask
from sweepless.criteria.neighbors.resources import Spares
from sweepless.criteria.neighbors.undecided import count_correct
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.kernels._lanes import WIDTH, aligned
from sweepless.kernels.neighbors.definition import Frame, ballot_for
from sweepless.kernels.neighbors.duels import MOST_NEIGHBORS, points_for
from sweepless.kernels.neighbors.labels import settle_labels
from sweepless.kernels.neighbors.lists import LANES, Room
from sweepless.kernels.neighbors.nearest import fractions_of, room_to_settle, settle_by_lists
from sweepless.kernels.neighbors.probes import count_correct_anywhere
from sweepless.kernels.neighbors.ranked import room_to_rank
from sweepless.kernels.neighbors.several import settle_votes
from sweepless.kernels.neighbors.singles import count_correct_alone, ranked_frame
from sweepless.kernels.neighbors.tied import Step

if TYPE_CHECKING:
    from sweepless.criteria.neighbors.knn import KNN

_BLOCK_CELLS = 1 << 23  # counts at a time: 64 megabytes
_BLOCK_VALUES = 1 << 21  # values of candidates at a time: 16 megabytes, so that sparse data stay sparse
_SMALLEST_BLOCK = 48


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
        self._rank_of = np.argsort(self._by_rank)
        self._ranks, self._ranked = fractions_of(self._by_rank), ranked_frame(frame, self._by_rank)
        own_columns = len(frame.col_fold) > 1 or isinstance(folds, Split)
        self._sorts_singles = own_columns and n_neighbors == 1 and isinstance(self._counting, Points)
        self._crowds = Crowds(data)
        super().__init__(criterion, data.in_column_order(), frame, is_listed=True)
        length, n_columns = self._near.length if self._near else 0, frame.col_sample.shape[1]
        self._looks = Spares(lambda: room_to_settle(length, n_columns))
        self._votes = Spares(lambda: room_to_rank(length, n_columns, n_neighbors, frame.class_start.shape[1] - 1))

    def evaluate(self, members: Features) -> float:
        counts = self._count_by_definition(self.data.columns(require_members(members)))
        return float(self._counting.values(counts[:, None])[0])

    def evaluate_many(self, subsets: list[Features]) -> Values:
        return self._in_blocks(len(subsets), lambda part: self._evaluate_block(subsets[part]))

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
        everyone, asked, is_asked = candidates.copy(), None, None
        if self._near is not None and direction.adds and len(self._features):
            everyone, asked = self._near.among(candidates)
        if asked is not None:
            is_asked = np.zeros(len(everyone), dtype=np.bool_)
            is_asked[asked] = True
        values = self._in_blocks(len(everyone), lambda part: self._peek_block(direction, everyone, part, is_asked))
        return values if asked is None else values[asked]

    def _peek_block(self, direction: Direction, everyone: Features, part: slice, is_asked: Mask | None) -> Values:
        """Value a part of all candidates, or those that are asked for."""
        candidates = everyone[part]
        if self._sorts_singles and len(self._features) + direction.sign == 1:
            alone = candidates if direction.adds else self._features[1 - self._slots(candidates)]
            self._ranges(alone)  # which also tells what is whole
            (columns, places), is_whole = self.data.lend(alone), self._is_whole[alone]
            counts = self._no_counts(len(candidates))

            def work(first: int, last: int) -> None:
                self._count_alone(columns, places[first:last], is_whole[first:last], counts[0, first:last])

            self._threads.spread(len(alone), work)
        else:
            counts = self._count(direction, everyone, part, is_asked)
        return self._counting.values(counts)

    def _in_blocks(self, count: int, value: Callable[[slice], Values]) -> Values:
        """Value some of `count` items at a time, so that columns and the counts of all accounts need little memory."""
        width = _BLOCK_CELLS // (len(self._counting.rounds) * self._counting.n_accounts)
        width = max(_SMALLEST_BLOCK, min(width, _BLOCK_VALUES // self.data.n_samples))
        width -= width % LANES if width > LANES else 0  # lists would look at what is left over by itself
        blocks = [value(slice(first, min(first + width, count))) for first in range(0, count, width)]
        return blocks[0] if len(blocks) == 1 else np.concatenate([np.empty(0), *blocks])

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

    def _count(self, direction: Direction, everyone: Features, part: slice, is_asked: Mask | None) -> Counts:
        """Count some neighbors round by round: what the nearest and lists settle, then the others row by row."""
        candidates, size, n_neighbors = everyone[part], len(self._features), self.criterion.n_neighbors
        asked = None if is_asked is None else is_asked[part]
        (columns, places), (middles, spans) = self.data.lend(candidates), self._ranges(candidates)
        slots, drift, counts = self._slots(candidates), self._drift(spans), self._no_counts(len(candidates))
        if drift is None:
            for k, (slot, place) in enumerate(zip(slots, places)):
                rows = direction.spliced(self._rows, slot, columns[place])
                counts[:, k] = self._count_by_definition(np.ascontiguousarray(rows.T))
            return counts
        may_crowd = size and direction.adds and self._crowds.is_crowded is not False
        crowd = self._crowds.of(self._rows, candidates, columns, places) if may_crowd else None
        near = self._near if size and (direction.adds or self._crowds.has_lists(size)) else None
        is_crowd_first = crowd is not None and self._crowds.settle_most
        is_whole = self._is_whole[candidates] if self._n_broken == 0 else None
        margins = [] if near is None else self._margins(spans, drift)
        lock = Lock()

        def work(first: int, last: int) -> None:
            is_alone = last - first == self._n_rows
            found = counts if is_alone else np.zeros_like(counts)
            kept = self._distances.pairs(), self._distances.grid[0]
            for (frame, gains), correct in zip(self._counting.rounds, found):
                left = self._by_group[first:last]
                is_open = open_mask(self._n_rows, left, len(candidates), asked)
                rest = *kept, drift, n_neighbors, self._manhattan, gains, is_open, correct
                if crowd is not None and is_crowd_first:
                    left = crowd.settle(left, frame, self._rows, *rest)
                if near is not None and not (is_crowd_first and self._crowds.settle_most):
                    by_lists = self._settler(
                        near, frame, gains, direction, is_open, is_whole, columns, places, slots, correct
                    )
                    blocks = near.blocks(everyone, part.start, columns, places, middles, margins)
                    left = near.settle(left, blocks, by_lists)
                    if not direction.adds and self._crowds.is_crowded:
                        self._crowds.note_lists(size, int(np.count_nonzero(is_open)), (last - first) * len(candidates))
                if crowd is not None and not is_crowd_first:
                    left = crowd.settle(left, frame, self._rows, *rest)
                if len(left):
                    step = *kept, self._rows, slots, columns, places, middles, spans, drift, direction.sign, n_neighbors
                    count_correct(self._crowds, frame, *step, self._manhattan, left, is_open, gains, correct)
            if not is_alone:
                with lock:  # other threads count in other rows
                    np.add(counts, found, out=counts)

        self._threads.spread(self._n_rows, work, len(candidates))
        return counts

    def _settler(
        self,
        near: NearLists,
        frame: Frame,
        gains: Counts | None,
        direction: Direction,
        is_open: Mask,
        is_whole: Mask | None,
        columns: Values,
        places: Features,
        slots: Counts,
        correct: Counts,
    ) -> Settler:
        """Return what counts the rows that the lists prove, and marks them as no longer open."""
        eight_open, pairs, members = is_open.view(np.uint64), self._distances.pairs(), self._members()
        k, n_classes = self.criterion.n_neighbors, frame.class_start.shape[1] - 1
        is_crowded, is_duel = bool(self._crowds.is_crowded), n_classes == 2 and 1 < k <= MOST_NEIGHBORS
        points = points_for(gains, k) if is_duel and gains is not None else None
        # By votes of several classes, the class that wins, or digits, are found with all candidates side by side.
        worth = gains if is_duel or gains is None or len(gains) == 2 else None
        weights = None if gains is None or worth is not None else gains[1:, 1].astype(np.int32)

        def by_lists(some: Features, block: Block, room: Room, n_open: Counts) -> None:
            (first, last, beside, margin), lanes = block, block.margin.shape[1]
            rows = near.lists, frame, pairs, some, *self._distances.grid
            step = beside, margin, direction.sign, self._manhattan, room
            tally: AnyArray = np.zeros((correct.shape[1], lanes), np.int32 if worth is None else np.int64)
            ending = first, is_open, eight_open, n_open, tally
            tied = Step(*members, columns, places[first:last], slots[first:last], self._rank_of)
            if is_duel or (k == 1 and gains is None):
                ranks = self._ranks if is_whole is not None and is_whole[first:last].all() else self._ranks[:0]
                looks = self._looks.take()
                settle_by_lists(*rows, *step, is_crowded, ranks, tied, looks, k if is_duel else None, points, *ending)
                self._looks.give(looks)
            elif k == 1:  # the class itself is what is gained
                looks, ends = self._looks.take(), np.zeros((2, n_classes + 1), np.int64)
                settle_labels(*rows, *step, is_crowded, looks, ends, *ending)
                self._looks.give(looks)
            else:
                ranked = self._votes.take()
                votes, ballot = aligned(n_classes, WIDTH, np.int32), np.empty(n_classes, np.int64)
                settle_votes(*rows, *step, is_crowded, tied, ranked, worth, weights, votes, ballot, *ending)
                self._votes.give(ranked)
            correct[first:last] += tally[:, : last - first].T

        return by_lists
