"""Lists of the columns that may be nearest to each row after one step; they settle most rows of 1-NN."""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Mask, Values
from sweepless.direction import Direction
from sweepless.kernels.neighbors.definition import Frame
from sweepless.kernels.neighbors.lists import nearest_lists, settle_by_lists

# How many columns are listed for small subsets, and for larger ones, where a step changes less. An unlisted column is
# bounded by its distance in an addition, and by its distance without the largest term in a removal.
_LENGTHS = {Direction.ADD: (16, 8), Direction.REMOVE: (16, 16)}
_LARGER_FROM = 16  # features


class NearLists:
    """One list per row for steps of one direction; stale as soon as the subset changes."""

    def __init__(self, frame: Frame, direction: Direction, manhattan: bool) -> None:
        self.direction = direction
        self._frame, self._manhattan, n_rows = frame, manhattan, len(frame.row_sample)
        self.is_stale = True
        self._n_listed = max(_LENGTHS[direction])
        shape = (n_rows, self._n_listed + 1)  # one more, which bounds the unlisted columns
        self._columns = np.full(shape, -1, dtype=np.int32)
        self._samples = np.zeros(shape, dtype=np.int32)
        self._same = np.zeros(shape, dtype=np.bool_)
        self._distances = np.empty(shape, dtype=np.float32)
        self._beyond = np.empty(n_rows, dtype=np.float32)

    def begin(self, size: int) -> None:
        """Set the length that suits a subset of this size, before the lists are filled."""
        n_listed = _LENGTHS[self.direction][size >= _LARGER_FROM]
        if n_listed > self._n_listed:
            self._columns[:] = -1  # the cells behind a short list are outdated
        self._n_listed = n_listed
        self.is_stale = False

    def fill(self, filtered: AnyArray, largest: AnyArray, rows: Values, first_row: int, last_row: int) -> None:
        """Find the lists of some rows."""
        nearest_lists(
            self._frame,
            filtered,
            largest,
            rows,
            self.direction.sign,
            self._manhattan,
            first_row,
            last_row,
            self._n_listed,
            self._columns,
            self._samples,
            self._same,
            self._distances,
            self._beyond,
        )

    def settle(self, centered: AnyArray, spans: Values, drift: float, is_open: Mask, correct: Counts) -> None:
        """Count the rows that the lists prove correct, per candidate and account, and mark the undecided rows open."""
        settle_by_lists(
            self._frame,
            self._n_listed,
            self._samples,
            self._same,
            self._distances,
            self._beyond,
            centered,
            spans,
            drift,
            self.direction.sign,
            self._manhattan,
            is_open,
            correct,
        )
