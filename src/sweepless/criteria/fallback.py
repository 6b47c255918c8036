"""One criterion where it has a value, another one where it has none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sweepless._typing import Features, Values
from sweepless.criteria.base import Criterion, require_members
from sweepless.criteria.wrapper import Wrapper, WrapperCursor
from sweepless.dataset import Dataset
from sweepless.direction import Direction


@dataclass(frozen=True)
class Fallback(Wrapper):
    """A fast criterion that may decline to value a subset, and a slow one that values the subsets it declines.

    Parameters
    ----------
    criterion : Criterion
        Returns NaN for subsets it declines; which ones these are must depend on the subset only.
    otherwise : Criterion
        Values those subsets.
    aside : tuple of int
        Features that only the slow criterion can handle: it values every subset that holds one of them.
    """

    otherwise: Criterion
    aside: tuple[int, ...] = ()

    def __repr__(self) -> str:
        return repr(self.criterion)

    def bind(self, data: Dataset) -> FallbackCursor:
        return FallbackCursor(self, data)

    def operations(self, data: Dataset, size: int) -> float:
        """Return those of the fast criterion, unless there are features that the slow one always values."""
        return (self.otherwise if self.aside else self.criterion).operations(data, size)

    def validate(self, train: Dataset, test: Dataset, members: Features) -> float:
        """Return the holdout value of the slow criterion."""
        return self.otherwise.validate(train, test, members)


class FallbackCursor(WrapperCursor):
    """Takes the cursor of the fast criterion along; the cursor of the slow one values from scratch."""

    def __init__(self, criterion: Fallback, data: Dataset) -> None:
        super().__init__(criterion, data)
        self.criterion = criterion
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
        return self._completed(values, lambda k: subsets[k])

    def individual(self, measure: str) -> Values:
        return self._inner.individual(measure)

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        n_aside = np.count_nonzero(self._is_aside & self.members) + direction.sign * self._is_aside[candidates]
        values = np.full(len(candidates), np.nan)
        inside = n_aside == 0
        if inside.any():
            values[inside] = self._inner.peek(direction, candidates[inside])
        return self._completed(values, lambda k: self._neighbor(direction, candidates[k]))

    def _completed(self, values: Values, subset: Callable[[int], Features]) -> Values:
        unknown = np.flatnonzero(np.isnan(values))
        if len(unknown):
            values[unknown] = self._otherwise.evaluate_many([subset(int(k)) for k in unknown])
        return values
