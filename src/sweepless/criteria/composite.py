"""Criteria made of others: with a price per feature, averaged, or remembered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from sweepless._typing import Features, Values
from sweepless.criteria.base import Criterion, Cursor, require_members
from sweepless.criteria.wrapper import Wrapper, WrapperCursor, require_criterion
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.errors import DataError, InputError

_Item = TypeVar("_Item")


@dataclass(frozen=True)
class Penalized(Wrapper):
    """J of another criterion minus the cost of the subset's features.

    Parameters
    ----------
    criterion : Criterion
    cost_per_feature : float or sequence of float
        One cost for all features, or one for each; a negative cost is a bonus.

    Notes
    -----
    Different costs are rounded once to about 2**-51 of their total, so that their sum does not depend on the order.
    Holdout validation ignores the costs.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sweepless import Dataset
    >>> from sweepless.criteria import KNN, Penalized
    >>> cursor = Penalized(KNN(), cost_per_feature=0.01).bind(Dataset(*load_iris(return_X_y=True)))
    >>> round(cursor.evaluate([2, 3]), 4)
    0.9469
    """

    cost_per_feature: float | Sequence[float]

    def __post_init__(self) -> None:
        super().__post_init__()
        if np.ndim(self.cost_per_feature) > 1:
            raise InputError("`cost_per_feature` must be one number or one per feature, got a table.")
        costs = _finite("cost_per_feature", np.atleast_1d(self.cost_per_feature))
        object.__setattr__(self, "cost_per_feature", costs if np.ndim(self.cost_per_feature) else costs[0])

    def bind(self, data: Dataset) -> PenalizedCursor:
        return PenalizedCursor(self, data)


class PenalizedCursor(WrapperCursor):
    """Subtracts the cost of a subset from its value."""

    def __init__(self, criterion: Penalized, data: Dataset) -> None:
        super().__init__(criterion, data)
        self.criterion = criterion
        costs = np.atleast_1d(np.asarray(criterion.cost_per_feature))
        if np.ndim(criterion.cost_per_feature) and len(costs) != self.n_features:
            raise DataError(f"`cost_per_feature` must hold {self.n_features} costs for {data.name}, got {len(costs)}.")
        # Equal costs are counted and then multiplied, which is exact without a grid.
        differ = bool(np.any(costs != costs[0]))
        self._unit = 1.0 if differ else float(costs[0])
        self._costs = _on_grid(costs) if differ else np.ones(self.n_features)
        self.rungs, self.compares = self._inner.rungs, self._inner.compares

    def evaluate(self, members: Features) -> float:
        members = require_members(members)
        return self._inner.evaluate(members) - float(self._costs[members].sum()) * self._unit

    def evaluate_many(self, subsets: list[Features]) -> Values:
        subsets = [require_members(members) for members in subsets]
        return np.asarray(self._inner.evaluate_many(subsets) - self._costs_of(subsets))

    def glimpse(self, subsets: list[Features], rung: int) -> Values:
        return np.asarray(self._inner.glimpse(subsets, rung) - self._costs_of(subsets))

    def compare(self, subsets: list[Features], rung: int, rivals: list[Features], n_errors: float) -> Values:
        return np.asarray(self._inner.compare(subsets, rung, rivals, n_errors) - self._costs_of(subsets))

    def _costs_of(self, subsets: list[Features]) -> Values:
        return np.array([self._costs[members].sum() for members in subsets]) * self._unit

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        costs = self._costs[self.members].sum() + direction.sign * self._costs[candidates]
        return np.asarray(self._inner.peek(direction, candidates) - costs * self._unit)


@dataclass(frozen=True)
class Mean(Criterion):
    """The weighted mean of several criteria.

    Parameters
    ----------
    criteria : sequence of Criterion
    weights : sequence of float, optional
        Not negative and not all zero; equal by default. Use them to bring the criteria to one scale.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sweepless import Dataset
    >>> from sweepless.criteria import KNN, GaussianNB, Mean
    >>> cursor = Mean([KNN(), GaussianNB()]).bind(Dataset(*load_iris(return_X_y=True)))
    >>> round(cursor.evaluate([2, 3]), 4)
    0.9636
    """

    criteria: Sequence[Criterion]
    weights: Sequence[float] | None = None

    def __post_init__(self) -> None:
        criteria = tuple(self.criteria) if isinstance(self.criteria, Sequence) else ()
        if not criteria:
            raise InputError(f"`criteria` must be a sequence of at least one criterion, got {self.criteria!r}.")
        for criterion in criteria:
            require_criterion("criteria", criterion)
        object.__setattr__(self, "criteria", criteria)
        if self.weights is None:
            return
        weights = _finite("weights", np.atleast_1d(self.weights))
        if len(weights) != len(criteria) or min(weights) < 0.0 or not sum(weights) > 0.0:
            raise InputError(
                f"`weights` must hold {len(criteria)} numbers that are not negative nor all zero, got {self.weights!r}."
            )
        object.__setattr__(self, "weights", weights)

    def n_features(self, data: Dataset) -> int:
        counts = [one.n_features(data) for one in self.criteria]
        if len(set(counts)) > 1:
            raise DataError(f"`criteria` must value subsets of equally many features, got {counts} on {data.name}.")
        return counts[0]

    def operations(self, data: Dataset, size: int) -> float:
        return sum(one.operations(data, size) for one in self.criteria)

    def promise(self, data: Dataset) -> Values | None:
        return self.criteria[0].promise(data)

    def bind(self, data: Dataset) -> Cursor:
        return MeanCursor(self, data)

    def validate(self, train: Dataset, test: Dataset, members: Features) -> float:
        """Return the weighted mean of the criteria's holdout values."""
        return float(self.mean([np.array([one.validate(train, test, members)]) for one in self.criteria])[0])

    def mean(self, values: list[Values]) -> Values:
        """Average in the order of the criteria, always by the same operations."""
        weights = self.weights or (1.0,) * len(values)
        total = np.zeros(len(values[0]))
        for weight, those in zip(weights, values, strict=True):
            total += weight * those
        return np.asarray(total / np.cumsum(weights)[-1])  # `sum` rounds otherwise from Python 3.12 on


