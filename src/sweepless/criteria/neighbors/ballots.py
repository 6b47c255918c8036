"""The votes for every class around every tested sample, and their values by any score.

The kernels add up points per account. Here every row has its own account, so the points of a row are its votes. With
one neighbor a round counts which rows are given to one class; with several, the votes for some classes are the digits
of one number.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sweepless._typing import AnyArray, Counts, Values
from sweepless.criteria.neighbors.votes import VoteScore
from sweepless.criteria.scores.base import BoundScore, Outputs, Score, mean_over_folds
from sweepless.kernels.neighbors.definition import Frame


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


class Ballots:
    """As many passes as it takes to know the votes for every class."""

    def __init__(
        self, score: Score, n_neighbors: int, frame: Frame, n_folds: int, truth: AnyArray, classes: AnyArray
    ) -> None:
        self._n_neighbors, self._n_classes, self.n_accounts = n_neighbors, len(classes), len(frame.row_sample)
        self._wants_labels = score.needs == "labels"
        self._rows = [np.flatnonzero(frame.row_account == fold) for fold in range(n_folds)]
        self._folds = [BoundScore(score, truth[frame.row_sample[rows]], classes) for rows in self._rows]
        apart = frame._replace(row_account=np.arange(self.n_accounts))
        if n_neighbors == 1:  # the last class has what the others leave
            each = [np.full(self.n_accounts, code, dtype=np.int64) for code in range(len(classes) - 1)]
            self.rounds = [Round(apart._replace(row_class=codes), None) for codes in each]
            return
        self._n_digits = int(62 / np.log2(n_neighbors + 1))
        self.rounds = [Round(apart, self._digits(first)) for first in range(0, len(classes), self._n_digits)]

    def _digits(self, first: int) -> Counts:
        """Return gains by which the votes for some classes are digits to the base of k + 1."""
        gains = np.zeros((1 + self._n_classes, self._n_neighbors + 1), dtype=np.int64)
        for digit, code in enumerate(range(first, min(first + self._n_digits, self._n_classes))):
            gains[1 + code] = np.arange(self._n_neighbors + 1) * (self._n_neighbors + 1) ** digit
        return gains

    def values(self, counts: Counts) -> Values:
        """Return J from counts of shape (round, candidate, account)."""
        if self._wants_labels:
            labels = self._labels(counts)
            return mean_over_folds([fold(labels[:, rows]) for fold, rows in zip(self._folds, self._rows)])
        shares = self._votes(counts) / self._n_neighbors
        return mean_over_folds(
            [fold(Outputs.counted(shares[:, :, rows])) for fold, rows in zip(self._folds, self._rows)]
        )

    def _labels(self, counts: Counts) -> Counts:
        """Return the class with most votes, the lowest of equal ones, per candidate and row."""
        if self._n_neighbors > 1:
            return np.asarray(np.argmax(self._votes(counts), axis=1))
        labels = np.full(counts.shape[1:], self._n_classes - 1)
        for code, is_given in enumerate(counts):
            labels -= (self._n_classes - 1 - code) * is_given
        return labels

    def _votes(self, counts: Counts) -> Counts:
        """Return the votes of shape (candidate, class, row)."""
        votes = np.empty((counts.shape[1], self._n_classes, self.n_accounts), dtype=np.int64)
        if self._n_neighbors == 1:
            votes[:, :-1] = counts.transpose(1, 0, 2)
            votes[:, -1] = 1 - counts.sum(axis=0)
            return votes
        for code in range(self._n_classes):
            digit = (self._n_neighbors + 1) ** (code % self._n_digits)
            votes[:, code] = counts[code // self._n_digits] // digit % (self._n_neighbors + 1)
        return votes
