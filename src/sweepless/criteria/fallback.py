"""One criterion where it has a value, another where it has none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sweepless._typing import Features, Values
from sweepless.criteria.base import Criterion, Cursor, require_members
from sweepless.dataset import Dataset
from sweepless.direction import Direction


@dataclass(frozen=True)
class Settled(Criterion):
    """A fast criterion that may decline to value a subset, settled by a slow one that always can.

    Parameters
    ----------
    criterion : Criterion
        Returns NaN where its arithmetic says nothing; that, too, must depend on the subset only.
    otherwise : Criterion
        Values those subsets.
    aside : tuple of int
        Features for which it also values every subset that holds one of them.
    """

    criterion: Criterion
    otherwise: Criterion
    aside: tuple[int, ...] = ()

    def __repr__(self) -> str:
        return repr(self.criterion)

    def n_features(self, data: Dataset) -> int:
        return self.criterion.n_features(data)

    def bind(self, data: Dataset) -> SettledCursor:
        return SettledCursor(self, data)

    def validate(self, train: Dataset, test: Dataset, members: Features) -> float:
        """Return the holdout value that the slow criterion gives."""
        return self.otherwise.validate(train, test, members)


class SettledCursor(Cursor):
    """Follows the cursor of the fast criterion; that of the slow one values from scratch."""

    def __init__(self, criterion: Settled, data: Dataset) -> None:
        super().__init__(data, criterion.n_features(data))
        self.criterion = criterion
        self._inner = criterion.criterion.bind(data)
        self._otherwise = criterion.otherwise.bind(data)
        self._is_aside = np.zeros(self.n_features, dtype=np.bool_)
        self._is_aside[list(criterion.aside)] = True

    def evaluate(self, members: Features) -> float:
        members = require_members(members)
        value = np.nan if self._is_aside[members].any() else self._inner.evaluate(members)
        return self._otherwise.evaluate(members) if np.isnan(value) else value

    def evaluate_many(self, subsets: list[Features]) -> Values:
        subsets = [require_members(members) for members in subsets]
        inside = [k for k, members in enumerate(subsets) if not self._is_aside[members].any()]
        values = np.full(len(subsets), np.nan)
        values[inside] = self._inner.evaluate_many([subsets[k] for k in inside])
        return self._settled(values, lambda k: subsets[k])

    def individual(self, measure: str) -> Values:
        return self._inner.individual(measure)

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        n_aside = np.count_nonzero(self._is_aside & self.members) + direction.sign * self._is_aside[candidates]
        values = np.full(len(candidates), np.nan)
        inside = n_aside == 0
        if inside.any():
            values[inside] = self._inner.peek(direction, candidates[inside])
        return self._settled(values, lambda k: np.flatnonzero(direction.applied(self.members, candidates[k])))

    def _settled(self, values: Values, subset: Callable[[int], Features]) -> Values:
        unknown = np.flatnonzero(np.isnan(values))
        if len(unknown):
            values[unknown] = self._otherwise.evaluate_many([subset(int(k)) for k in unknown])
        return values

    def _step(self, direction: Direction, feature: int) -> None:
        self._inner.move(direction, feature)

    def _rebuild(self) -> None:
        self._inner.jump(np.flatnonzero(self.members))
