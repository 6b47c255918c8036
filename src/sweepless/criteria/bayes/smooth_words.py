"""Multinomial naive Bayes valued by its probabilities."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from sweepless._typing import AnyArray, Counts, Features, Mask, Values
from sweepless.criteria.bayes.layout import Cells
from sweepless.criteria.bayes.literal import LiteralWords
from sweepless.criteria.bayes.scored import Chosen, Doubts, Rough, ScoresOf, pads_for
from sweepless.criteria.bayes.smooth import SmoothCursor, Subset
from sweepless.criteria.bayes.words import Words, count_grid, logs_of
from sweepless.criteria.scores.base import Lines
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.kernels.bayes.exact_sums import Grid
from sweepless.kernels.bayes.multinomial import CLOSE
from sweepless.kernels.bayes.odds import key_words
from sweepless.kernels.bayes.word_scores import add_features, score_neighbors

if TYPE_CHECKING:
    from sweepless.criteria.bayes.multinomial import MultinomialNB


def largest_term(spacing: float) -> float:
    """Bound |x log(N + alpha)| of counts: their total is below 2**51 spacings, a logarithm below 2**10."""
    return spacing * 2.0**61


class WordSums:
    """The exact sums of the terms of some features, and of their counts."""

    def __init__(self, known: Words, cells: Cells, alpha: float, grid: Grid) -> None:
        self.cells, self.grid, self._alpha = cells, grid, alpha
        self._n_known = 0
        self.high, self.low = np.zeros((2, cells.shape[1], known.columns.shape[1]))
        self._masses, self.lengths = np.zeros(cells.shape), np.zeros(known.columns.shape[1])
        self._add(1, known)

    @property
    def standing(self) -> Values:
        """The sums with the priors, rounded."""
        return np.asarray(np.repeat(self.cells.priors.T, self.cells.sizes, axis=1) + (self.high + self.low))

    def scores_here(self, first: int, last: int) -> Values:
        """Return the scores of these features themselves."""
        nothing = Words(*(np.zeros((1, *part.shape)) for part in (self.lengths, self._masses, self._masses)))
        return self._next_door(1, 0, nothing).scores(first, last)

    def neighbors(self, direction: Direction, places: Counts, found: Words) -> WordNeighbors:
        return self._next_door(direction.sign, direction.sign, found)

    def _next_door(self, sign: int, n_more: int, found: Words) -> WordNeighbors:
        size = self._n_known + n_more
        closing = logs_of(self._masses + sign * found.counts, self._alpha * size)
        return WordNeighbors(self, sign, found, closing, size == 1)

    def moved(self, direction: Direction, place: int, found: Words) -> WordSums:
        self._add(direction.sign, found)
        return self

    def _add(self, sign: int, words: Words) -> None:
        add_features(self.high, self.low, float(sign), words.columns, words.logs, self.cells.bounds, self.grid)
        self._masses += sign * words.counts.sum(axis=0)
        self.lengths += sign * words.columns.sum(axis=0)
        self._n_known += sign * len(words.columns)


@dataclass(frozen=True)
class WordNeighbors:
    """The features with, or without, each of some candidates."""

    sums: WordSums
    sign: int
    found: Words
    closing: Values  # per candidate, fold and class: log(M + alpha d)
    is_single: bool  # the probability of a single word is one, so it says nothing about any sample

    def scores(self, first: int, last: int) -> Values:
        sums, cells = self.sums, self.sums.cells
        scores = np.empty((len(self.found.columns), cells.shape[1], cells.n_samples(first, last)))
        if self.is_single:
            scores[:] = np.repeat(cells.priors[first:last].T, cells.sizes[first:last], axis=1)
            return scores
        mine, places = (sums.high, sums.low, sums.lengths), (cells.priors, cells.bounds, sums.grid)
        words = (self.found.columns, self.found.logs, self.closing)
        score_neighbors(scores, *mine, float(self.sign), first, last, *words, *places)
        return scores

    def rough(self) -> Rough | None:
        """Rank by rounded sums; no part of a score is larger than those of which `calls` are made."""
        if self.is_single:
            return None
        sums, (columns, _, logs) = self.sums, self.found
        standing = sums.standing
        weights = np.abs(logs).max(axis=2) + np.abs(self.closing).max(axis=2)
        longest = sums.lengths.max() + columns.max(axis=1)
        calls: Values = 2.0 * CLOSE * (1.0 + np.abs(standing).max() + longest[:, None] * weights)

        def fill(fold: int, coldness: float, lines: Lines, keys: AnyArray, limits: Counts) -> None:
            sign, pads = float(self.sign), pads_for(len(standing), lines)
            members = (fold, sums.cells.bounds, standing, sums.lengths)
            key_words(*members, sign, columns, logs, self.closing, coldness, calls, *lines, *pads, keys, limits)

        def some(chosen: Counts) -> ScoresOf:
            return self._some(chosen).scores

        return Rough(len(columns), fill, some)

    def _some(self, chosen: Counts) -> WordNeighbors:
        return replace(self, found=Words(*(part[chosen] for part in self.found)), closing=self.closing[chosen])

    @cached_property
    def _lengths(self) -> Values:
        return np.asarray(self.sums.lengths + self.sign * self.found.columns)

    @cached_property
    def _is_settled(self) -> Mask:
        return np.full(self._lengths.shape, True) if self.is_single else self._lengths == 0.0

    @cached_property
    def _longest(self) -> Values:
        return np.asarray(self._lengths.max(axis=1))

    def doubts(self) -> Doubts:
        """Return how far another arithmetic may be: nowhere for samples without any of the words."""
        are_trained = bool(np.all(np.isfinite(self.sums.cells.priors)))

        def calls(fold: int, scores: Values, chosen: Chosen) -> Values:
            known = scores if are_trained else np.where(np.isfinite(scores), scores, 0.0)
            known = known.reshape(len(known), -1)
            magnitude = np.maximum(known.max(axis=1, initial=0.0), -known.min(axis=1, initial=0.0))
            longest = self._longest if isinstance(chosen, slice) else self._some(chosen)._longest
            largest = np.abs(self.closing[chosen, fold]).max(axis=1)
            return np.asarray(CLOSE * (1.0 + magnitude + longest * largest))

        def rows(m: int) -> Values:  # equal rows of a dense matrix need not have equal products
            return np.where(self._is_settled[m], 0.0, 1.0 + np.arange(self._lengths.shape[1]))[:, None]

        return Doubts(calls, rows, lambda: self._is_settled)


class SmoothMultinomialCursor(SmoothCursor):
    """Sums the terms of counts."""

    criterion: MultinomialNB

    def __init__(self, criterion: MultinomialNB, data: Dataset) -> None:
        self._spacing, self._alpha = count_grid(data), criterion.alpha
        self._grid = Grid.of(data.n_features, largest_term(self._spacing))
        cells = Cells.cross_validation(data, criterion.folds, criterion.priors, criterion.sample_weight)
        self._literal = LiteralWords(data, cells, criterion.folds, criterion.alpha, criterion.priors)
        super().__init__(criterion, data, cells)

    def _described(self, features: Features) -> Words:
        return Words.of(self.data.columns(features), self._spacing, self._cells, self._alpha)

    def _doubts(self, neighbors: WordNeighbors, subset: Subset) -> Doubts:
        doubts = neighbors.doubts()
        if np.isfinite(self._cells.priors).all():
            doubts = doubts._replace(literal=lambda m, fold: self._literal.logarithms(subset(m), fold))
        if not sparse.issparse(self.data.X) or len(subset(0)) == 1:
            return doubts
        return doubts._replace(rows=lambda m: self._cells.sorted(self.data.columns(subset(m))).T)

    def _sums_of(self, known: Words) -> WordSums:
        return WordSums(known, self._cells, self._alpha, self._grid)
