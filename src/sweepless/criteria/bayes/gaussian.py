"""Gaussian naive Bayes by cross-validation; a candidate costs one pass over its column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sweepless._checks import one_of, positive
from sweepless._typing import Counts, Features, Mask, Values
from sweepless.criteria.base import Cursor, require_members
from sweepless.criteria.bayes.layout import Cells, NaiveBayesCursor, Priors, checked_priors, in_groups
from sweepless.criteria.bayes.moments import Moments
from sweepless.criteria.bayes.smooth import checked_score, holdout_value
from sweepless.criteria.bayes.smooth_gaussian import GaussianSums, SmoothGaussianCursor
from sweepless.criteria.folds import Folds, Split, checked_folds, number_tested
from sweepless.criteria.repeats import over_repeats
from sweepless.criteria.sample_weights import Weighable, checked_sample_weight
from sweepless.criteria.scores.base import Score, cost_of
from sweepless.criteria.scoring import mean_accuracy
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.errors import InputError
from sweepless.kernels.bayes.definition import add_terms
from sweepless.kernels.bayes.exact_sums import Grid
from sweepless.kernels.bayes.gaussian import count_correct
from sweepless.kernels.bayes.moments import ROUNDING


@dataclass(frozen=True, repr=False)
class GaussianNB(Weighable):
    """Mean accuracy, or another score, over the folds of Gaussian naive Bayes.

    Parameters
    ----------
    folds : int, "loo", Partition or Split
        Number of positional stratified folds, contiguous within each class and not shuffled; or leave-one-out in
        closed form, for about the price of one fold; or given folds, also as an array of the fold of each sample, or
        several such arrays; or one given split.
    var_smoothing : float
        The share of the greatest variance of a member that is added to all variances, as in scikit-learn.
    priors : None, "uniform" or one share per class
        The probability of each class before any feature is known; None learns it from each training part.
    unvarying : {"prior", "nan"}
        If no member of the subset varies in a training part, the priors decide ("prior"), or the subset has no
        value ("nan"), as the native dispatch of selectors needs it.
    ties : {"lowest", "nan"}
        Equal scores go to the lowest class ("lowest"), or a subset has no value ("nan") if the scores of a sample's
        class and another class are so close that another order of summing might swap them. A loss has none if log
        likelihoods are so large that their rounding shows; leave-one-out by accuracy knows no close calls.
    score : str or Score
        What the predicted probabilities are worth: "accuracy", "log_loss" or "brier" (minus the losses, as scikit-learn
        defines them), or the name of another score of scikit-learn for classifiers. The losses have no steps, so few
        samples do not make candidates equal.
    tempering : float
        The losses divide log likelihoods by this power of the subset's size: 0 is the model itself, which takes
        features for independent and is too sure of itself; 1 is the mean over the members.
    sample_weight : sequence of float, optional
        The weight of every sample of the data in training, not negative; not for leave-one-out. Scores and the
        greatest variance do not use them, as in scikit-learn, nor does holdout validation.

    Notes
    -----
    Means and variances come from the training part of each fold. Leave-one-out takes the greatest variance from all
    samples, and averages over samples instead of folds.

    Losses of many features, or of features far from normal, are ruled by a few samples of which the model is too sure.
    For a search on features of one scale, a `var_smoothing` of about 1 or some `tempering` keeps it modest.

    A peek costs O(n C) per candidate for any size of the subset. The few candidates that change the greatest
    variance change every term, and cost as much as a valuation from scratch. Values are exactly those of the
    definition: scores summed in double in ascending feature order, for losses and leave-one-out on an exact grid.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sweepless import Dataset
    >>> from sweepless.criteria import GaussianNB
    >>> data = Dataset(*load_iris(return_X_y=True))
    >>> round(GaussianNB().bind(data).evaluate([2, 3]), 4)
    0.9604
    """

    folds: Folds = 3
    var_smoothing: float = 1e-9
    priors: Priors = None
    unvarying: Literal["prior", "nan"] = "prior"
    ties: Literal["lowest", "nan"] = "lowest"
    score: str | Score = "accuracy"
    tempering: float = 0.0
    sample_weight: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "folds", checked_folds(self.folds, "loo", Split))
        object.__setattr__(self, "priors", checked_priors(self.priors))
        positive("var_smoothing", self.var_smoothing)
        one_of("unvarying", self.unvarying, ("prior", "nan"))
        one_of("ties", self.ties, ("lowest", "nan"))
        checked_score(self.score, self.tempering)
        object.__setattr__(self, "sample_weight", checked_sample_weight(self.sample_weight))
        if self.sample_weight is not None and self.folds == "loo":
            raise InputError("`sample_weight` must come with folds, got it with leave-one-out.")

    def bind(self, data: Dataset) -> Cursor:
        if self.score == "accuracy" and self.folds != "loo":
            return over_repeats(self, data) or GaussianNBCursor(self, data)
        return over_repeats(self, data) or SmoothGaussianCursor(self, data)

    def operations(self, data: Dataset, size: int) -> float:
        # Measured: 2, 4 and 60 us at 60, 300 and 3,000 samples of 2 classes, 170 us at 3,000 of 10.
        cost = cost_of(self.score, self.folds, data.n_samples)
        return 1000.0 + 8.0 * number_tested(self.folds, data.n_samples) * len(data.classes) + cost

    def validate(self, train: Dataset, test: Dataset, members: Features) -> float:
        """Return the score on `test` of the classifier trained on all of `train`."""
        members = require_members(members)
        cells = Cells.holdout(train, test, self.priors)
        features = Moments.of(np.hstack([train.columns(members), test.columns(members)]), cells)
        if self.score != "accuracy":
            sums = GaussianSums(features, cells, self.var_smoothing, Grid.of(len(members)))
            return holdout_value(sums.scores_here, cells, self, len(members), train, test)
        rows = np.arange(len(members))
        correct, _, _ = features.count_by_definition(rows, np.array([len(rows)]), self.var_smoothing, cells)
        return int(correct[0, 0]) / test.n_samples


class GaussianNBCursor(NaiveBayesCursor):
    """Keeps the moments and terms of the members."""

    _known: Moments  # their moments
    _epsilon: Values  # per fold: the number added to their variances
    _tables: tuple[Values, Values]  # a and b of their terms
    _doubts: Values  # per member and fold: a bound on how much another arithmetic may change it

    def __init__(self, criterion: GaussianNB, data: Dataset) -> None:
        self.criterion = criterion
        super().__init__(data, criterion.folds, criterion.priors, criterion.sample_weight)

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

    def _described(self, features: Features) -> Moments:
        return Moments.of(self.data.columns(features), self._cells)

    def _peek_block(self, direction: Direction, candidates: Features) -> Values:
        cells, found = self._cells, self._described(candidates)
        epsilon = self._known.epsilon_next_door(direction, found, self.criterion.var_smoothing)
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

    def _step(self, direction: Direction, feature: int) -> None:
        found = self._described(np.array([feature]))
        place = int(np.searchsorted(self._features, feature))
        before = self._sums()
        self._features = direction.spliced(self._features, place, feature)
        self._known = self._known.spliced(direction, place, found)
        if np.any(self._known.epsilon(self.criterion.var_smoothing) != self._epsilon):
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
        self._epsilon = self._known.epsilon(self.criterion.var_smoothing)
        self._tables = known.tables(self._epsilon)
        self._terms, self._doubts = known.largest_terms(*self._tables, self._cells)
        for f, column in enumerate(known.columns):
            self._shift(1, column, known.means[f], self._tables[0][f], self._tables[1][f])

    def _shift(self, sign: int, column: Values, means: Values, heights: Values, slopes: Values) -> None:
        for k, (start, *_, stop) in enumerate(self._cells.bounds[: self._cells.n_folds].tolist()):
            add_terms(self._scores, float(sign), column, means[k], heights[k], slopes[k], start, stop)