class MeanCursor(Cursor):
    """Takes the cursors of all the criteria along."""

    takes_missing = True  # the cursors inside refuse missing values if they must

    def __init__(self, criterion: Mean, data: Dataset) -> None:
        super().__init__(data, criterion.n_features(data))
        self.criterion = criterion
        self._inner = [one.bind(data) for one in criterion.criteria]
        self.n_at_once = max(inner.n_at_once for inner in self._inner)

    def evaluate(self, members: Features) -> float:
        members = require_members(members)
        return float(self.criterion.mean([np.array([inner.evaluate(members)]) for inner in self._inner])[0])

    def evaluate_many(self, subsets: list[Features]) -> Values:
        return self.criterion.mean([inner.evaluate_many(subsets) for inner in self._inner])

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        return self.criterion.mean([inner.peek(direction, candidates) for inner in self._inner])

    def _step(self, direction: Direction, feature: int) -> None:
        for inner in self._inner:
            inner.move(direction, feature)

    def _rebuild(self) -> None:
        for inner in self._inner:
            inner.jump(np.flatnonzero(self.members))


@dataclass(frozen=True)
class Memoized(Wrapper):
    """Another criterion that computes the value of every subset once.

    Parameters
    ----------
    criterion : Criterion
        An expensive one: to look up a subset takes a few microseconds, and all values stay in memory.

    Notes
    -----
    A search counts a remembered value as an evaluation like any other (A49). The cursor counts what was saved:
    of `n_requested` values only `n_computed` were computed.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sweepless import Dataset
    >>> from sweepless.criteria import KNN, Memoized
    >>> cursor = Memoized(KNN()).bind(Dataset(*load_iris(return_X_y=True)))
    >>> cursor.evaluate([2, 3]) == cursor.evaluate([3, 2])
    True
    >>> cursor.n_requested, cursor.n_computed
    (2, 1)
    """

    def bind(self, data: Dataset) -> MemoizedCursor:
        return MemoizedCursor(self, data)


class MemoizedCursor(WrapperCursor):
    """Remembers values by subset; the cursor inside moves only when it has something to compute."""

    def __init__(self, criterion: Memoized, data: Dataset) -> None:
        super().__init__(criterion, data)
        self.criterion = criterion
        self.n_requested = 0
        self.n_computed = 0
        self._values: dict[bytes, float] = {}

    def evaluate(self, members: Features) -> float:
        return float(self.evaluate_many([members])[0])

    def evaluate_many(self, subsets: list[Features]) -> Values:
        subsets = [require_members(members) for members in subsets]
        return self._recalled([members.tobytes() for members in subsets], subsets, self._inner.evaluate_many)

    def individual(self, measure: str) -> Values:
        return self._inner.individual(measure)

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        standing = np.flatnonzero(self.members)
        places = np.searchsorted(standing, candidates)
        keys = [
            direction.spliced(standing, place, candidate).tobytes()
            for place, candidate in zip(places, candidates, strict=True)
        ]

        def peek(missing: list[int]) -> Values:
            self._inner.jump(standing)
            return self._inner.peek(direction, np.array(missing, dtype=np.intp))

        return self._recalled(keys, candidates.tolist(), peek)

    def _recalled(self, keys: list[bytes], items: list[_Item], compute: Callable[[list[_Item]], Values]) -> Values:
        """Return the values of subsets by key; those that are not remembered are computed for their items."""
        self.n_requested += len(keys)
        missing = {key: item for key, item in zip(keys, items, strict=True) if key not in self._values}
        if missing:
            self.n_computed += len(missing)
            self._values.update(zip(missing, compute(list(missing.values())).tolist(), strict=True))
        return np.array([self._values[key] for key in keys], dtype=np.float64)

    def _step(self, direction: Direction, feature: int) -> None:
        """Leave the cursor inside where it is: a remembered value needs no move."""

    def _rebuild(self) -> None:
        """Leave the cursor inside where it is."""


def _finite(name: str, values: object) -> tuple[float, ...]:
    try:
        numbers = tuple(float(value) for value in values)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        numbers = (np.nan,)
    if not np.isfinite(numbers).all():
        raise InputError(f"`{name}` must hold finite numbers, got {values!r}.")
    return numbers


def _on_grid(costs: Values) -> Values:
    """Round the costs so that any sum of them is exact."""
    spacing = 2.0 ** (np.ceil(np.log2(np.abs(costs).sum())) - 51)
    return np.asarray(np.rint(costs / spacing) * spacing)
