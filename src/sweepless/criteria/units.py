"""A search over units instead of features: some features move together, some are always in, some never."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from sweepless._typing import Features, Values
from sweepless.criteria.base import require_members
from sweepless.criteria.wrapper import Wrapper, WrapperCursor
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.errors import DataError, InputError


@dataclass(frozen=True)
class Units(Wrapper):
    """Another criterion whose features are units: single features, or groups that are added and removed together.

    Parameters
    ----------
    criterion : Criterion
        Values subsets of the features of the data.
    units : sequence of sequences of int
        The features of each unit. A search sees unit k as feature k; features in no unit take no part.
    fixed : sequence of int
        Features that belong to every subset and to no unit.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sweepless import Dataset
    >>> from sweepless.criteria import KNN, Units
    >>> data = Dataset(*load_iris(return_X_y=True))
    >>> units = Units(KNN(), units=[[0, 1], [2, 3]])
    >>> units.bind(data).evaluate([1]) == KNN().bind(data).evaluate([2, 3])
    True
    """

    units: Sequence[Sequence[int]]
    fixed: Sequence[int] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        units = tuple(tuple(int(feature) for feature in unit) for unit in self.units)
        fixed = tuple(int(feature) for feature in self.fixed)
        named = [feature for unit in (fixed, *units) for feature in unit]
        if not units or not all(units) or min(named) < 0 or len(set(named)) < len(named):
            raise InputError(
                "`units` and `fixed` must name every feature at most once and no unit may be empty, got others."
            )
        object.__setattr__(self, "units", units)
        object.__setattr__(self, "fixed", fixed)

    def __repr__(self) -> str:
        return f"Units({self.criterion}, {len(self.units)} units, {len(self.fixed)} features fixed)"

    def n_features(self, data: Dataset) -> int:
        return len(self.units)

    def operations(self, data: Dataset, size: int) -> float:
        if any(len(unit) > 1 for unit in self.units):  # the cursor inside must move to value a group
            return inf
        return self.criterion.operations(data, size + len(self.fixed))

    def promise(self, data: Dataset) -> Values | None:
        """Return the promise of the best feature of every unit."""
        single = self.criterion.promise(data)
        return None if single is None else best_of_units(single, self.units)

    def bind(self, data: Dataset) -> UnitsCursor:
        return UnitsCursor(self, data)

    def validate(self, train: Dataset, test: Dataset, members: Features) -> float:
        return self.criterion.validate(train, test, self.features(require_members(members)))

    def features(self, units: Features) -> Features:
        """Return the features of some units together with the fixed ones, ascending."""
        chosen = [feature for unit in units for feature in self.units[unit]]
        return np.array(sorted([*chosen, *self.fixed]), dtype=np.intp)


class UnitsCursor(WrapperCursor):
    """Moves the cursor inside unit by unit."""

    def __init__(self, criterion: Units, data: Dataset) -> None:
        super().__init__(criterion, data)
        self.second = None  # it would value features, not units
        self.rungs, self.compares = self._inner.rungs, self._inner.compares
        n_inner = self._inner.n_features
        named = [feature for unit in (criterion.fixed, *criterion.units) for feature in unit]
        if max(named) >= n_inner:
            raise DataError(f"`units` must name features of the {n_inner} of {data.name}, got {max(named)}.")
        self.criterion = criterion
        self._inner.jump(np.array(criterion.fixed, dtype=np.intp))
        self._units = [np.array(unit, dtype=np.intp) for unit in criterion.units]
        self._lengths = np.array([len(unit) for unit in criterion.units])

    def evaluate(self, members: Features) -> float:
        return self._inner.evaluate(self.criterion.features(require_members(members)))

    def evaluate_many(self, subsets: list[Features]) -> Values:
        return self._inner.evaluate_many([self.criterion.features(require_members(members)) for members in subsets])

    def glimpse(self, subsets: list[Features], rung: int) -> Values:
        return self._inner.glimpse([self.criterion.features(require_members(members)) for members in subsets], rung)

    def compare(self, subsets: list[Features], rung: int, rivals: list[Features], n_errors: float) -> Values:
        ours, theirs = ([self.criterion.features(members) for members in some] for some in (subsets, rivals))
        return self._inner.compare(ours, rung, theirs, n_errors)

    def individual(self, measure: str) -> Values:
        """Return the measure of the best feature of every unit."""
        return best_of_units(self._inner.individual(measure), self.criterion.units)

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        values = np.empty(len(candidates))
        lengths = self._lengths[candidates]
        for length in np.unique(lengths):  # units of one length make tuples of one length
            places = np.flatnonzero(lengths == length)
            features = np.array([self._units[candidates[place]] for place in places])
            values[places] = self._inner.peek(direction, features)
        return values

    def _step(self, direction: Direction, feature: int) -> None:
        self._inner.move(direction, self._units[feature])

    def _rebuild(self) -> None:
        self._inner.jump(self.criterion.features(np.flatnonzero(self.members)))


def best_of_units(single: Values, units: Sequence[Sequence[int]]) -> Values:
    """Return the greatest of the scores of the features of every unit."""
    return np.array([single[list(unit)].max() for unit in units])
