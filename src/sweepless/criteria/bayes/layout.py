"""Samples sorted by fold and class, and the cursor that the naive Bayes criteria share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np

from sweepless._typing import Counts, Features, Values
from sweepless.criteria.base import Cursor
from sweepless.criteria.folds import Folds, Split, assigned_folds, training_parts
from sweepless.criteria.sample_weights import sample_weights
from sweepless.criteria.scoring import codes_known_to
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.errors import DataError, InputError
from sweepless.kernels.bayes.moments import ROUNDING

_BLOCK_CELLS = 1 << 18  # values of candidates at a time: two megabytes
_SMALLEST_BLOCK = 16
# If incremental sums may have lost more than this share of the scores, they are computed anew.
_LARGEST_LOSS = 2.0**-40


Priors: TypeAlias = Literal["uniform"] | tuple[float, ...] | None


@dataclass(frozen=True)
class Cells:
    """Every fold is tested by a model trained on all the others; folds without priors are only trained on."""

    order: Counts  # the samples, sorted by (fold, class)
    bounds: Counts  # where cell (fold, class) begins among them; one more column where the fold ends
    priors: Values  # per tested fold: log of each class's share of the training part, -inf without samples
    weights: Values | None = None  # of the samples in this order, in training; None if all weigh the same
    leaves_one_out: bool = False  # each class is a fold, whose samples are left out of it one by one

    @staticmethod
    def cross_validation(
        data: Dataset, folds: Folds, priors: Priors = None, sample_weight: tuple[float, ...] | None = None
    ) -> Cells:
        if isinstance(folds, str):
            return Cells._leave_one_out(data, priors)
        if isinstance(folds, Split):
            numbers, n_folds = folds.tested(data.n_samples, data.name), 2
        else:
            numbers = assigned_folds(folds, data.codes, data.name)
            n_folds = folds if isinstance(folds, int) else int(numbers.max()) + 1
        weights = None
        if sample_weight is not None:
            weights = sample_weights(sample_weight, data, training_parts(folds, data.codes, data.name))
        cells = Cells._build(data.codes, numbers, len(data.classes), n_folds, weights)
        tested = cells.priors[:1] if isinstance(folds, Split) else cells.priors
        return replace(cells, priors=_given(priors, tested))

    @staticmethod
    def _leave_one_out(data: Dataset, priors: Priors) -> Cells:
        """Lay out leave-one-out: the samples of a class share all models but that of their own class."""
        n_classes = len(data.classes)
        cells = Cells._build(data.codes, data.codes, n_classes, n_classes)
        left = np.bincount(data.codes, minlength=n_classes) - np.eye(n_classes, dtype=np.int64)
        with np.errstate(divide="ignore", invalid="ignore"):
            learned = np.log(np.maximum(left, 0) / (data.n_samples - 1))
        return replace(cells, priors=_given(priors, learned), leaves_one_out=True)

    @staticmethod
    def holdout(train: Dataset, test: Dataset, priors: Priors = None) -> Cells:
        """Lay out a holdout: fold 0 is the part of `test` whose labels `train` knows, numbered after `train`."""
        codes = codes_known_to(train, test)
        # Samples with unknown labels make a third fold, which is dropped: they do not train and are never right.
        folds = np.concatenate([np.ones(train.n_samples, np.int64), np.where(codes < 0, 2, 0)])
        cells = Cells._build(np.concatenate([train.codes, np.maximum(codes, 0)]), folds, len(train.classes), 2)
        return replace(cells, priors=_given(priors, cells.priors[:1]))

    @staticmethod
    def _build(codes: Counts, folds: Counts, n_classes: int, n_folds: int, weights: Values | None = None) -> Cells:
        order = np.lexsort((codes, folds))
        places = np.searchsorted((folds * n_classes + codes)[order], np.arange(n_folds * n_classes + 1))
        bounds = np.stack([places[k * n_classes : (k + 1) * n_classes + 1] for k in range(n_folds)])
        order = order[: places[-1]]
        weighed = np.ones(len(order)) if weights is None else weights[order]
        masses = np.array([[weighed[a:b].sum() for a, b in pairwise(line)] for line in bounds.tolist()])
        trained = np.stack([np.delete(masses, k, axis=0).sum(axis=0) for k in range(n_folds)])
        whole = trained.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore"):
            priors = np.log(trained / np.where(whole > 0.0, whole, 1.0))
        return Cells(order, np.ascontiguousarray(bounds), priors, None if weights is None else weighed)

    @property
    def n_folds(self) -> int:
        return len(self.priors)

    @property
    def shape(self) -> tuple[int, int]:
        """(folds, classes): the shape of the moments of one feature."""
        return self.priors.shape[0], self.priors.shape[1]

    @property
    def sizes(self) -> Counts:
        """The number of samples of each tested fold."""
        return np.asarray(self.bounds[: self.n_folds, -1] - self.bounds[: self.n_folds, 0])

    def n_samples(self, first: int, last: int) -> int:
        """Return the number of samples of the folds from `first` to before `last`."""
        return int(self.bounds[last - 1, -1] - self.bounds[first, 0])

    @property
    def largest_prior(self) -> float:
        """A bound on |log prior| of the classes that have one."""
        return float(np.max(-self.priors, initial=0.0, where=np.isfinite(self.priors)))

    @property
    def trained(self) -> Counts:
        """The cells of which every fold but the tested one is trained on; one by one, all samples are, but for one."""
        if not self.leaves_one_out:
            return self.bounds
        return np.stack([np.zeros_like(self.bounds[0]), np.append(self.bounds[:, 0], self.bounds[-1, -1])])

    def sorted(self, columns: Values) -> Values:
        """Return the columns (one feature per row) with the samples in the order of the cells."""
        return np.take(columns, self.order, axis=1)

    def count_by_priors(self) -> Counts:
        """Count per fold the correct samples if every sample is given the class with the greatest prior."""
        sizes = np.diff(self.bounds[: self.n_folds], axis=1)
        winners = np.argmax(self.priors, axis=1)
        is_trained = np.isfinite(self.priors.max(axis=1))
        return np.where(is_trained, sizes[np.arange(self.n_folds), winners], 0)


class NaiveBayesCursor(Cursor):
    """Keeps the scores of the working subset; neighbors are proved by them or valued by the definition."""

    _features: Features  # the members, ascending
    _terms: Values  # per member and fold: a bound on |term|
    _scores: Values  # per class: the score of every sample
    _lost: Values  # per fold: a bound on the rounding errors of the incremental scores

    def __init__(
        self, data: Dataset, folds: Folds, priors: Priors, sample_weight: tuple[float, ...] | None = None
    ) -> None:
        super().__init__(data)
        data.require_classes()
        data.require_variation()
        self._cells = Cells.cross_validation(data, folds, priors, sample_weight)
        self._rebuild()

    @abstractmethod
    def _peek_block(self, direction: Direction, candidates: Features) -> Values:
        """Peek at a few candidates."""

    @abstractmethod
    def _add_members(self) -> None:
        """Sum the scores of all members from the priors on."""

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        """Peek at the candidates in blocks, so that a copy of their columns fits into the cache."""
        width = max(_SMALLEST_BLOCK, _BLOCK_CELLS // self.data.n_samples)
        firsts = range(0, len(candidates), width)
        blocks = [self._peek_block(direction, candidates[first : first + width]) for first in firsts]
        return np.concatenate([np.empty(0), *blocks])

    def _sums(self) -> Values:
        """Bound the sum of the magnitudes of all parts of a score, per fold."""
        return np.asarray(self._cells.largest_prior + self._terms.sum(axis=0))

    def _recompute(self) -> None:
        self._scores = np.repeat(self._cells.priors.T, self._cells.sizes, axis=1)
        self._add_members()
        self._lost = ROUNDING * len(self._features) * self._sums()

    def _lose(self, before: Values) -> None:
        """Take the rounding errors of one step into account; compute the scores anew if they are too large.

        After a feature with great terms is removed, its rounding errors would hide the small terms of others.
        """
        self._lost = self._lost + ROUNDING * np.maximum(before, self._sums())
        if not np.all(self._lost <= _LARGEST_LOSS * self._sums()):
            self._recompute()


def checked_priors(priors: object) -> Priors:
    """Return the priors as given, a sequence of shares as a tuple."""
    if priors is None or (isinstance(priors, str) and priors == "uniform"):
        return priors  # type: ignore[return-value]
    shares = np.asarray(priors)
    if shares.ndim != 1 or shares.dtype.kind not in "iuf" or not np.all(shares > 0.0):
        raise InputError(f"`priors` must be None, uniform or a positive share for each class, got {priors!r}.")
    return tuple(shares.astype(float).tolist())


def _given(priors: Priors, learned: Values) -> Values:
    """Return the given log priors of the classes that are trained on."""
    if priors is None:
        return learned
    trained = np.isfinite(learned)
    if priors == "uniform":
        return np.where(trained, -np.log(np.maximum(trained.sum(axis=1, keepdims=True), 1)), -np.inf)
    if len(priors) != learned.shape[1]:
        raise DataError(f"`priors` must hold a share for each of {learned.shape[1]} classes, got {len(priors)}.")
    return np.where(trained, np.log(np.array(priors)), -np.inf)


def in_groups(evaluate: Callable[[list[Features]], Values], subsets: list[Features], n_samples: int) -> Values:
    """Evaluate the subsets in groups that together have no more columns than a block."""
    places = np.cumsum([len(members) for members in subsets]) // max(_SMALLEST_BLOCK, _BLOCK_CELLS // n_samples)
    groups = np.split(np.arange(len(subsets)), np.flatnonzero(np.diff(places)) + 1)
    return np.concatenate([np.empty(0), *(evaluate([subsets[k] for k in group]) for group in groups if len(group))])
