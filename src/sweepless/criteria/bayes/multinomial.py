"""Multinomial naive Bayes by cross-validation; a candidate costs one pass over its column of counts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from sweepless._checks import one_of, positive
from sweepless._typing import Counts, Features, Mask, Values
from sweepless.criteria.base import Cursor, require_members
from sweepless.criteria.bayes.layout import Cells, NaiveBayesCursor, Priors, checked_priors
from sweepless.criteria.bayes.smooth import checked_score, holdout_value
from sweepless.criteria.bayes.smooth_words import SmoothMultinomialCursor, WordSums, largest_term
from sweepless.criteria.bayes.words import Words, count_grid, logs_of
from sweepless.criteria.folds import Partition, Split, checked_folds, number_tested
from sweepless.criteria.repeats import over_repeats
from sweepless.criteria.sample_weights import Weighable, checked_sample_weight
from sweepless.criteria.scores.base import Score, cost_of
from sweepless.criteria.scoring import mean_accuracy
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.kernels.bayes.exact_sums import Grid
from sweepless.kernels.bayes.moments import ROUNDING
from sweepless.kernels.bayes.multinomial import CLOSE, add_words, count_correct


@dataclass(frozen=True, repr=False)
class MultinomialNB(Weighable):
    """Mean accuracy, or another score, over the folds of multinomial naive Bayes.

    Parameters
    ----------
    folds : int, Partition or Split
        Number of positional stratified folds, contiguous within each class and not shuffled; or given folds, also as
        an array of the fold of each sample, or several such arrays; or one given split.
    alpha : float
        The number added to every count, as in scikit-learn.
    priors : None, "uniform" or one share per class
        The probability of each class before any feature is known; None learns it from each training part.
    ties : {"lowest", "nan"}
        Equal scores go to the lowest class ("lowest"), or a subset has no value ("nan") if the best two scores of a
        sample are equal up to rounding, as the native dispatch of selectors needs it; ranks and losses that hang on
        rounding are then rounded as in scikit-learn.
    score : str or Score
        What the predicted probabilities are worth: "accuracy", "log_loss" or "brier" (minus the losses, as scikit-learn
        defines them), or the name of another score of scikit-learn for classifiers.
    tempering : float
        The losses divide log likelihoods by this power of the subset's size; 0 is the model itself.
    sample_weight : sequence of float, optional
        The weight of every sample of the data in training, not negative. Neither scores nor holdout validation use
        them.

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
    score: str | Score = "accuracy"
    tempering: float = 0.0
    sample_weight: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "folds", checked_folds(self.folds, Split))
        object.__setattr__(self, "priors", checked_priors(self.priors))
        positive("alpha", self.alpha)
        one_of("ties", self.ties, ("lowest", "nan"))
        checked_score(self.score, self.tempering)
        object.__setattr__(self, "sample_weight", checked_sample_weight(self.sample_weight))

    def bind(self, data: Dataset) -> Cursor:
        if self.score == "accuracy":
            return over_repeats(self, data) or MultinomialNBCursor(self, data)
        return over_repeats(self, data) or SmoothMultinomialCursor(self, data)

    def operations(self, data: Dataset, size: int) -> float:
        # Measured: 14, 25 and 39 us at 3,000 samples of 2, 10 and 20 classes.
        each = 4.0 + 0.45 * len(data.classes)
        cost = cost_of(self.score, self.folds, data.n_samples)
        return 1000.0 + number_tested(self.folds, data.n_samples) * each + cost

    def validate(self, train: Dataset, test: Dataset, members: Features) -> float:
        """Return the score on `test` of the classifier trained on all of `train`."""
        members = require_members(members)
        cells = Cells.holdout(train, test, self.priors)
        columns = np.hstack([train.columns(members), test.columns(members)])
        spacing = 2.0 * max(count_grid(train), count_grid(test))
        words = Words.of(columns, spacing, cells, self.alpha)
        if self.score != "accuracy":
            sums = WordSums(words, cells, self.alpha, Grid.of(len(members), largest_term(spacing)))
            return holdout_value(sums.scores_here, cells, self, len(members), train, test)
        correct = words.count_by_definition(self.alpha, cells)[0] if len(members) > 1 else cells.count_by_priors()
        return int(correct[0]) / test.n_samples


class MultinomialNBCursor(NaiveBayesCursor):
    """Keeps the counts of the members; `_scores` is A, without the last term of a score."""

    _known: Words  # their counts
    _masses: Values  # per fold and class: the sum of their counts
    _lengths: Values  # per sample: the sum of its counts

    def __init__(self, criterion: MultinomialNB, data: Dataset) -> None:
        self.criterion = criterion
        super().__init__(data, criterion.folds, criterion.priors, criterion.sample_weight)

    @cached_property
    def _grid(self) -> float:
        return count_grid(self.data)

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

    def _counted(self, features: Features) -> Words:
        return Words.of(self.data.columns(features), self._grid, self._cells, self.criterion.alpha)

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        if self.size + direction.sign == 1:
            return np.full(len(candidates), self._value_by_priors())
        return super()._peek(direction, candidates)

    def _peek_block(self, direction: Direction, candidates: Features) -> Values:
        cells, found, sign = self._cells, self._counted(candidates), direction.sign
        closing = logs_of(self._masses + sign * found.counts, self.criterion.alpha * (self.size + sign))
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
