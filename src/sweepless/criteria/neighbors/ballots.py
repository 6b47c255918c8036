"""The votes for every class around every tested sample, and their values by any score.

The kernels add up points per account. Here every row has its own account, so the points of a row are the class that
wins, or its votes: those for some classes are the digits of one number. Where it is enough to know whether the row's
own class wins, every class of a fold has an account.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np

from sweepless._typing import AnyArray, Counts, Values
from sweepless.criteria.neighbors.votes import VoteScore
from sweepless.criteria.scores.base import BoundScore, Outputs, Score, Shares, Single, mean_over_folds
from sweepless.criteria.scores.labels import LabelScore
from sweepless.criteria.scores.outputs import LossScore, ManyRankScore, RankScore
from sweepless.kernels.neighbors.ballots import fill_shares
from sweepless.kernels.neighbors.definition import Frame
from sweepless.kernels.scores import confusion_tables

_MOST_DIGITS = 10  # of 62 bits, each for 63 samples at least
_TABLE_CELLS = 1 << 20  # of confusion tables at a time: eight megabytes


class Round(NamedTuple):
    """What is counted in one pass over the candidates."""

    frame: Frame
    gains: Counts | None


class Points:
    """One pass, whose points are worth what `VoteScore` says."""

    def __init__(self, score: VoteScore, frame: Frame, n_accounts: int) -> None:
        self._score, self.n_accounts = score, n_accounts
        self.rounds = [Round(frame, score.gains)]
        self._sizes = np.bincount(frame.row_account, minlength=n_accounts)

    def values(self, counts: Counts) -> Values:
        """Return J from counts of shape (round, candidate, account)."""
        return self._score.values(counts[0], self._sizes)


class Hits:
    """One pass that counts whose own class wins: all that predicted labels of two classes need.

    Of a single vote, losses and ranks of two classes need no more either.
    """

    @staticmethod
    def suffice(score: Score, n_neighbors: int, n_classes: int) -> bool:
        """Tell whether a score needs no more."""
        if n_classes == 2 and isinstance(score, LabelScore):
            return True
        return n_neighbors == 1 and (isinstance(score, LossScore) or (n_classes == 2 and isinstance(score, RankScore)))

    def __init__(self, score: Score, frame: Frame, n_folds: int, truth: AnyArray, classes: AnyArray) -> None:
        codes, shape = truth[frame.row_sample], (n_folds, len(classes))
        accounts, self.n_accounts = frame.row_account * len(classes) + codes, n_folds * len(classes)
        self.rounds = [Round(frame._replace(row_account=accounts), None)]
        self._sizes = np.bincount(accounts, minlength=self.n_accounts).reshape(shape)
        self._score, self._classes = score, classes
        self._folds = [BoundScore(score, codes[frame.row_account == fold], classes) for fold in range(n_folds)]

    def values(self, counts: Counts) -> Values:
        """Return J from counts of shape (round, candidate, account); misses are counted for the next class."""
        hits = counts[0].reshape(-1, *self._sizes.shape)
        n_classes = hits.shape[2]
        tables, codes = np.zeros((*hits.shape, n_classes), dtype=np.int64), np.arange(n_classes)
        tables[:, :, codes, (codes + 1) % n_classes] = self._sizes - hits
        tables[:, :, codes, codes] = hits
        return _mean_of_tables(self._score, self._classes, self._folds, tables)


class OwnVotes:
    """One pass that counts how many votes of several the own class has, one of two: all that shares of votes need.

    What is counted of some samples of one class and fold are the digits of one number, a digit per number of votes.
    """

    @staticmethod
    def suffice(score: Score, n_neighbors: int, n_classes: int) -> bool:
        """Tell whether a score needs no more, and there is room for digits."""
        return n_classes == 2 and n_neighbors <= _MOST_DIGITS - 1 and isinstance(score, RankScore | LossScore)

    def __init__(
        self, score: Score, n_neighbors: int, frame: Frame, n_folds: int, truth: AnyArray, classes: AnyArray
    ) -> None:
        self._n_bits = 62 // (n_neighbors + 1)
        self._shifts = self._n_bits * np.arange(n_neighbors + 1)
        codes, most = truth[frame.row_sample], (1 << self._n_bits) - 1
        kinds = frame.row_account * 2 + codes
        order, sizes = np.argsort(kinds, kind="stable"), np.bincount(kinds, minlength=2 * n_folds)
        place = np.empty_like(order)
        place[order] = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        n_parts = -(-sizes // most)
        self._first = np.cumsum(n_parts) - n_parts  # account of every fold and class
        self.n_accounts = int(n_parts.sum())
        gains = np.stack([1 << self._shifts, np.zeros_like(self._shifts)])
        self.rounds = [Round(frame._replace(row_account=self._first[kinds] + place // most), gains)]
        self._folds = [BoundScore(score, codes[frame.row_account == fold], classes) for fold in range(n_folds)]

    def values(self, counts: Counts) -> Values:
        """Return J from counts of shape (round, candidate, account)."""
        digits = (counts[0][:, :, None] >> self._shifts) & ((1 << self._n_bits) - 1)
        tables = np.zeros((len(digits), 2 * len(self._folds), len(self._shifts)), dtype=np.int64)
        for kind, (first, last) in enumerate(pairwise([*self._first, self.n_accounts])):
            tables[:, kind] = digits[:, first:last].sum(axis=1)
        return mean_over_folds([fold(Shares(tables[:, 2 * k : 2 * k + 2])) for k, fold in enumerate(self._folds)])


class Ballots:
    """As many passes as it takes to know the votes for every class; mostly one."""

    def __init__(
        self, score: Score, n_neighbors: int, frame: Frame, n_folds: int, truth: AnyArray, classes: AnyArray
    ) -> None:
        self._n_neighbors, self._n_classes, self.n_accounts = n_neighbors, len(classes), len(frame.row_sample)
        self._wants_labels = score.needs == "labels"
        is_ranked = isinstance(score, RankScore | ManyRankScore)
        self._takes_tables = isinstance(score, LabelScore) or (n_neighbors == 1 and is_ranked)
        self._score, self._classes = score, classes
        self._rows = [np.flatnonzero(frame.row_account == fold) for fold in range(n_folds)]
        self._folds = [BoundScore(score, truth[frame.row_sample[rows]], classes) for rows in self._rows]
        self._kinds = frame.row_account * len(classes) + truth[frame.row_sample]
        self._n_bits = n_neighbors.bit_length()
        self._n_digits = 31 // self._n_bits
        apart = frame._replace(row_account=np.arange(self.n_accounts))
        if self._wants_labels or n_neighbors == 1:
            self.rounds = [Round(apart, np.empty((0, 2), dtype=np.int64))]
        else:
            self.rounds = [Round(apart, self._digits(first)) for first in range(0, len(classes), self._n_digits)]

    def _digits(self, first: int) -> Counts:
        """Return gains by which the votes for some classes are digits."""
        gains = np.zeros((1 + self._n_classes, self._n_neighbors + 1), dtype=np.int64)
        for digit, code in enumerate(range(first, min(first + self._n_digits, self._n_classes))):
            gains[1 + code] = np.arange(self._n_neighbors + 1) << (self._n_bits * digit)
        return gains

    def values(self, counts: Counts) -> Values:
        """Return J from counts of shape (round, candidate, account)."""
        if self._takes_tables:
            width = max(1, _TABLE_CELLS // (len(self._folds) * self._n_classes**2))
            blocks = [self._by_tables(counts[0, k : k + width]) for k in range(0, counts.shape[1], width)]
            return np.concatenate([np.empty(0), *blocks])
        predicted = self._labels if self._wants_labels else self._shares
        return mean_over_folds([fold(predicted(counts, k)) for k, fold in enumerate(self._folds)])

    def _by_tables(self, labels: Counts) -> Values:
        n_folds, n_classes = len(self._folds), self._n_classes
        tables = np.zeros((len(labels), n_folds * n_classes, n_classes), dtype=np.int64)
        confusion_tables(labels, self._kinds, tables)
        by_fold = tables.reshape(-1, n_folds, n_classes, n_classes)
        return _mean_of_tables(self._score, self._classes, self._folds, by_fold)

    def _labels(self, counts: Counts, fold: int) -> Counts:
        return np.asarray(counts[0].take(self._rows[fold], axis=1))

    def _shares(self, counts: Counts, fold: int) -> Outputs:
        rows = self._rows[fold]
        shares = np.empty((counts.shape[1], self._n_classes, len(rows)))
        if self._n_neighbors == 1:
            np.equal(counts[0].take(rows, axis=1)[:, None], np.arange(self._n_classes)[:, None], out=shares)
            return Outputs.counted(shares, self._n_neighbors)
        steps = np.arange(self._n_neighbors + 1) / self._n_neighbors
        fill_shares(counts, rows, self._n_bits, self._n_digits, steps, shares)
        return Outputs.counted(shares, self._n_neighbors)


def _mean_of_tables(score: Score, classes: AnyArray, folds: list[BoundScore], tables: Counts) -> Values:
    """Return J from confusion tables of shape (candidate, fold, true class, predicted class)."""
    if isinstance(score, LabelScore):
        return mean_over_folds(list(score.of_folds(tables.swapaxes(0, 1), classes)))
    return mean_over_folds([fold(Single(tables[:, k])) for k, fold in enumerate(folds)])


Counting: TypeAlias = Points | Hits | OwnVotes | Ballots
