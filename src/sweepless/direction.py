"""ADD and REMOVE: the only module that may branch on direction."""

from __future__ import annotations

from enum import Enum
from typing import Any, Protocol

import numpy as np

from sweepless._masks import marked
from sweepless._typing import AnyArray, Counts, Features, Mask


class Exposures(Protocol):
    """Counts of evaluations with and without every feature."""

    count_with: Counts
    count_without: Counts


class Direction(Enum):
    """The direction of a step; its value is the sign of the change in size.

    Examples
    --------
    >>> from sweepless import Direction
    >>> [(direction.name, direction.sign, direction.adds) for direction in Direction]
    [('ADD', 1, True), ('REMOVE', -1, False)]
    """

    ADD = 1
    REMOVE = -1

    def __init__(self, sign: int) -> None:
        self.sign = sign  # +1 to add, -1 to remove
        self.adds = sign > 0  # whether a feature is a member after the step

    @property
    def opposite(self) -> Direction:
        return Direction(-self.value)

    @property
    def label(self) -> str:
        """The name of the direction in `Anatomy` and in traces."""
        return "forward" if self.adds else "backward"

    def pool(self, members: Mask) -> Features:
        """Return the candidates in ascending order: non-members to add, members to remove."""
        return np.flatnonzero(~members) if self.adds else marked(members)

    def pool_size(self, size: int, n_features: int) -> int:
        return n_features - size if self.adds else size

    def last_size(self, n_features: int) -> int:
        """Return the last legal size in this direction: all features, or one (A16)."""
        return n_features if self.adds else 1

    def is_legal(self, size: int, n_features: int, tuple_size: int = 1) -> bool:
        """Return whether the step stays between one feature and all of them (A16)."""
        return 1 <= size + self.sign * tuple_size <= n_features

    def applied(self, members: Mask, features: Features) -> Mask:
        """Return the mask after the step, without changing `members`."""
        result = members.copy()
        result[features] = self.adds
        return result

    def moved(self, members: Features, features: Features) -> Features:
        """Return the ascending members after the step, in time that does not depend on the number of features."""
        if len(features) > 1:
            return np.sort(np.concatenate((members, features))) if self.adds else np.setdiff1d(members, features)
        place = int(members.searchsorted(features[0]))
        if self.adds:
            return np.concatenate((members[:place], features, members[place:]))
        return np.concatenate((members[:place], members[place + 1 :]))

    def exposure(self, statistics: Exposures) -> Counts:
        """Return how often the outcome of the step was observed: with f to add, without f to remove (A4)."""
        return statistics.count_with if self is Direction.ADD else statistics.count_without

    def spliced(self, array: AnyArray, place: Any, item: Any) -> AnyArray:
        """Return the array with items inserted at, or entries deleted from, places of its last axis."""
        if np.ndim(place) > 0:
            return np.insert(array, place, item, axis=-1) if self.adds else np.delete(array, place, axis=-1)
        # One place is what every step has several of; the general functions take ten times as long for it.
        if not self.adds:
            return np.concatenate((array[..., :place], array[..., place + 1 :]), axis=-1)
        result = np.empty((*array.shape[:-1], array.shape[-1] + 1), dtype=array.dtype)
        result[..., :place], result[..., place], result[..., place + 1 :] = array[..., :place], item, array[..., place:]
        return result

    def spliced_rows(self, array: AnyArray, place: int, row: AnyArray) -> AnyArray:
        """Return the array with a row inserted at, or deleted from, a place."""
        if self is Direction.ADD:
            return np.concatenate([array[:place], row[None], array[place:]])
        return np.concatenate([array[:place], array[place + 1 :]])

    def start(self, n_features: int) -> Mask:
        """Return the start of a search in this primary direction: the empty set to add, the full set to remove."""
        return np.full(n_features, not self.adds)
