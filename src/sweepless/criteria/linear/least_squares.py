"""Least squares and ridge regression by cross-validation, to the digits of scikit-learn.

There are two linear criteria because J has to be a function of the subset, and no single definition serves both uses.
This one stands in for scikit-learn's estimators in a selector, so it adds no penalty and no grid that would change
their digits: it solves the normal equations of each neighbor anew, by the operations that value a subset from scratch.
Where the digits would depend on the solver it returns NaN, which a search cannot use; `ridge` values every subset,
and neighbors of large subsets faster, at the price of a tiny penalty and a grid of 1.5e-8.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sweepless._checks import not_negative
from sweepless._typing import AnyArray, Counts, Features, Values
from sweepless.criteria.base import Cursor, require_members
from sweepless.criteria.class_weights import ClassWeight, checked_class_weight, require_weights, weights_of
from sweepless.criteria.folds import Partition, Split, checked_folds, number_of_folds, training_parts
from sweepless.criteria.linear.targets import signs
from sweepless.criteria.sample_weights import Weighable, checked_sample_weight, sample_weights
from sweepless.criteria.schur import bordered
from sweepless.criteria.scores.base import BoundScore, Outputs, Score, cost_of, mean_over_folds
from sweepless.criteria.scores.names import score_of
from sweepless.criteria.scoring import numbers, require_squares
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.errors import DataError, InputError
from sweepless.kernels.linear.least_squares import predict, predict_neighbors, products, standardize

# Below this squared pivot (of a matrix with a diagonal of ones) two solvers may differ in the twelfth digit.
_LEAST_PIVOT = 2.0**-10
_CLOSE = 2.0**-32  # outputs of ±1 that differ by less may be equal without rounding
_PERFECT = 1e-18  # squared errors, in units of squared targets, that may be zero without rounding
_BLOCK_CELLS = 1 << 18  # predictions at a time: two megabytes per output
_SMALLEST_BLOCK = 16


@dataclass(frozen=True, repr=False)
class LeastSquares(Weighable):
    """Cross-validated score of least squares, ridge regression or the ridge classifier, as in scikit-learn.

    Parameters
    ----------
    alpha : float
        The penalty on the squared coefficients, in the features' own units; the intercept is not penalized.
    fit_intercept : bool
    folds : int, Partition or Split
        Number of contiguous blocks of samples (within each class for "accuracy"); or given folds, also as an array of
        the fold of each sample; or one given split.
    score : str or Score
        The name of a score of scikit-learn that needs predicted numbers, or classes or margins, averaged over the
        folds; "mse" and "rmse" are short for minus the mean squared error and minus its root.
    cond : float
        The solver treats singular values of at most this share of the greatest one as zero. A subset that may have
        such values has no value here.
    class_weight : None, "balanced" or one weight per class
        Factors of the squared errors of a classifier; "balanced" is inversely proportional to the sizes of the classes
        in each training part.
    sample_weight : sequence of float, optional
        A factor of the squared error of every sample of the data in training; not negative. Scores do not use them.

    Notes
    -----
    A subset has no value (NaN) where the last digits would depend on the solver rather than on the data: with nearly
    collinear features, with more features than samples and no penalty, with equal outputs of two classes, and with an
    intercept and a feature whose mean is more than 1,024 times its deviation. `Fallback` leaves these subsets to an
    estimator. For n samples, d members and k folds a candidate costs O(k (nd + d³)).
    """

    alpha: float = 0.0
    fit_intercept: bool = True
    folds: int | Partition | Split = 3
    score: str | Score = "r2"
    cond: float = field(default=0.0, repr=False)
    class_weight: ClassWeight = None
    sample_weight: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        not_negative("alpha", self.alpha)
        if not self.cond >= 0.0:
            raise InputError(f"`cond` must be a number of at least 0, got {self.cond!r}.")
        object.__setattr__(self, "folds", checked_folds(self.folds, Split))
        needs = score_of(self.score, "numbers", "labels", "outputs").needs
        object.__setattr__(self, "class_weight", checked_class_weight(self.class_weight))
        object.__setattr__(self, "sample_weight", checked_sample_weight(self.sample_weight))
        if self.class_weight is not None and needs == "numbers":
            raise InputError(f"`class_weight` must be None for a score of numbers, got {self.class_weight!r}.")

    def bind(self, data: Dataset) -> LeastSquaresCursor:
        return LeastSquaresCursor(self, data)

    def operations(self, data: Dataset, size: int) -> float:
        # Measured by five folds: 70 and 285 us at 300 samples and sizes 10 and 40, 25 and 220 us at 60 samples.
        each = number_of_folds(self.folds, data.n_samples) * (data.n_samples * (40.0 + size) + 0.6 * size**3)
        return each + cost_of(self.score, self.folds, data.n_samples)


class LeastSquaresCursor(Cursor):
    """Keeps the products of the members over every training part; each is computed once, so nothing drifts."""

    def __init__(self, criterion: LeastSquares, data: Dataset) -> None:
        super().__init__(data)
        data.require_variation()
        self.criterion = criterion
        score = score_of(criterion.score, "numbers", "labels", "outputs")
        if score.needs == "numbers":
            outputs = require_squares(numbers(data), data.name)[None]
            truth, strata, classes = data.target, np.zeros(data.n_samples, dtype=np.int64), np.empty(0)
        else:
            data.require_classes()
            require_weights(criterion.class_weight, data)
            outputs, truth, strata, classes = signs(data.codes, len(data.classes)), data.codes, data.codes, data.classes
        parts = training_parts(criterion.folds, strata, data.name)
        if any(len(train) == 0 or len(test) == 0 for train, test in parts):
            raise DataError(
                f"every fold of {data.name} must hold samples and leave some to train on, got an empty one."
            )
        weights = sample_weights(criterion.sample_weight, data, parts)
        self._parts = [
            _Part(criterion, score, train, test, outputs, truth, classes, weights[train]) for train, test in parts
        ]
        self._features = np.empty(0, dtype=np.intp)
        self._rebuild()

    def evaluate(self, members: Features) -> float:
        columns = self.data.columns(require_members(members))
        return float(mean_over_folds([part.from_scratch(columns) for part in self._parts])[0])

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        width = max(_SMALLEST_BLOCK, _BLOCK_CELLS // self.data.n_samples)
        blocks = [self._peek_block(direction, candidates[k : k + width]) for k in range(0, len(candidates), width)]
        return np.concatenate([np.empty(0), *blocks])

    def _peek_block(self, direction: Direction, candidates: Features) -> Values:
        slots = np.searchsorted(self._features, candidates).astype(np.int64)
        columns = self.data.columns(candidates) if direction.adds else np.empty((len(candidates), 0))
        return mean_over_folds([part.neighbors(columns, slots, direction) for part in self._parts])

    def _step(self, direction: Direction, feature: int) -> None:
        place = int(np.searchsorted(self._features, feature))
        self._features = direction.spliced(self._features, place, feature)
        column = self.data.columns([feature])
        for part in self._parts:
            part.step(column, place, direction)

    def _rebuild(self) -> None:
        self._features = np.flatnonzero(self.members)
        columns = self.data.columns(self._features)
        for part in self._parts:
            part.rebuild(columns)


class _Part:
    """One training part, the samples it is tested on, and the members' products in it."""

    _rows: Values  # the members' trained values, a sample per row
    _tested: Values  # their tested values, a feature per row
    _gram: Values
    _right: Values  # their products with the targets
    _norms: Values  # their divisors

    def __init__(
        self,
        criterion: LeastSquares,
        score: Score,
        train: Counts,
        test: Counts,
        outputs: Values,
        truth: AnyArray,
        classes: AnyArray,
        weights: Values,
    ) -> None:
        self._criterion = criterion
        self._order, self._n_train = np.concatenate([train, test]), len(train)
        if len(classes):
            weights = weights * weights_of(criterion.class_weight, truth[train])
        self._weights, self._roots = weights, np.sqrt(weights)
        trained = outputs[:, train]
        self._means = (
            (trained * weights).mean(axis=1) / weights.mean() if criterion.fit_intercept else np.zeros(len(outputs))
        )
        self._targets = np.ascontiguousarray((self._roots * (trained - self._means[:, None])).T)
        self._classifies = score.needs != "numbers"
        scale = max(float(np.sum(outputs[0, test] ** 2)), float(np.sum(self._targets**2)))
        self._score = BoundScore(score, truth[test], classes, _PERFECT * scale)

    def from_scratch(self, columns: Values) -> Values:
        """Return the score of a subset: the definition."""
        trained, tested, norms = self._standardized(columns)
        rows = np.ascontiguousarray(trained.T)
        matrix, right = products(rows, trained), products(self._targets, trained)
        np.fill_diagonal(matrix, 1.0)
        predicted = np.empty((1, len(self._means), tested.shape[1]))
        if not predict(matrix, right, tested, norms, self._means, _LEAST_PIVOT, self._criterion.cond, predicted[0]):
            predicted[:] = np.nan
        return self._scores(predicted)

    def neighbors(self, columns: Values, slots: Counts, direction: Direction) -> Values:
        """Return the score with, or without, each candidate."""
        trained, tested, norms = (
            self._standardized(columns) if columns.size else (*(np.empty((len(slots), 0)),) * 2, np.empty(len(slots)))
        )
        predicted = np.empty((len(slots), len(self._means), self._tested.shape[1]))
        predict_neighbors(
            self._gram,
            self._right,
            self._tested,
            products(self._rows, trained) if columns.size else trained,
            products(self._targets, trained) if columns.size else trained,
            tested,
            self._norms,
            norms,
            slots,
            direction.adds,
            self._means,
            _LEAST_PIVOT,
            self._criterion.cond,
            predicted,
        )
        return self._scores(predicted)

    def step(self, column: Values, place: int, direction: Direction) -> None:
        trained, tested, norms = self._standardized(column)
        edge = products(self._rows, trained)[0]
        splice = direction.spliced
        self._norms = splice(self._norms, place, norms[0])
        self._rows = np.ascontiguousarray(splice(self._rows, place, trained[0]))
        self._tested = np.ascontiguousarray(splice(self._tested.T, place, tested[0]).T)
        self._right = np.ascontiguousarray(splice(self._right.T, place, products(self._targets, trained)[0]).T)
        self._gram = bordered(direction, self._gram, place, edge, 1.0)

    def rebuild(self, columns: Values) -> None:
        trained, self._tested, self._norms = self._standardized(columns)
        self._rows = np.ascontiguousarray(trained.T)
        self._gram, self._right = products(self._rows, trained), products(self._targets, trained)

    def _standardized(self, columns: Values) -> tuple[Values, Values, Values]:
        """Return the scaled training and test parts of the columns, and the divisors."""
        ordered, n_train = np.ascontiguousarray(columns[:, self._order]), self._n_train
        weights = self._weights, self._roots
        norms = standardize(ordered, *weights, float(self._criterion.alpha), self._criterion.fit_intercept)
        return np.ascontiguousarray(ordered[:, :n_train]), np.ascontiguousarray(ordered[:, n_train:]), norms

    def _scores(self, predicted: Values) -> Values:
        if self._classifies:
            values = self._score(Outputs.margins(predicted, np.full(len(predicted), _CLOSE)))
        else:
            values = self._score(predicted[:, 0])
        return np.where(np.isnan(predicted[:, 0, 0]), np.nan, values)
