"""What criteria around other criteria share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sweepless._typing import Features, Values
from sweepless.criteria.base import Criterion, Cursor
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.errors import InputError


@dataclass(frozen=True)
class Wrapper(Criterion):
    """A criterion around another one, which knows the features and validates."""

    criterion: Criterion

    def __post_init__(self) -> None:
        require_criterion("criterion", self.criterion)

    def n_features(self, data: Dataset) -> int:
        return self.criterion.n_features(data)

    def operations(self, data: Dataset, size: int) -> float:
        return self.criterion.operations(data, size)

    def promise(self, data: Dataset) -> Values | None:
        return self.criterion.promise(data)

    def validate(self, train: Dataset, test: Dataset, members: Features) -> float:
        return self.criterion.validate(train, test, members)


class WrapperCursor(Cursor):
    """Takes the cursor of the wrapped criterion along."""

    takes_missing = True  # the cursor inside refuses missing values if it must

    def __init__(self, criterion: Wrapper, data: Dataset) -> None:
        super().__init__(data, criterion.n_features(data))
        self._inner = criterion.criterion.bind(data)
        self.n_at_once = self._inner.n_at_once
        self.second = self._inner.second

    def _step(self, direction: Direction, feature: int) -> None:
        self._inner.move(direction, feature)

    def _rebuild(self) -> None:
        self._inner.jump(np.flatnonzero(self.members))


def require_criterion(name: str, value: object) -> None:
    """Raise unless the value is a criterion."""
    if not isinstance(value, Criterion):
        raise InputError(f"`{name}` must be made of criteria, got {value!r}.")
