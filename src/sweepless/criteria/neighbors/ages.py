"""How many members have left since a list was made, for lists of different ages."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Counts
from sweepless.direction import Direction

_MOST_AGES = 48  # older lists count as outdated


class Ages:
    """Counts, for every item, the members of the time when it was made that are members no more."""

    def __init__(self, n_items: int, outdated: int) -> None:
        self._outdated = outdated
        self._first = 0  # the earliest age that is followed
        self._came: list[set[int]] = []  # since each age
        self._left: list[set[int]] = []
        self._age = np.full(n_items, -1)

    def move(self, direction: Direction, feature: int) -> None:
        """Follow a step."""
        ahead, behind = (self._came, self._left)[:: direction.sign]
        for forth, back in zip(ahead, behind):
            if feature in back:
                back.remove(feature)
            else:
                forth.add(feature)

    def renew(self, items: Counts) -> None:
        """Begin again with some items."""
        if not self._came or self._came[-1] or self._left[-1]:
            self._came.append(set())
            self._left.append(set())
        if len(self._came) > _MOST_AGES:
            del self._came[0], self._left[0]
            self._first += 1
        self._age[items] = self._first + len(self._came) - 1

    def forget(self) -> None:
        """Let every item be outdated."""
        self._age[:] = -1

    def n_left(self) -> Counts:
        """Return for every item how many members have left; those that are outdated have lost too many."""
        counts = np.array([len(left) for left in self._left] + [self._outdated])
        ages = np.where(self._age < self._first, len(counts) - 1, self._age - self._first)
        return np.asarray(np.minimum(counts[ages], self._outdated))
