"""Gaussian naive Bayes valued by its probabilities, by folds or leave-one-out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sweepless._typing import Counts, Features, Values
from sweepless.criteria.bayes.layout import Cells
from sweepless.criteria.bayes.moments import Moments
from sweepless.criteria.bayes.smooth import SmoothCursor
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.kernels.bayes.exact_sums import Grid
from sweepless.kernels.bayes.gaussian_scores import add_features, score_neighbors

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


class SmoothGaussianCursor(SmoothCursor):
    """Sums the terms of Gaussian densities."""

    criterion: GaussianNB

    def __init__(self, criterion: GaussianNB, data: Dataset) -> None:
        self._grid = Grid.of(data.n_features)
        self._var_smoothing = criterion.var_smoothing
        super().__init__(criterion, data, Cells.cross_validation(data, criterion.folds, criterion.priors))

    def _described(self, features: Features) -> Moments:
        return Moments.of(self.data.columns(features), self._cells)

    def _valued(self, sums: Any, direction: Direction, places: Counts, found: Moments, size: int) -> Values:
        values = super()._valued(sums, direction, places, found, size)
        if self.criterion.unvarying == "nan":
            values[np.any(sums.epsilon_next_door(direction, found) == 0.0, axis=1)] = np.nan
        return values

    def _sums_of(self, known: Moments) -> GaussianSums:
        return GaussianSums(known, self._cells, self._var_smoothing, self._grid)
