"""Gaussian naive Bayes valued by its probabilities, by folds or leave-one-out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sweepless._typing import Counts, Features, Values
from sweepless.criteria.bayes.layout import Cells
from sweepless.criteria.bayes.moments import Moments
from sweepless.criteria.bayes.scored import Doubts
from sweepless.criteria.bayes.smooth import SmoothCursor, Subset
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.kernels.bayes.exact_sums import Grid
from sweepless.kernels.bayes.gaussian_scores import add_features, score_neighbors
from sweepless.kernels.bayes.moments import ROUNDING

if TYPE_CHECKING:
    from sweepless.criteria.bayes.gaussian import GaussianNB


class GaussianSums:
    """The exact sums of the terms of some features."""

    def __init__(self, known: Moments, cells: Cells, var_smoothing: float, grid: Grid) -> None:
        self._cells, self._var_smoothing, self._grid = cells, var_smoothing, grid
        self._known = known
        self._epsilon = known.epsilon(var_smoothing)
        self._high, self._low = np.zeros((2, cells.shape[1], known.columns.shape[1]))
        self._add(1, known)

    def scores_here(self) -> Values:
        """Return the scores of these features themselves."""
        priors = np.repeat(self._cells.priors.T, self._cells.sizes, axis=1)
        return np.asarray(priors + (self._high + self._low)[:, : priors.shape[1]])[None]

    def epsilon_next_door(self, direction: Direction, found: Moments) -> Values:
        """Return epsilon per candidate and fold."""
        return self._known.epsilon_next_door(direction, found, self._var_smoothing)

    def scores(self, direction: Direction, places: Counts, found: Moments) -> Values:
        scores = np.empty((len(places), *self._high.shape))
        score_neighbors(
            scores,
            self._high,
            self._low,
            self._epsilon,
            float(direction.sign),
            places,
            self.epsilon_next_door(direction, found),
            *found[:3],
            *self._known[:3],
            self._cells.priors,
            self._cells.bounds,
            self._cells.leaves_one_out,
            self._grid,
        )
        return scores

    def closest_calls(self, direction: Direction, found: Moments) -> Values:
        """Bound, per candidate and fold, how much another arithmetic may change the difference of two scores.

        The bounds are made of the largest ones of single features, which do not depend on the order of features.
        """
        size = len(self._known.columns) + direction.sign
        epsilon = self.epsilon_next_door(direction, found)
        alone = _bounds(found, epsilon, self._cells)
        largest = _largest_next_door(direction, _bounds(self._known, self._epsilon, self._cells), alone)
        for m in np.flatnonzero(np.any(epsilon != self._epsilon, axis=1)).tolist():
            known = _bounds(self._known, epsilon[m], self._cells)
            largest[m] = _largest_next_door(direction, known, alone[m : m + 1])[0]
        doubts, terms = size * largest[:, :, 0], size * largest[:, :, 1]
        return np.asarray(2.0 * (doubts + 4.0 * ROUNDING * (size + 8) * (terms + self._cells.largest_prior)))

    def moved(self, direction: Direction, place: int, found: Moments) -> GaussianSums:
        known = self._known.spliced(direction, place, found)
        if np.any(known.epsilon(self._var_smoothing) != self._epsilon):
            return GaussianSums(known, self._cells, self._var_smoothing, self._grid)
        self._known = known
        self._add(direction.sign, found)
        return self

    def _add(self, sign: int, features: Moments) -> None:
        cells = self._cells
        places = (cells.bounds, cells.leaves_one_out, self._grid)
        add_features(self._high, self._low, float(sign), *features[:3], self._epsilon, *places)


def _bounds(features: Moments, epsilon: Values, cells: Cells) -> Values:
    """Return, per feature and fold, how much another arithmetic may change a term, and how large a term may be."""
    terms, doubts = features.largest_terms(*features.tables(epsilon), cells)
    return np.stack([doubts, terms], axis=2)


def _largest_next_door(direction: Direction, known: Values, alone: Values) -> Values:
    """Return the largest bounds of all members with, or without, each candidate."""
    if direction.adds:
        return np.asarray(np.maximum(known.max(axis=0, initial=0.0), alone))
    ranked = np.sort(np.append(known, np.zeros((1, *known.shape[1:])), axis=0), axis=0)
    return np.asarray(np.where(ranked[-1] == alone, ranked[-2], ranked[-1]))


class SmoothGaussianCursor(SmoothCursor):
    """Sums the terms of Gaussian densities."""

    criterion: GaussianNB

    def __init__(self, criterion: GaussianNB, data: Dataset) -> None:
        self._grid = Grid.of(data.n_features)
        self._var_smoothing = criterion.var_smoothing
        cells = Cells.cross_validation(data, criterion.folds, criterion.priors, criterion.sample_weight)
        super().__init__(criterion, data, cells)

    def _described(self, features: Features) -> Moments:
        return Moments.of(self.data.columns(features), self._cells)

    def _valued(self, sums: Any, direction: Direction, places: Counts, found: Moments, subset: Subset) -> Values:
        values = super()._valued(sums, direction, places, found, subset)
        if self.criterion.unvarying == "nan":
            values[np.any(sums.epsilon_next_door(direction, found) == 0.0, axis=1)] = np.nan
        return values

    def _doubts(self, sums: Any, direction: Direction, found: Moments, scores: Values, subset: Subset) -> Doubts:
        def rows(m: int) -> Values:
            return self._cells.sorted(self.data.columns(subset(m))).T

        return Doubts(sums.closest_calls(direction, found), rows)

    def _sums_of(self, known: Moments) -> GaussianSums:
        return GaussianSums(known, self._cells, self._var_smoothing, self._grid)
