"""Gaussian naive Bayes by cross-validation; a candidate costs one pass over its column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from sweepless._checks import one_of, positive
from sweepless._typing import Counts, Features, Mask, Values
from sweepless.criteria.base import Criterion, Cursor, require_members
from sweepless.criteria.bayes.layout import Cells, NaiveBayesCursor, Priors, checked_priors, in_groups
from sweepless.criteria.folds import Partition, Split, checked_folds
from sweepless.criteria.repeats import over_repeats
from sweepless.criteria.scoring import mean_accuracy
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.kernels.bayes.definition import add_terms, count_subsets
from sweepless.kernels.bayes.gaussian import count_correct
from sweepless.kernels.bayes.moments import ROUNDING, describe, largest_terms, measure, tabulate


@dataclass(frozen=True)
class GaussianNB(Criterion):
    """Mean accuracy over the folds of Gaussian naive Bayes.

    Parameters
    ----------
    folds : int, Partition or Split
        Number of positional stratified folds, contiguous within each class and not shuffled; or given folds, also as
        an array of the fold of each sample; or one given split.
    var_smoothing : float
        The share of the greatest variance of a member that is added to all variances, as in scikit-learn.
    priors : None, "uniform" or one share per class
        The probability of each class before any feature is known; None learns it from each training part.
    unvarying : {"prior", "nan"}
        If no member of the subset varies in a training part, the priors decide ("prior"), or the subset has no
        value ("nan"), as the native dispatch of selectors needs it.
    ties : {"lowest", "nan"}
        Equal scores go to the lowest class ("lowest"), or a subset has no value ("nan") if the scores of a sample's
        class and another class are so close that another order of summing might swap them.

    Notes
    -----
    Means and variances come from the training part of each fold.

    A peek costs O(n C) per candidate for any size of the subset. The few candidates that change the greatest
    variance change every term, and cost as much as a valuation from scratch. Values are exactly those of the
    definition: scores summed in double in ascending feature order.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sweepless import Dataset
    >>> from sweepless.criteria import GaussianNB
    >>> data = Dataset(*load_iris(return_X_y=True))
    >>> round(GaussianNB().bind(data).evaluate([2, 3]), 4)
    0.9604
    """

    folds: int | Partition | Split = 3
    var_smoothing: float = 1e-9
    priors: Priors = None
    unvarying: Literal["prior", "nan"] = "prior"
    ties: Literal["lowest", "nan"] = "lowest"

    def __post_init__(self) -> None:
        object.__setattr__(self, "folds", checked_folds(self.folds, Split))
        object.__setattr__(self, "priors", checked_priors(self.priors))
        positive("var_smoothing", self.var_smoothing)
        one_of("unvarying", self.unvarying, ("prior", "nan"))
        one_of("ties", self.ties, ("lowest", "nan"))

    def bind(self, data: Dataset) -> Cursor:
        return over_repeats(self, data) or GaussianNBCursor(self, data)

    def validate(self, train: Dataset, test: Dataset, members: Features) -> float:
        """Return the share of `test` that the classifier trained on all of `train` classifies correctly."""
        members = require_members(members)
        cells = Cells.holdout(train, test, self.priors)
        features = _Features.of(np.hstack([train.columns(members), test.columns(members)]), cells)
        rows = np.arange(len(members))
        correct, _, _ = features.count_by_definition(rows, np.array([len(rows)]), self.var_smoothing, cells)
        return int(correct[0, 0]) / test.n_samples


class _Features(NamedTuple):
    """The moments of some features, one feature per row."""

    columns: Values
    means: Values
    variances: Values
    spreads: Values
    extents: Values

    @staticmethod
    def of(columns: Values, cells: Cells) -> _Features:
        # Relative to a value that occurs, features far from zero keep the digits in which they vary.
        origins = np.ascontiguousarray(columns[:, 0])
        with np.errstate(over="ignore", invalid="ignore"):
            columns = cells.sorted(columns - origins[:, None])
        means, variances = np.empty((2, len(columns), *cells.shape))
        spreads = np.empty((len(columns), cells.n_folds))
        describe(columns, cells.bounds, means, variances, spreads)
        return _Features(columns, means, variances, spreads, measure(columns, origins))

    def spliced(self, direction: Direction, place: int, other: _Features) -> _Features:
        return _Features(*(direction.spliced_rows(mine, place, new[0]) for mine, new in zip(self, other)))

    def tables(self, epsilon: Values) -> tuple[Values, Values]:
        """Return a and b of every term for the given epsilon per fold, or per feature and fold."""
        heights, slopes = np.empty((2, *self.means.shape))
        tabulate(self.variances, np.broadcast_to(epsilon, self.spreads.shape), heights, slopes)
        return heights, slopes

    def largest_terms(self, heights: Values, slopes: Values, cells: Cells) -> tuple[Values, Values]:
        """Bound |term| of every feature in every fold, and how much another arithmetic may change it."""
        n_samples = self.columns.shape[1]
        return largest_terms(self.extents, self.means, heights, slopes, cells.priors, n_samples)

    def count_by_definition(
        self, rows: Counts, ends: Counts, var_smoothing: float, cells: Cells
    ) -> tuple[Counts, Values, Mask]:
        """Count the correctly classified samples per subset and fold; return epsilon too, and where a call is close."""
        correct = np.empty((len(ends), cells.n_folds), dtype=np.int64)
        epsilon = np.empty(correct.shape)
        has_close_call = np.empty(len(ends), dtype=np.bool_)
        described = (self.columns, self.extents, self.means, self.variances, self.spreads)
        places = (cells.priors, cells.bounds, cells.largest_prior)
        count_subsets(correct, has_close_call, epsilon, rows, ends, var_smoothing, *described, *places)
        return correct, epsilon, has_close_call


class GaussianNBCursor(NaiveBayesCursor):
    """Keeps the moments and terms of the members."""

    _known: _Features  # their moments
    _epsilon: Values  # per fold: the number added to their variances
    _tables: tuple[Values, Values]  # a and b of their terms
    _doubts: Values  # per member and fold: a bound on how much another arithmetic may change it

    def __init__(self, criterion: GaussianNB, data: Dataset) -> None:
        self.criterion = criterion
        super().__init__(data, criterion.folds, criterion.priors)

    def evaluate(self, members: Features) -> float:
        return float(self.evaluate_many([members])[0])

    def evaluate_many(self, subsets: list[Features]) -> Values:
        return in_groups(self._evaluate_group, [require_members(members) for members in subsets], self.data.n_samples)

    def _evaluate_group(self, subsets: list[Features]) -> Values:
        features, rows = np.unique(np.concatenate(subsets), return_inverse=True)
        ends = np.cumsum([len(members) for members in subsets])
        described = self._described(features)
        return self._valued(*described.count_by_definition(rows, ends, self.criterion.var_smoothing, self._cells))

    def _valued(self, correct: Counts, epsilon: Values, has_close_call: Mask) -> Values:
        values = mean_accuracy(correct, self._cells.sizes)
        if self.criterion.ties == "nan":
            values[has_close_call] = np.nan
        if self.criterion.unvarying == "nan":
            values[np.any(epsilon == 0.0, axis=1)] = np.nan
        return values

    def _described(self, features: Features) -> _Features:
        return _Features.of(self.data.columns(features), self._cells)

    def _peek_block(self, direction: Direction, candidates: Features) -> Values:
        cells, found = self._cells, self._described(candidates)
        epsilon = self._epsilon_next_door(direction, found)
        heights, slopes = found.tables(epsilon)
        terms, doubts = found.largest_terms(heights, slopes, cells)
        n_members, magnitude = len(self._features), self._sums() + terms
        # Each of two scores is off by what the sums have lost, by one more rounding, and by those of the definition.
        bounds = 2.0 * (self._lost + ROUNDING * (n_members + 6) * magnitude)
        if self.criterion.ties == "nan":  # far enough apart that the definition does not find the call close
            bounds += 2.001 * (self._doubts.sum(axis=0) + doubts + 4.0 * ROUNDING * (n_members + 9) * magnitude)
        bounds[epsilon != self._epsilon] = np.inf
        correct = np.zeros((len(candidates), cells.n_folds), dtype=np.int64)
        has_close_call = np.zeros(len(candidates), dtype=np.bool_)
        known = self._known
        count_correct(
            correct,
            has_close_call,
            self._scores,
            float(direction.sign),
            np.searchsorted(self._features, candidates).astype(np.int64),
            epsilon,
            found.columns,
            found.extents,
            found.means,
            found.variances,
            heights,
            slopes,
            bounds,
            (known.columns, known.means, known.variances, *self._tables, known.extents),
            cells.priors,
            cells.bounds,
            cells.largest_prior,
        )
        return self._valued(correct, epsilon, has_close_call)

    def _epsilon_next_door(self, direction: Direction, found: _Features) -> Values:
        """Return epsilon per candidate and fold of the subset with, or without, the candidate."""
        top = np.zeros((2, self._cells.n_folds))
        ranked = np.sort(self._known.spreads, axis=0)[::-1][:2]
        top[: len(ranked)] = ranked
        # A candidate as wide as the widest member is that member itself, or its own width is the maximum.
        others = np.where(found.spreads == top[0], top[1], top[0])
        return np.asarray(
            self.criterion.var_smoothing * np.maximum(others, np.where(direction.adds, found.spreads, 0.0))
        )

    def _step(self, direction: Direction, feature: int) -> None:
        found = self._described(np.array([feature]))
        place = int(np.searchsorted(self._features, feature))
        before = self._sums()
        self._features = direction.spliced(self._features, place, feature)
        self._known = self._known.spliced(direction, place, found)
        if np.any(self._widest() != self._epsilon):
            self._recompute()
            return
        heights, slopes = found.tables(self._epsilon)
        splice = direction.spliced_rows
        self._tables = splice(self._tables[0], place, heights[0]), splice(self._tables[1], place, slopes[0])
        terms, doubts = found.largest_terms(heights, slopes, self._cells)
        self._terms = splice(self._terms, place, terms[0])
        self._doubts = splice(self._doubts, place, doubts[0])
        self._shift(direction.sign, found.columns[0], found.means[0], heights[0], slopes[0])
        self._lose(before)

    def _rebuild(self) -> None:
        self._features = np.flatnonzero(self.members)
        self._known = self._described(self._features)
        self._recompute()

    def _add_members(self) -> None:
        known = self._known
        self._epsilon = self._widest()
        self._tables = known.tables(self._epsilon)
        self._terms, self._doubts = known.largest_terms(*self._tables, self._cells)
        for f, column in enumerate(known.columns):
            self._shift(1, column, known.means[f], self._tables[0][f], self._tables[1][f])

    def _widest(self) -> Values:
        return np.asarray(self.criterion.var_smoothing * self._known.spreads.max(axis=0, initial=0.0))

    def _shift(self, sign: int, column: Values, means: Values, heights: Values, slopes: Values) -> None:
        for k, (start, *_, stop) in enumerate(self._cells.bounds[: self._cells.n_folds].tolist()):
            add_terms(self._scores, float(sign), column, means[k], heights[k], slopes[k], start, stop)
