"""Lists of near samples for all rows, made anew where they no longer prove anything."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Values
from sweepless.criteria.neighbors.ages import Ages
from sweepless.criteria.neighbors.members import Members
from sweepless.direction import Direction
from sweepless.kernels.neighbors.definition import Frame
from sweepless.kernels.neighbors.lists import MOST_GONE, Lists, fill_lists, shift_lists
from sweepless.kernels.neighbors.scan import scan_error, scan_rows

# How many samples are listed, and how many of them all candidates look at, up to these sizes: a feature changes the
# distances of a small subset more.
_LENGTHS = ((4, 128, 128), (12, 64, 64), (30, 64, 32), (np.inf, 48, 12))
_CELLS = 1 << 18  # distances scanned at a time


class NearLists:
    """One list per row, true for the subset where the cursor stands."""

    def __init__(self, frame: Frame, members: Members, manhattan: bool) -> None:
        self._frame, self._members, self._manhattan = frame, members, manhattan
        n_rows, self._n_columns = len(frame.row_sample), frame.col_sample.shape[1]
        most = min(max(length for _, length, _ in _LENGTHS), self._n_columns)
        self.lists = Lists(
            np.zeros((n_rows, most), dtype=np.int32),
            np.zeros((n_rows, most)),
            np.zeros(n_rows, dtype=np.int64),
            np.zeros(n_rows, dtype=np.int64),
            np.zeros((n_rows, 2, MOST_GONE + 1), dtype=np.float32),
        )
        self._ages = Ages(n_rows, MOST_GONE + 1)

    def move(self, direction: Direction, feature: int, column: Values) -> None:
        """Follow a step."""
        self._ages.move(direction, feature)
        shift_lists(self.lists, self._frame.row_sample, column, direction.sign, self._manhattan)

    def forget(self) -> None:
        """Let all lists be outdated."""
        self._ages.forget()

    def outdated(self, direction: Direction) -> Features:
        """Return the rows whose lists are too old for a step of this direction."""
        return np.flatnonzero(self._ages.n_left() + (direction.sign < 0) > MOST_GONE)

    def n_left(self) -> Counts:
        return self._ages.n_left()

    def renew(self, some: Features) -> None:
        """Take note that the lists of some rows are made anew."""
        self._ages.renew(some)

    def error(self) -> tuple[float, float]:
        """Return slope and offset of the scanned distances."""
        return scan_error(len(self._members), float(self._members.spans.sum()))

    def scan(self, some: Features, makes_lists: bool) -> Iterator[tuple[int, Features, AnyArray]]:
        """Yield group, rows and distances for a few of some rows at a time; make their lists anew if asked to."""
        frame, members = self._frame, self._members
        length, first = next((length, first) for size, length, first in _LENGTHS if len(members) <= size)
        length, first = min(length, self._n_columns), min(first, self._n_columns)
        slope, offset = self.error()
        offset += 2.0 * slope * float(members.spans.max(initial=0.0))
        height = max(1, min(_CELLS // self._n_columns, len(some)))
        found = np.empty((3, height, self._n_columns + 1), dtype=np.float32)
        column = np.empty(length + 1, dtype=np.int64)
        for group, samples in enumerate(frame.col_sample):
            mine = some[frame.row_group[some] == group]
            there = members.gathered[group]
            for start in range(0, len(mine), height):
                few = mine[start : start + height]
                scan_rows(
                    members.centered,
                    there,
                    members.filled,
                    frame.row_sample,
                    frame.row_fold,
                    frame.col_fold[group],
                    few,
                    self._manhattan,
                    found,
                )
                if makes_lists:
                    fill_lists(
                        self.lists,
                        members.values,
                        members.filled,
                        frame.row_sample,
                        samples,
                        few,
                        first,
                        length,
                        slope,
                        offset,
                        self._manhattan,
                        found,
                        found.view(np.int32),
                        column,
                    )
                yield group, few, found[0]
