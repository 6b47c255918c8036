"""Gaussian naive Bayes valued by its probabilities, by folds or leave-one-out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Values
from sweepless.criteria.bayes.layout import Cells
from sweepless.criteria.bayes.moments import Moments
from sweepless.criteria.bayes.scored import Chosen, Doubts, Rough, ScoresOf, pads_for
from sweepless.criteria.bayes.smooth import SmoothCursor, Subset
from sweepless.criteria.scores.base import Lines
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.kernels.bayes.exact_sums import Grid
from sweepless.kernels.bayes.gaussian_scores import add_features, score_neighbors
from sweepless.kernels.bayes.moments import NO_VARIANCE, ROUNDING
from sweepless.kernels.bayes.odds import key_gaussian

if TYPE_CHECKING:
    from sweepless.criteria.bayes.gaussian import GaussianNB

_SLIGHT = 2.0**-10  # a share of a variance that changes terms in proportion


class GaussianSums:
    """The exact sums of the terms of some features."""

    def __init__(self, known: Moments, cells: Cells, var_smoothing: float, grid: Grid) -> None:
        self.cells, self.grid, self._var_smoothing = cells, grid, var_smoothing
        self.known = known
        self.epsilon = known.epsilon(var_smoothing)
        self.high, self.low = np.zeros((2, cells.shape[1], known.columns.shape[1]))
        self._add(1, known)

    def scores_here(self, first: int, last: int) -> Values:
        """Return the scores of these features themselves."""
        start, stop = self.cells.bounds[first, 0], self.cells.bounds[last - 1, -1]
        priors = np.repeat(self.cells.priors[first:last].T, self.cells.sizes[first:last], axis=1)
        return np.asarray(priors + (self.high + self.low)[:, start:stop])[None]

    def neighbors(self, direction: Direction, places: Counts, found: Moments) -> GaussianNeighbors:
        epsilon = self.known.epsilon_next_door(direction, found, self._var_smoothing)
        return GaussianNeighbors(self, direction, places, found, epsilon)

    def moved(self, direction: Direction, place: int, found: Moments) -> GaussianSums:
        known = self.known.spliced(direction, place, found)
        if np.any(known.epsilon(self._var_smoothing) != self.epsilon):
            return GaussianSums(known, self.cells, self._var_smoothing, self.grid)
        self.known = known
        self._add(direction.sign, found)
        return self

    def _add(self, sign: int, features: Moments) -> None:
        cells = self.cells
        places = (cells.bounds, cells.leaves_one_out, self.grid)
        add_features(self.high, self.low, float(sign), *features[:3], self.epsilon, *places)


@dataclass(frozen=True)
class GaussianNeighbors:
    """The features with, or without, each of some candidates."""

    sums: GaussianSums
    direction: Direction
    places: Counts
    found: Moments
    epsilon: Values  # per candidate and fold

    def scores(self, first: int, last: int) -> Values:
        sums, cells = self.sums, self.sums.cells
        scores = np.empty((len(self.places), cells.shape[1], cells.n_samples(first, last)))
        score_neighbors(
            scores,
            sums.high,
            sums.low,
            sums.epsilon,
            float(self.direction.sign),
            self.places,
            first,
            last,
            self.epsilon,
            *self.found[:3],
            *sums.known[:3],
            cells.priors,
            cells.bounds,
            cells.leaves_one_out,
            sums.grid,
        )
        return scores

    def rough(self) -> Rough | None:
        sums, (heights, slopes), direction = self.sums, self._tables, self.direction
        if sums.cells.leaves_one_out:
            return None
        standing = sums.scores_here(0, sums.cells.n_folds)[0]
        calls = self._rough_calls(float(max(standing.max(), -standing.min())))
        candidates = (float(direction.sign), *self.found[:2], heights, slopes)

        def fill(fold: int, coldness: float, lines: Lines, keys: AnyArray, limits: Counts) -> None:
            pads = pads_for(len(standing), lines)
            key_gaussian(fold, sums.cells.bounds, standing, *candidates, coldness, calls, *lines, *pads, keys, limits)

        def some(chosen: Counts) -> ScoresOf:
            found = Moments(*(part[chosen] for part in self.found))
            return GaussianNeighbors(sums, direction, self.places[chosen], found, self.epsilon[chosen]).scores

        return Rough(len(self.places), fill, some)

    def _rough_calls(self, farthest: float) -> Values:
        """Bound the same where sums are rounded, which `farthest` bounds, and have the epsilon of the members.

        If a variance grows by a share of itself, a term changes by no more than that share of itself and of one half.
        """
        sums = self.sums
        least = sums.known.variances.min(axis=(0, 2), initial=np.inf) + np.minimum(sums.epsilon, self.epsilon)
        share = np.abs(self.epsilon - sums.epsilon) / np.maximum(least, NO_VARIANCE)
        moved = len(sums.known.columns) * share * (1.0 + self._member_bounds[:, :, 1].max(axis=0, initial=0.0))
        rounded = 16.0 * ROUNDING * farthest
        return np.where(share < _SLIGHT, 2.0 * (self._calls(self._largest) + moved) + rounded, np.inf)

    @cached_property
    def closest_calls(self) -> Values:
        """The closest calls of all candidates."""
        return self.closest_calls_of(np.arange(len(self.places)))

    def closest_calls_of(self, chosen: Counts) -> Values:
        """Bound, per candidate and fold, how much another arithmetic may change the difference of two scores.

        The bounds are made of the largest ones of single features, which do not depend on the order of features.
        """
        sums, largest = self.sums, self._largest[chosen]
        for k in np.flatnonzero(np.any(self.epsilon[chosen] != sums.epsilon, axis=1)).tolist():
            m = int(chosen[k])
            known = _bounds(sums.known, sums.known.tables(self.epsilon[m]), sums.cells)
            largest[k] = _largest_next_door(self.direction, known, self._alone[m : m + 1])[0]
        return self._calls(largest)

    def _calls(self, largest: Values) -> Values:
        size = len(self.sums.known.columns) + self.direction.sign
        doubts, terms = size * largest[:, :, 0], size * largest[:, :, 1]
        return np.asarray(2.0 * (doubts + 4.0 * ROUNDING * (size + 8) * (terms + self.sums.cells.largest_prior)))

    @cached_property
    def _largest(self) -> Values:
        """The largest bounds with, or without, each candidate, as if none changed the epsilon of the members."""
        return _largest_next_door(self.direction, self._member_bounds, self._alone)

    @cached_property
    def _member_bounds(self) -> Values:
        known = self.sums.known
        return _bounds(known, known.tables(self.sums.epsilon), self.sums.cells)

    @cached_property
    def _alone(self) -> Values:
        """The bounds of every candidate."""
        return _bounds(self.found, self._tables, self.sums.cells)

    @cached_property
    def _tables(self) -> tuple[Values, Values]:
        return self.found.tables(self.epsilon)


def _bounds(features: Moments, tables: tuple[Values, Values], cells: Cells) -> Values:
    """Return, per feature and fold, how much another arithmetic may change a term, and how large a term may be."""
    terms, doubts = features.largest_terms(*tables, cells)
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

    def _valued(self, neighbors: GaussianNeighbors, subset: Subset) -> Values:
        values = super()._valued(neighbors, subset)
        if self.criterion.unvarying == "nan":
            values[np.any(neighbors.epsilon == 0.0, axis=1)] = np.nan
        return values

    def _doubts(self, neighbors: GaussianNeighbors, subset: Subset) -> Doubts:
        def calls(fold: int, _: Values, chosen: Chosen) -> Values:
            calls = neighbors.closest_calls if isinstance(chosen, slice) else neighbors.closest_calls_of(chosen)
            return np.ascontiguousarray(calls[:, fold])

        def rows(m: int) -> Values:
            return self._cells.sorted(self.data.columns(subset(m))).T

        return Doubts(calls, rows)

    def _sums_of(self, known: Moments) -> GaussianSums:
        return GaussianSums(known, self._cells, self._var_smoothing, self._grid)
