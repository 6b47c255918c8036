"""Multinomial naive Bayes valued by its probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from sweepless._typing import Counts, Features, Values
from sweepless.criteria.bayes.layout import Cells
from sweepless.criteria.bayes.scored import Doubts
from sweepless.criteria.bayes.smooth import SmoothCursor, Subset
from sweepless.criteria.bayes.words import Words, count_grid, logs_of
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.kernels.bayes.exact_sums import Grid
from sweepless.kernels.bayes.multinomial import CLOSE
from sweepless.kernels.bayes.word_scores import add_features, score_neighbors

if TYPE_CHECKING:
    from sweepless.criteria.bayes.multinomial import MultinomialNB


def largest_term(spacing: float) -> float:
    """Bound |x log(N + alpha)| of counts: their total is below 2**51 spacings, a logarithm below 2**10."""
    return spacing * 2.0**61


class WordSums:
    """The exact sums of the terms of some features, and of their counts."""

    def __init__(self, known: Words, cells: Cells, alpha: float, grid: Grid) -> None:
        self._cells, self._alpha, self._grid = cells, alpha, grid
        self._n_known = 0
        self._high, self._low = np.zeros((2, cells.shape[1], known.columns.shape[1]))
        self._masses, self._lengths = np.zeros(cells.shape), np.zeros(known.columns.shape[1])
        self._add(1, known)

    def scores_here(self) -> Values:
        """Return the scores of these features themselves."""
        nothing = Words(*(np.zeros((1, *part.shape)) for part in (self._lengths, self._masses, self._masses)))
        return self._scores(1, 0, nothing)

    def scores(self, direction: Direction, places: Counts, found: Words) -> Values:
        return self._scores(direction.sign, direction.sign, found)

    def _scores(self, sign: int, n_more: int, found: Words) -> Values:
        cells, size = self._cells, self._n_known + n_more
        scores = np.empty((len(found.columns), *self._high.shape))
        if size == 1:  # the probability of a single feature is one in every class
            scores[:, :, : cells.sizes.sum()] = np.repeat(cells.priors.T, cells.sizes, axis=1)
            return scores
        closing = logs_of(self._masses + sign * found.counts, self._alpha * size)
        sums = (self._high, self._low, self._lengths)
        places = (cells.priors, cells.bounds, self._grid)
        score_neighbors(scores, *sums, float(sign), found.columns, found.logs, closing, *places)
        return scores

    def doubts(self, direction: Direction, found: Words, scores: Values) -> Doubts:
        """Return how far another arithmetic may be: nowhere for samples without any of the words.

        The probability of a single word is one, so it says nothing about any sample.
        """
        size, cells = self._n_known + direction.sign, self._cells
        lengths = self._lengths + direction.sign * found.columns
        is_settled = np.full(lengths.shape, True) if size == 1 else lengths == 0.0
        largest = np.abs(logs_of(self._masses + direction.sign * found.counts, self._alpha * size)).max(axis=2)
        known = scores[:, :, : cells.sizes.sum()]
        known = known if np.all(np.isfinite(cells.priors)) else np.where(np.isfinite(known), known, 0.0)
        magnitude = np.maximum(known.max(axis=(1, 2)), -known.min(axis=(1, 2)))
        calls = CLOSE * (1.0 + magnitude[:, None] + lengths.max(axis=1)[:, None] * largest)

        def rows(m: int) -> Values:
            return np.where(is_settled[m], 0.0, 1.0 + np.arange(lengths.shape[1]))[:, None]

        return Doubts(calls, rows, is_settled)  # equal rows of a dense matrix need not have equal products

    def moved(self, direction: Direction, place: int, found: Words) -> WordSums:
        self._add(direction.sign, found)
        return self

    def _add(self, sign: int, words: Words) -> None:
        add_features(self._high, self._low, float(sign), words.columns, words.logs, self._cells.bounds, self._grid)
        self._masses += sign * words.counts.sum(axis=0)
        self._lengths += sign * words.columns.sum(axis=0)
        self._n_known += sign * len(words.columns)


class SmoothMultinomialCursor(SmoothCursor):
    """Sums the terms of counts."""

    criterion: MultinomialNB

    def __init__(self, criterion: MultinomialNB, data: Dataset) -> None:
        self._spacing, self._alpha = count_grid(data), criterion.alpha
        self._grid = Grid.of(data.n_features, largest_term(self._spacing))
        cells = Cells.cross_validation(data, criterion.folds, criterion.priors, criterion.sample_weight)
        super().__init__(criterion, data, cells)

    def _described(self, features: Features) -> Words:
        return Words.of(self.data.columns(features), self._spacing, self._cells, self._alpha)

    def _doubts(self, sums: Any, direction: Direction, found: Words, scores: Values, subset: Subset) -> Doubts:
        doubts: Doubts = sums.doubts(direction, found, scores)
        if not sparse.issparse(self.data.X) or len(subset(0)) == 1:
            return doubts
        return doubts._replace(rows=lambda m: self._cells.sorted(self.data.columns(subset(m))).T)

    def _sums_of(self, known: Words) -> WordSums:
        return WordSums(known, self._cells, self._alpha, self._grid)
