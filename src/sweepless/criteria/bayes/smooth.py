"""Naive Bayes valued by its probabilities, from exact sums: values without steps that are functions of the set."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

import numpy as np

from sweepless._checks import not_negative
from sweepless._typing import Counts, Features, Values
from sweepless.criteria.base import Cursor, require_members
from sweepless.criteria.bayes.layout import Cells
from sweepless.criteria.bayes.scored import Doubts, Rough, Scored, ScoresOf
from sweepless.criteria.scores.base import Needs
from sweepless.criteria.scores.names import score_of
from sweepless.criteria.scoring import codes_known_to, mean_accuracy
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.kernels.bayes.losses import ACCURACY, BRIER, LARGEST_LOSS, LOG_LOSS, sum_values

_KINDS = {"accuracy": ACCURACY, "log_loss": LOG_LOSS, "brier": BRIER}
_NEEDS: tuple[Needs, ...] = ("labels", "outputs", "probabilities")
_BLOCK_CELLS = 1 << 15  # scores of candidates at a time: a quarter of a megabyte
_FOLD_CELLS = 1 << 17  # the same where folds are scored one after the other, and every block costs more than its cells
_COLUMN_CELLS = 1 << 18  # values of these candidates
_SMALLEST_BLOCK = 16


def checked_score(score: object, tempering: object) -> None:
    """Raise unless the score is known and the power is one by which log likelihoods can be divided."""
    if score not in _KINDS:
        score_of(score, *_NEEDS)
    not_negative("tempering", tempering)


Subset: TypeAlias = Callable[[int], Features]
"""The members of each candidate's subset."""


class Neighbors(Protocol):
    """Some features with, or without, each of some candidates."""

    def scores(self, first: int, last: int) -> Values:
        """Return the scores (candidate, class, sample) of the samples of the folds from `first` to before `last`."""

    def rough(self) -> Rough | None:
        """Return what ranks most candidates; None if nothing does."""


class Sums(Protocol):
    """The exact sums of the terms of some features, for every class and sample."""

    def neighbors(self, direction: Direction, places: Counts, found: Any) -> Neighbors:
        """Return the features with, or without, each candidate."""

    def moved(self, direction: Direction, place: int, found: Any) -> Sums:
        """Return the sums with, or without, one feature; these sums may be used up."""


class SmoothCursor(Cursor):
    """Keeps the sums of the members; a neighbor adds or subtracts its terms, which is exact."""

    _features: Features
    _sums: Sums

    def __init__(self, criterion: Any, data: Dataset, cells: Cells) -> None:
        super().__init__(data)
        data.require_classes()
        data.require_variation()
        self.criterion = criterion
        self._cells = cells
        self._scored = None if criterion.score in _KINDS else self._bound(data)
        self._rebuild()

    def _bound(self, data: Dataset) -> Scored:
        return Scored(score_of(self.criterion.score, *_NEEDS), self._cells, data.codes, data.classes)

    @abstractmethod
    def _doubts(self, neighbors: Any, subset: Subset) -> Doubts:
        """Return how far another arithmetic may be from their scores."""

    @abstractmethod
    def _described(self, features: Features) -> Any:
        """Return what the model knows about some features."""

    @abstractmethod
    def _sums_of(self, known: Any) -> Sums:
        """Return the sums of some features."""

    def evaluate(self, members: Features) -> float:
        members = require_members(members)
        last = len(members) - 1
        sums = self._sums_of(self._described(members[:last]))
        found = self._described(members[last:])
        neighbors = sums.neighbors(Direction.ADD, np.array([last]), found)
        return float(self._valued(neighbors, lambda _: members)[0])

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        """Peek at the candidates in blocks, so that their scores stay in the cache."""
        n_samples, n_classes = self.data.n_samples, self._cells.shape[1]
        if self._scored is None:
            width = _BLOCK_CELLS // (n_samples * n_classes)
        else:
            width = min(_FOLD_CELLS // (self._scored.n_samples * n_classes), _COLUMN_CELLS // n_samples)
        width = max(_SMALLEST_BLOCK, width)
        places = np.searchsorted(self._features, candidates).astype(np.int64)
        values = np.empty(len(candidates))
        for first in range(0, len(candidates), width):
            part = slice(first, first + width)
            found = self._described(candidates[part])

            def subset(k: int, some: Features = candidates[part]) -> Features:
                return self._neighbor(direction, some[k])

            values[part] = self._valued(self._sums.neighbors(direction, places[part], found), subset)
        return values

    def _valued(self, neighbors: Any, subset: Subset) -> Values:
        size = len(subset(0))
        if self._scored is None:
            return values_of(neighbors.scores, self._cells, self.criterion, size)
        doubts = self._doubts(neighbors, subset) if self.criterion.ties == "nan" else None
        coldness = float(size) ** -self.criterion.tempering
        return self._scored.values(neighbors.scores, coldness, doubts, neighbors.rough)

    def _step(self, direction: Direction, feature: int) -> None:
        place = int(np.searchsorted(self._features, feature))
        self._features = direction.spliced(self._features, place, feature)
        self._sums = self._sums.moved(direction, place, self._described(np.array([feature])))

    def _rebuild(self) -> None:
        self._features = np.flatnonzero(self.members)
        self._sums = self._sums_of(self._described(self._features))


def values_of(scores_of: ScoresOf, cells: Cells, criterion: Any, size: int) -> Values:
    """Return J from the scores of subsets of one size, a mean over folds or, one by one, over samples."""
    scores = scores_of(0, cells.n_folds)
    totals = np.empty((len(scores), cells.n_folds))
    coldness = float(size) ** -criterion.tempering
    sum_values(totals, scores, coldness, cells.priors, cells.bounds, _KINDS[criterion.score])
    if criterion.score == "brier" and _n_classes(cells) <= 2:
        totals *= 0.5  # two classes miss by the same amount, which counts once
    if not cells.leaves_one_out:
        return mean_accuracy(totals, cells.sizes)
    return np.asarray(totals.sum(axis=1) / cells.sizes.sum())


def holdout_value(scores_of: ScoresOf, cells: Cells, criterion: Any, size: int, train: Dataset, test: Dataset) -> float:
    """Return the value on a holdout; samples with labels never trained on, which the cells leave out, miss by most.

    Scores other than losses leave these samples out.
    """
    if criterion.score not in _KINDS:
        codes = np.concatenate([train.codes, codes_known_to(train, test)])
        scored = Scored(score_of(criterion.score, *_NEEDS), cells, codes, train.classes)
        return float(scored.values(scores_of, float(size) ** -criterion.tempering, None)[0])
    n_known, n_tested = int(cells.sizes[0]), test.n_samples
    most = LARGEST_LOSS if criterion.score == "log_loss" else 1.0 if _n_classes(cells) <= 2 else 2.0
    known = float(values_of(scores_of, cells, criterion, size)[0])
    return (known * n_known - most * (n_tested - n_known)) / n_tested


def _n_classes(cells: Cells) -> int:
    """Count the classes that were trained on anywhere."""
    return int(np.count_nonzero(np.any(np.isfinite(cells.priors), axis=0)))
