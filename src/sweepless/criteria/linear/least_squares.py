"""Least squares and ridge regression by cross-validation, to the digits of scikit-learn.

There are two linear criteria because J has to be a function of the subset, and no single definition serves both uses.
This one stands in for scikit-learn's estimators in a selector, so it adds no penalty and no grid that would change
their digits: it solves the normal equations of each neighbour anew, by the operations that value a subset from scratch.
Where the digits would depend on the solver it returns NaN, which a search cannot use; `ridge` values every subset,
and neighbours of large subsets faster, at the price of a tiny penalty and a grid of 1.5e-8.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from sweepless._checks import not_negative, one_of
from sweepless._typing import Counts, Features, Values
from sweepless.criteria.base import Criterion, Cursor, require_members
from sweepless.criteria.folds import Partition, Split, checked_folds, number_of_folds, training_parts
from sweepless.criteria.linear.targets import signs, squared_error
from sweepless.criteria.schur import bordered
from sweepless.criteria.scoring import numbers, regression_scores, require_squares
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.errors import DataError, InputError
from sweepless.kernels.linear.least_squares import count_right, predict, products, standardize, value_neighbors

# Below this squared pivot (of a matrix with a diagonal of ones) two solvers may differ in the twelfth digit.
_LEAST_PIVOT = 2.0**-10
_CLOSE = 2.0**-32  # outputs of ±1 that differ by less may be equal without rounding
_PERFECT = 1e-18  # squared errors, in units of squared targets, that may be zero without rounding

_NO_CLASSES = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class LeastSquares(Criterion):
    """Cross-validated score of least squares, ridge regression or the ridge classifier, as in scikit-learn.

    Parameters
    ----------
    alpha : float
        The penalty on the squared coefficients, in the features' own units; the intercept is not penalized.
    fit_intercept : bool
    folds : int, Partition or Split
        Number of contiguous blocks of samples (within each class for "accuracy"); or given folds, also as an array of
        the fold of each sample; or one given split.
    score : {"r2", "mse", "rmse", "accuracy"}
        R², minus the mean squared error, or minus its root, averaged over the folds; or the share of samples
        classified correctly.
    cond : float
        The solver treats singular values of at most this share of the greatest one as zero. A subset that may have
        such values has no value here.

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
    score: Literal["r2", "mse", "rmse", "accuracy"] = "r2"
    cond: float = field(default=0.0, repr=False)

    def __post_init__(self) -> None:
        not_negative("alpha", self.alpha)
        if not self.cond >= 0.0:
            raise InputError(f"`cond` must be a number of at least 0, got {self.cond!r}.")
        object.__setattr__(self, "folds", checked_folds(self.folds, Split))
        one_of("score", self.score, ("r2", "mse", "rmse", "accuracy"))

    def bind(self, data: Dataset) -> LeastSquaresCursor:
        return LeastSquaresCursor(self, data)

    def operations(self, data: Dataset, size: int) -> float:
        # Measured by five folds: 70 and 285 us at 300 samples and sizes 10 and 40, 25 and 220 us at 60 samples.
        return number_of_folds(self.folds, data.n_samples) * (data.n_samples * (40.0 + size) + 0.6 * size**3)


class LeastSquaresCursor(Cursor):
    """Keeps the products of the members over every training part; each is computed once, so nothing drifts."""

    def __init__(self, criterion: LeastSquares, data: Dataset) -> None:
        super().__init__(data)
        data.require_variation()
        self.criterion = criterion
        if criterion.score == "accuracy":
            data.require_classes()
            outputs, truth = signs(data.codes, len(data.classes)), data.codes
        else:
            outputs, truth = require_squares(numbers(data), data.name)[None], _NO_CLASSES
        strata = truth if len(truth) else np.zeros(data.n_samples, dtype=np.int64)
        parts = training_parts(criterion.folds, strata, data.name)
        if any(len(train) == 0 or len(test) == 0 for train, test in parts):
            raise DataError(
                f"every fold of {data.name} must hold samples and leave some to train on, got an empty one."
            )
        self._parts = [_Part(criterion, train, test, outputs, truth) for train, test in parts]
        self._features = np.empty(0, dtype=np.intp)
        self._rebuild()

    def evaluate(self, members: Features) -> float:
        columns = self.data.columns(require_members(members))
        return float(self._mean([np.array([part.from_scratch(columns)]) for part in self._parts])[0])

    def _mean(self, values: list[Values]) -> Values:
        total = np.zeros(len(values[0]))
        for each in values:
            total += each
        return np.asarray(total / len(values))

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        slots = np.searchsorted(self._features, candidates).astype(np.int64)
        columns = self.data.columns(candidates) if direction.adds else np.empty((len(candidates), 0))
        return self._mean([part.neighbors(columns, slots, direction) for part in self._parts])

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

    def __init__(self, criterion: LeastSquares, train: Counts, test: Counts, outputs: Values, truth: Counts) -> None:
        self._criterion = criterion
        self._order, self._n_train = np.concatenate([train, test]), len(train)
        trained = outputs[:, train]
        self._means = trained.mean(axis=1) if criterion.fit_intercept else np.zeros(len(outputs))
        self._targets = np.ascontiguousarray((trained - self._means[:, None]).T)
        self._actual, self._truth = np.ascontiguousarray(outputs[0, test]), truth[test] if len(truth) else _NO_CLASSES

    def from_scratch(self, columns: Values) -> float:
        """Return the score of a subset: the definition."""
        trained, tested, norms = self._standardized(columns)
        rows = np.ascontiguousarray(trained.T)
        matrix, right = products(rows, trained), products(self._targets, trained)
        np.fill_diagonal(matrix, 1.0)
        predicted = np.empty((len(self._means), tested.shape[1]))
        raw = np.full(1, np.nan)
        if predict(matrix, right, tested, norms, self._means, _LEAST_PIVOT, self._criterion.cond, predicted):
            if len(self._truth):
                raw[0] = count_right(predicted, self._truth, _CLOSE)
            else:
                raw[0] = squared_error(predicted[0], self._actual)
        return float(self._scores(raw)[0])

    def neighbors(self, columns: Values, slots: Counts, direction: Direction) -> Values:
        """Return the score with, or without, each candidate."""
        trained, tested, norms = (
            self._standardized(columns) if columns.size else (*(np.empty((len(slots), 0)),) * 2, np.empty(len(slots)))
        )
        raw = np.empty(len(slots))
        value_neighbors(
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
            self._actual,
            self._truth,
            _CLOSE,
            raw,
        )
        return self._scores(raw)

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
        norms = standardize(ordered, n_train, float(self._criterion.alpha), self._criterion.fit_intercept)
        return np.ascontiguousarray(ordered[:, :n_train]), np.ascontiguousarray(ordered[:, n_train:]), norms

    def _scores(self, raw: Values) -> Values:
        """Return scores from sums of squared errors, or from numbers of correctly classified samples."""
        if self._criterion.score == "accuracy":
            return raw / len(self._actual)
        # A constant target is predicted perfectly, for which rounding leaves no value, or not at all.
        scale = max(float(np.sum(self._actual**2)), float(np.sum(self._targets**2)))
        if_constant = np.where(raw > _PERFECT * scale, 0.0, np.nan)
        return regression_scores(raw, self._actual, self._criterion.score, if_constant)
