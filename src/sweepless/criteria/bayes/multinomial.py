"""Multinomial naive Bayes by cross-validation; a candidate costs one pass over its column of counts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import sparse

from sweepless._checks import one_of, positive
from sweepless._typing import Counts, Features, Mask, Values
from sweepless.criteria.base import Criterion, Cursor, require_members
from sweepless.criteria.bayes.layout import Cells, NaiveBayesCursor, Priors, checked_priors
from sweepless.criteria.folds import Partition, Split, checked_folds
from sweepless.criteria.repeats import over_repeats
from sweepless.criteria.scoring import mean_accuracy
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.errors import DataError
from sweepless.kernels.bayes.moments import ROUNDING
from sweepless.kernels.bayes.multinomial import (
    CLOSE,
    add_words,
    count_by_definition,
    count_correct,
    count_words,
    log_table,
)


@dataclass(frozen=True)
class MultinomialNB(Criterion):
    """Mean accuracy over the folds of multinomial naive Bayes.

    Parameters
    ----------
    folds : int, Partition or Split
        Number of positional stratified folds, contiguous within each class and not shuffled; or given folds, also as
        an array of the fold of each sample; or one given split.
    alpha : float
        The number added to every count, as in scikit-learn.
    priors : None, "uniform" or one share per class
        The probability of each class before any feature is known; None learns it from each training part.
    ties : {"lowest", "nan"}
        Equal scores go to the lowest class ("lowest"), or a subset has no value ("nan") if the best two scores of a
        sample are equal up to rounding, as the native dispatch of selectors needs it.

    Notes
    -----
    The model is that of the subset: the probabilities of its features sum to one in each class. The probability of a
    single feature is therefore one in every class, and the priors decide.

    A peek costs O(n C) per candidate for any size of the subset, and fetches only the candidates' columns. Values are
    exactly those of the definition: scores summed in double in ascending feature order. Counts are rounded once to
    about 2**-51 of their total over all the data, which leaves integers as they are; every sum of counts is then exact.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sweepless import Dataset
    >>> from sweepless.criteria import MultinomialNB
    >>> data = Dataset(*load_iris(return_X_y=True))
    >>> round(MultinomialNB().bind(data).evaluate([2, 3]), 4)
    0.8002
    """

    folds: int | Partition | Split = 3
    alpha: float = 1.0
    priors: Priors = None
    ties: Literal["lowest", "nan"] = "lowest"

    def __post_init__(self) -> None:
        object.__setattr__(self, "folds", checked_folds(self.folds, Split))
        object.__setattr__(self, "priors", checked_priors(self.priors))
        positive("alpha", self.alpha)
        one_of("ties", self.ties, ("lowest", "nan"))

    def bind(self, data: Dataset) -> Cursor:
        return over_repeats(self, data) or MultinomialNBCursor(self, data)

    def validate(self, train: Dataset, test: Dataset, members: Features) -> float:
        """Return the share of `test` that the classifier trained on all of `train` classifies correctly."""
        members = require_members(members)
        cells = Cells.holdout(train, test, self.priors)
        columns = np.hstack([train.columns(members), test.columns(members)])
        words = _Words.of(columns, 2.0 * max(_grid(train), _grid(test)), cells, self.alpha)
        correct = words.count_by_definition(self.alpha, cells)[0] if len(members) > 1 else cells.count_by_priors()
        return int(correct[0]) / test.n_samples


class _Words(NamedTuple):
    """The counts of some features, one feature per row."""

    columns: Values
    counts: Values
    logs: Values

    @staticmethod
    def of(columns: Values, grid: float, cells: Cells, alpha: float) -> _Words:
        columns = np.rint(cells.sorted(columns) / grid) * grid
        counts, logs = np.empty((2, len(columns), *cells.shape))
        count_words(columns, cells.bounds, alpha, counts, logs)
        return _Words(columns, counts, logs)

    def spliced(self, direction: Direction, place: int, other: _Words) -> _Words:
        return _Words(*(direction.spliced_rows(mine, place, new[0]) for mine, new in zip(self, other)))

    def largest_terms(self) -> Values:
        """Bound |x log(N + alpha)| of every feature in every fold."""
        return np.asarray(np.abs(self.logs).max(axis=2) * self.columns.max(axis=1, initial=0.0)[:, None])

    def count_by_definition(self, alpha: float, cells: Cells) -> tuple[Counts, bool]:
        closing = _logs(self.counts.sum(axis=0)[None], alpha * len(self.columns))
        return count_by_definition(self.columns, self.logs, closing[0], cells.priors, cells.bounds)


class MultinomialNBCursor(NaiveBayesCursor):
    """Keeps the counts of the members; `_scores` is A, without the last term of a score."""

    _known: _Words  # their counts
    _masses: Values  # per fold and class: the sum of their counts
    _lengths: Values  # per sample: the sum of its counts

    def __init__(self, criterion: MultinomialNB, data: Dataset) -> None:
        self.criterion = criterion
        super().__init__(data, criterion.folds, criterion.priors)

    @cached_property
    def _grid(self) -> float:
        return _grid(self.data)

    def evaluate(self, members: Features) -> float:
        members = require_members(members)
        if len(members) == 1:
            return self._value_by_priors()
        correct, is_close = self._counted(members).count_by_definition(self.criterion.alpha, self._cells)
        return float(self._valued(correct[None, :], np.array([is_close]))[0])

    def _value_by_priors(self) -> float:
        """Return the value of any single feature, whose probability is one in every class."""
        return float(mean_accuracy(self._cells.count_by_priors()[None, :], self._cells.sizes)[0])

    def _valued(self, correct: Counts, has_close_call: Mask) -> Values:
        values = mean_accuracy(correct, self._cells.sizes)
        if self.criterion.ties == "nan":
            values[has_close_call] = np.nan
        return values

    def _counted(self, features: Features) -> _Words:
        return _Words.of(self.data.columns(features), self._grid, self._cells, self.criterion.alpha)

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        if self.size + direction.sign == 1:
            return np.full(len(candidates), self._value_by_priors())
        return super()._peek(direction, candidates)

    def _peek_block(self, direction: Direction, candidates: Features) -> Values:
        cells, found, sign = self._cells, self._counted(candidates), direction.sign
        closing = _logs(self._masses + sign * found.counts, self.criterion.alpha * (self.size + sign))
        # Each of two scores is off by what the sums have lost, by the last two roundings, and by those of the
        # definition; and they must be far enough apart that the definition does not find the call close.
        longest = self._lengths.max() + found.columns.max(axis=1)[:, None]
        magnitude = self._sums() + found.largest_terms() + longest * np.abs(closing).max(axis=2)
        bounds = 2.0 * (self._lost + ROUNDING * (len(self._features) + 6) * magnitude + CLOSE * (1.0 + magnitude))
        correct = np.zeros((len(candidates), cells.n_folds), dtype=np.int64)
        has_close_call = np.zeros(len(candidates), dtype=np.bool_)
        count_correct(
            correct,
            has_close_call,
            self._scores,
            self._lengths,
            float(sign),
            np.searchsorted(self._features, candidates).astype(np.int64),
            found.columns,
            found.logs,
            closing,
            bounds,
            self._known.columns,
            self._known.logs,
            cells.priors,
            cells.bounds,
        )
        return self._valued(correct, has_close_call)

    def _step(self, direction: Direction, feature: int) -> None:
        found = self._counted(np.array([feature]))
        place = int(np.searchsorted(self._features, feature))
        before = self._sums()
        self._features = direction.spliced(self._features, place, feature)
        self._known = self._known.spliced(direction, place, found)
        self._terms = direction.spliced_rows(self._terms, place, found.largest_terms()[0])
        self._shift(direction.sign, found.columns[0], found.counts[0], found.logs[0])
        self._lose(before)

    def _rebuild(self) -> None:
        self._features = np.flatnonzero(self.members)
        self._known = self._counted(self._features)
        self._terms = self._known.largest_terms()
        self._recompute()

    def _add_members(self) -> None:
        known = self._known
        self._lengths = np.zeros(len(self._cells.order))
        self._masses = np.zeros(self._cells.shape)
        for column, counts, logs in zip(known.columns, known.counts, known.logs, strict=True):
            self._shift(1, column, counts, logs)

    def _shift(self, sign: int, column: Values, counts: Values, logs: Values) -> None:
        add_words(self._scores, float(sign), column, logs, self._cells.bounds)
        self._lengths += sign * column
        self._masses += sign * counts


def _logs(masses: Values, smoothing: float) -> Values:
    """Take logarithms, always by the same machine code, since their last bit is part of J."""
    logs = np.empty_like(masses)
    log_table(masses, smoothing, logs)
    return logs


def _grid(data: Dataset) -> float:
    """Return the spacing on which any sum of the counts is exact: 2**-51 of a power of two above their total."""
    matrix: Any = data.X
    stored = matrix.data if sparse.issparse(matrix) else matrix
    if stored.size and stored.min() < 0:
        raise DataError(f"naive Bayes on counts needs values that are not negative, got some in {data.name}.")
    total = float(stored.sum(dtype=np.float64))
    if not total < 2.0**900:
        raise DataError(f"counts must sum to less than 2**900, got {total:.3g} in {data.name}.")
    return float(2.0 ** (np.ceil(np.log2(max(total, 2.0**-900))) - 51))
