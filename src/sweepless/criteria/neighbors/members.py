"""The values of the members, in the order of their arrival, laid out as the kernels read them."""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Values
from sweepless.direction import Direction

_STEP = 4  # members are scanned by fours; the last four are filled up by zeros


class Members:
    """Values of one feature after the other, of which any can leave.

    Attributes
    ----------
    features : array of int
        The members, ascending.
    order : array of int
        Their places, in the same order.
    values : array of shape (n_samples, places)
    centered : array of float32 of shape (places, n_samples)
    gathered : array of float32 of shape (groups, places, columns)
        The centred values of the columns of each group.
    spans : array of shape (places,)
        The largest possible terms, whose sum bounds any distance.
    """

    def __init__(self, n_samples: int, col_sample: Counts, manhattan: bool) -> None:
        self._n_samples, self._col_sample, self._manhattan = n_samples, col_sample, manhattan
        self.clear()

    def clear(self) -> None:
        """Forget all members."""
        self.features, self.order = np.empty(0, dtype=np.intp), np.empty(0, dtype=np.int64)
        self._make_room(_STEP)

    def _make_room(self, n_places: int) -> None:
        self.values = np.zeros((self._n_samples, n_places))
        self.centered = np.zeros((n_places, self._n_samples), dtype=np.float32)
        self.gathered = np.zeros((len(self._col_sample), n_places, self._col_sample.shape[1]), dtype=np.float32)
        self.spans = np.zeros(n_places)

    def __len__(self) -> int:
        return len(self.features)

    @property
    def filled(self) -> int:
        """The number of places that are scanned."""
        return -(-len(self) // _STEP) * _STEP

    def slots(self, candidates: Features) -> Counts:
        """Return the places of candidates among the ascending members."""
        return np.searchsorted(self.features, candidates).astype(np.int64)

    def add(self, feature: int, column: Values) -> None:
        place = len(self)
        if place == len(self.spans):
            old = self.values, self.centered, self.gathered, self.spans
            self._make_room(2 * place)
            self.values[:, :place], self.centered[:place], self.gathered[:, :place], self.spans[:place] = old
        slot = np.searchsorted(self.features, feature)
        self.features, self.order = np.insert(self.features, slot, feature), np.insert(self.order, slot, place)
        centered, spans = centered_columns(column[None], self._manhattan)
        self.values[:, place], self.centered[place], self.spans[place] = column, centered[0], spans[0]
        self.gathered[:, place] = centered[0][self._col_sample]

    def move(self, direction: Direction, feature: int, column: Values) -> None:
        """Add a feature with its values, or remove one."""
        if direction.adds:
            self.add(feature, column)
        else:
            self._remove(feature)

    def _remove(self, feature: int) -> None:
        slot, last = np.searchsorted(self.features, feature), len(self) - 1
        place = self.order[slot]
        self.order[self.order == last] = place  # the last one moves
        self.features, self.order = np.delete(self.features, slot), np.delete(self.order, slot)
        self.values[:, place], self.values[:, last] = self.values[:, last], 0.0
        self.centered[place], self.centered[last] = self.centered[last], 0.0
        self.gathered[:, place], self.gathered[:, last] = self.gathered[:, last], 0.0
        self.spans[place], self.spans[last] = self.spans[last], 0.0


def centered_columns(columns: Values, manhattan: bool) -> tuple[AnyArray, Values]:
    """Return the columns, centred in float32, and the largest term that each can contribute."""
    low, high = columns.min(axis=1), columns.max(axis=1)
    ranges = high - low
    with np.errstate(over="ignore"):
        centered = np.empty(columns.shape, dtype=np.float32)
        np.subtract(columns, (low + 0.5 * ranges)[:, None], out=centered, casting="same_kind")
        return centered, ranges if manhattan else ranges * ranges
