"""A cursor for discriminant analysis by cross-validation, which keeps the class correlations of the members."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sweepless._typing import Features, Values
from sweepless.criteria.base import Cursor, require_members
from sweepless.criteria.discriminant.outcome import Outcome
from sweepless.criteria.discriminant.shrinkage import Neighborhood, Shrinkage, ledoit_wolf
from sweepless.criteria.discriminant.training import Described, TrainingPart
from sweepless.criteria.schur import bordered
from sweepless.criteria.scores.base import BoundScore, Score, mean_over_folds
from sweepless.criteria.scores.outputs import LossScore
from sweepless.dataset import Dataset
from sweepless.direction import Direction

_BLOCK_CELLS = 1 << 18  # values of candidates at a time: two megabytes
_SMALLEST_BLOCK = 16
_STRICT, _STRICTER = 1.01, 1.02  # so much more than the estimator demands is asked for


class Related(NamedTuple):
    """Some features on a training part, and their products with the members: (class, member, feature)."""

    features: Described
    correlations: Values
    squares: Values  # of squared deviations; without features unless Ledoit and Wolf ask for them
    fourths: Values  # (class, feature): sums of fourth powers

    def at(self, places: Features) -> Related:
        """Return some of the features."""
        squares, fourths = self.squares, self.fourths
        if squares.shape[2]:
            squares, fourths = squares.take(places, axis=2), fourths.take(places, axis=1)
        return Related(self.features.at(places), self.correlations.take(places, axis=2), squares, fourths)


class Analysis(ABC):
    """How discriminant analysis on one training part values all neighbors of some members.

    It keeps nothing of the members: what is kept of them are `Related` ones, related to themselves.
    """

    def __init__(self, part: TrainingPart, score: Score, shrinkage: Shrinkage) -> None:
        self.part, self.shrinkage = part, shrinkage
        self._needs_squares = shrinkage == "auto"
        self._score, self._value = score, BoundScore(score, part.truth, part.classes)
        self._is_ordinal = not isinstance(score, LossScore)

    @abstractmethod
    def outcome(self, around: Neighborhood, members: Related, found: Related, strictness: float) -> Outcome:
        """Return what the models of all neighbors say; what the estimator demands must be fulfilled by this factor."""

    def quick(self, around: Neighborhood, members: Related, found: Related, strictness: float) -> Outcome | None:
        """Return the same for additions by less work and with other roundings; None if there is no such way."""
        if self.shrinkage:
            return None
        last = Neighborhood(np.full(len(around.slots), members.features.means.shape[1]), around.direction)
        return self.outcome(last, members, found, strictness)

    def values(self, around: Neighborhood, members: Related, samples: Values) -> Values:
        """Return the score with, or without, each candidate; NaN where rounding would decide it.

        Classes that win and ranks that hold for certain do so by any computation. Where a quick one leaves a doubt,
        elimination in the order of the features decides, which is the definition.
        """
        found = self._related(members.features, self.part.describe(samples))
        quick = None
        if self._is_ordinal and around.direction.adds:
            quick = self.quick(around, members, found, _STRICTER)
        if quick is None:
            return self._valued(self.outcome(around, members, found, _STRICT))
        values = self._valued(quick.doubted(4.0), is_final=False)
        unsure = np.flatnonzero(np.isnan(values))
        if len(unsure):
            some = Neighborhood(around.slots[unsure], around.direction)
            values[unsure] = self._valued(self.outcome(some, members, found.at(unsure), _STRICT))
        return values

    def _valued(self, found: Outcome, *, is_final: bool = True) -> Values:
        outputs, is_sound = found.outputs(self._score, self.part)
        if not is_final:  # what is equal here may differ by the definition
            outputs = outputs._replace(exact=(-np.inf, np.inf))
        return np.where(is_sound, self._value(outputs), np.nan)

    def members(self, samples: Values) -> Related:
        """Describe members, whose values are given with a sample per row."""
        found = self.part.describe(samples)
        return self._related(found, found)

    def moved(self, members: Related, samples: Values, place: int, direction: Direction) -> Related:
        """Return the members with, or without, a feature at a place."""
        found = self._related(members.features, self.part.describe(samples))
        return Related(
            members.features.spliced(direction, place, found.features),
            bordered(direction, members.correlations, place, found.correlations[:, :, 0], 1.0),
            bordered(direction, members.squares, place, found.squares[:, :, 0], found.fourths[:, 0])
            if self._needs_squares
            else members.squares,
            direction.spliced(members.fourths, place, found.fourths[:, 0]) if self._needs_squares else members.fourths,
        )

    def shrinkages(self, around: Neighborhood, members: Related, found: Related) -> Values:
        """Return what Ledoit and Wolf shrink correlations by: (class, candidate)."""
        both = [(members.correlations[c], found.correlations[c]) for c in range(len(self.part.sizes))]
        squares = [(members.squares[c], found.squares[c], found.fourths[c]) for c in range(len(self.part.sizes))]
        sizes = self.part.sizes.tolist()
        return np.array([ledoit_wolf(around, sizes[c], both[c], squares[c]) for c in range(len(sizes))])

    def _related(self, members: Described, found: Described) -> Related:
        correlations = self.part.products(members.rows, found.rows)
        if not self._needs_squares:
            nothing = np.empty((len(self.part.sizes), 0, 0))
            return Related(found, correlations, nothing, nothing[0])
        squares = found.rows**2
        return Related(found, correlations, self.part.products(members.rows**2, squares), self.part.lengths(squares))


class DiscriminantCursor(Cursor):
    """The mean over training parts, in each of which the members have their own units."""

    _features: Features
    _related: list[Related]  # the members in each training part

    def __init__(self, data: Dataset, analyses: Sequence[Analysis]) -> None:
        super().__init__(data)
        data.require_variation()
        self._analyses = analyses
        self._rebuild()

    def evaluate(self, members: Features) -> float:
        """Add the last member to the others: operations are in the order of features, whichever is added."""
        samples = self._samples(require_members(members))
        around = Neighborhood(np.array([samples.shape[1] - 1]), Direction.ADD)
        known, last = np.ascontiguousarray(samples[:, :-1]), np.ascontiguousarray(samples[:, -1:])
        return float(mean_over_folds([each.values(around, each.members(known), last) for each in self._analyses])[0])

    def _samples(self, features: Features) -> Values:
        """Return the values of features, a sample per row."""
        return np.ascontiguousarray(self.data.columns(features).T)

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        order = np.argsort(candidates, kind="stable")
        values = np.empty(len(candidates))
        width = max(_SMALLEST_BLOCK, _BLOCK_CELLS // self.data.n_samples)
        for start in range(0, len(candidates), width):
            block = order[start : start + width]
            values[block] = self._peek_block(direction, candidates[block])
        return values

    def _peek_block(self, direction: Direction, candidates: Features) -> Values:
        around = Neighborhood(np.searchsorted(self._features, candidates).astype(np.int64), direction)
        samples = self._samples(candidates[: len(candidates) if direction.adds else 0])
        pairs = zip(self._analyses, self._related, strict=True)
        return mean_over_folds([each.values(around, members, samples) for each, members in pairs])

    def _step(self, direction: Direction, feature: int) -> None:
        place = int(np.searchsorted(self._features, feature))
        self._features = direction.spliced(self._features, place, feature)
        samples = self._samples(np.array([feature]))
        pairs = zip(self._analyses, self._related, strict=True)
        self._related = [each.moved(members, samples, place, direction) for each, members in pairs]

    def _rebuild(self) -> None:
        self._features = np.flatnonzero(self.members)
        samples = self._samples(self._features)
        self._related = [each.members(samples) for each in self._analyses]
