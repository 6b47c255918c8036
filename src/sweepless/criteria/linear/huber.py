"""Huber regression by cross-validation, at its optimum.

Its curvature jumps where its loss bends, and the penalty is too weak to prove anything, so the bounds of `smooth_fit`
say nothing here. Instead J is computed from the one partition of the samples that the optimum reproduces
(`kernels.linear.huber`), which neighbors reach in a few steps from that of the working subset.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from sweepless._checks import not_negative
from sweepless._typing import AnyArray, Counts, Features, Values
from sweepless.criteria.base import Criterion, Cursor, require_members
from sweepless.criteria.folds import Partition, Split, checked_folds, number_of_folds, training_parts
from sweepless.criteria.linear.smooth_cursor import Scales
from sweepless.criteria.schur import MomentTable
from sweepless.criteria.scores.base import BoundScore, Score, cost_of, mean_over_folds
from sweepless.criteria.scores.names import score_of
from sweepless.criteria.scoring import numbers, require_squares
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.errors import DataError, InputError
from sweepless.kernels.linear.huber import huber_optima

_PERFECT = 1e-18  # squared errors, in units of squared targets, that may be zero without rounding
_NONE = np.empty((0, 0)), np.empty(0)
_WILD = 1024.0  # a target beyond so many typical ones is kept out of sums of all


@dataclass(frozen=True)
class HuberModel(Criterion):
    """Cross-validated score of Huber regression, which estimates a scale beyond which residuals count only linearly.

    Parameters
    ----------
    epsilon : float
        How many scales away the loss of a residual turns from its square to its size. It must be greater than 1,
        where the scale shrinks to nothing.
    alpha : float
        The penalty on the squared coefficients, in the features' own units; the intercept is not penalized.
    folds : int, Partition or Split
        Number of contiguous folds; or given folds, also as an array of the fold of each sample; or one given split.
    score : str or Score
        The name of a score of scikit-learn that needs predicted numbers.
    fit_intercept : bool

    Notes
    -----
    J is the score at the optimum of the objective of scikit-learn's `HuberRegressor`, which its solver reaches as its
    tolerance goes to zero. A subset has no value (NaN) where rounding could decide: with nearly collinear features,
    with a residual just where the loss bends, with hardly any residuals, or with a feature of which one value outweighs
    all others. For n samples, d members and k folds a candidate costs O(k (nd + md² + d³)), where m samples change
    sides: from within the scale to beyond it, or back.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sweepless import Dataset
    >>> from sweepless.criteria import HuberModel
    >>> data = Dataset(*load_diabetes(return_X_y=True))
    >>> round(HuberModel().bind(data).evaluate([2, 3, 8]), 4)
    0.4632
    """

    epsilon: float = 1.35
    alpha: float = 1e-4
    folds: int | Partition | Split = 5
    score: str | Score = "r2"
    fit_intercept: bool = True

    def __post_init__(self) -> None:
        if not 1.0 < self.epsilon < inf:
            raise InputError(f"`epsilon` must be a finite number greater than 1, got {self.epsilon!r}.")
        not_negative("alpha", self.alpha)
        object.__setattr__(self, "folds", checked_folds(self.folds, Split))
        score_of(self.score, "numbers")

    def bind(self, data: Dataset) -> HuberCursor:
        return HuberCursor(self, data)

    def operations(self, data: Dataset, size: int) -> float:
        once = 2000.0 + 40.0 * size**2 + data.n_samples * (15.0 + 0.65 * size)
        return number_of_folds(self.folds, data.n_samples) * once + cost_of(self.score, self.folds, data.n_samples)

    def validate(self, train: Dataset, test: Dataset, members: Features) -> float:
        """Return the score on `test` of the model fitted to all of `train`."""
        members = require_members(members)
        target = require_squares(np.concatenate([numbers(train), numbers(test)]), test.name)
        rows = np.arange(len(target))
        part = _Part(self, rows[: train.n_samples], rows[train.n_samples :], target)
        columns = np.hstack([train.columns(members), test.columns(members)])
        return float(part.from_scratch(*_scales(self, len(members)).of(np.arange(len(members)), columns))[0])


def _scales(criterion: HuberModel, n_features: int) -> Scales:
    weight = 1.0 / criterion.alpha if criterion.alpha else inf
    return Scales(weight, criterion.fit_intercept, MomentTable(n_features))


class HuberCursor(Cursor):
    """Keeps, on every training part, the partition of the samples by the working subset."""

    _features: Features  # the members, ascending

    def __init__(self, criterion: HuberModel, data: Dataset) -> None:
        super().__init__(data)
        data.require_variation()
        target = require_squares(numbers(data), data.name)
        splits = training_parts(criterion.folds, np.zeros(data.n_samples, dtype=np.int64), data.name)
        if any(len(train) == 0 or len(test) == 0 for train, test in splits):
            raise DataError(
                f"every fold of {data.name} must hold samples and leave some to train on, got an empty one."
            )
        self._parts = [_Part(criterion, train, test, target) for train, test in splits]
        self._scales = _scales(criterion, data.n_features)
        self._rebuild()

    def evaluate(self, members: Features) -> float:
        block = self._block(require_members(members))
        return float(mean_over_folds([part.from_scratch(*block) for part in self._parts])[0])

    def _block(self, features: Features) -> tuple[Values, Values]:
        return self._scales.of(features, self.data.columns(features))

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        places = np.searchsorted(self._features, candidates)
        block = self._block(candidates) if direction.adds else None
        values = mean_over_folds([part.neighbors(block, places) for part in self._parts])
        return self._settled(values, np.isnan(values), direction, candidates)

    def _step(self, direction: Direction, feature: int) -> None:
        self._features = direction.spliced(self._features, int(np.searchsorted(self._features, feature)), feature)
        self._stand()

    def _rebuild(self) -> None:
        self._features = np.flatnonzero(self.members)
        self._stand()

    def _stand(self) -> None:
        block = self._block(self._features)
        for part in self._parts:
            part.stand(*block)


class _Part:
    """One training part, the samples it is tested on, and the partition by the working subset."""

    _rows: Values  # the constant and the members, training part first
    _penalties: Values

    def __init__(self, criterion: HuberModel, train: Counts, test: Counts, target: Values) -> None:
        self._epsilon, self._order, self._n_train = criterion.epsilon, np.concatenate([train, test]), len(train)
        self._constant = np.ones((int(criterion.fit_intercept), len(self._order)))
        self._middle = float(np.median(target[train])) if criterion.fit_intercept else 0.0
        target_here = target[train] - self._middle
        typical = float(np.median(np.abs(target_here)))
        is_wild = np.abs(target_here) > _WILD * (typical or inf)
        self._wild, tamed = np.flatnonzero(is_wild), np.where(is_wild, 0.0, target_here)
        self._unit = float(np.sqrt(np.mean(tamed**2))) or 1.0  # about the scale
        self._target, self._tamed = target_here / self._unit, tamed / self._unit
        self._grid = 2.0 ** (61 - len(target).bit_length())  # mean squares are 1, so that sums of products stay below n
        self._score = BoundScore(
            score_of(criterion.score, "numbers"), target[test], np.empty(0), _PERFECT * float(np.sum(target[test] ** 2))
        )
        self._sides = np.zeros(len(train), dtype=np.int8)

    def from_scratch(self, columns: Values, penalties: Values) -> Values:
        """Return the score of a subset: the definition."""
        rows, penalties = self._with_constant(columns, penalties)
        return self._valued(rows, penalties, np.arange(len(rows))[None], np.zeros_like(self._sides))[0]

    def stand(self, columns: Values, penalties: Values) -> None:
        """Take these members for the working subset; its partition is looked for from that of the last one."""
        self._rows, self._penalties = self._with_constant(columns, penalties)
        self._sides = self._valued(self._rows, self._penalties, np.arange(len(self._rows))[None], self._sides)[1][0]

    def neighbors(self, block: tuple[Values, Values] | None, places: Features) -> Values:
        """Return the values with the columns of a block, or without the members at some places."""
        n_constants, n_rows = len(self._constant), len(self._rows)
        ranks = np.arange(n_rows + (-1 if block is None else 1))
        after = ranks - n_constants >= places[:, None]
        if block is None:
            return self._valued(self._rows, self._penalties, ranks + after, self._sides)[0]
        orders = np.where(ranks - n_constants == places[:, None], n_rows, ranks - after)
        rows, penalties = np.pad(self._rows, ((0, 1), (0, 0))), np.append(self._penalties, 0.0)
        return self._valued(rows, penalties, orders, self._sides, (self._own(block[0]), block[1]))[0]

    def _own(self, columns: Values) -> Values:
        """Return the columns in the order of this part."""
        return np.take(columns, self._order, axis=1)

    def _with_constant(self, columns: Values, penalties: Values) -> tuple[Values, Values]:
        free = np.zeros(len(self._constant))
        return np.vstack([self._constant, self._own(columns)]), np.concatenate([free, penalties])

    def _valued(
        self,
        rows: Values,
        penalties: Values,
        orders: Counts,
        start: AnyArray,
        block: tuple[Values, Values] = _NONE,
    ) -> tuple[Values, AnyArray]:
        """Return values and partitions of subsets of rows, the last of which is each column of a block in turn."""
        n_train = self._n_train
        predicted = np.empty((len(orders), rows.shape[1] - n_train))
        sides = np.empty((len(orders), n_train), dtype=np.int8)
        huber_optima(
            np.vstack([rows[:, :n_train], self._tamed]),
            np.ascontiguousarray(rows[:, n_train:]),
            orders,
            self._target,
            self._wild,
            self._unit * penalties,
            float(self._epsilon),
            self._grid,
            start,
            block[0],
            self._unit * block[1],
            predicted,
            sides,
        )
        values = self._score(self._unit * predicted + self._middle)
        return np.where(np.isnan(predicted[:, 0]), np.nan, values), sides
