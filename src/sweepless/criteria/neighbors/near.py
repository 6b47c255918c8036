"""Lists of near samples, one per row, which follow the steps and are made anew where they prove too little."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Mask, Values
from sweepless.kernels.neighbors.definition import OFFSET, SLOPE, Frame
from sweepless.kernels.neighbors.grid import FAR
from sweepless.kernels.neighbors.lists import LANES, Lists, Room, move_lists

# The length of a list for one neighbor, and two more for each further one; it is worth more to survive where no
# distances are kept.
_LENGTH, _LONGER = 32, 128


class Block(NamedTuple):
    """Some candidates, from `first` to `last`: their values side by side, sample by sample, in whole vectors."""

    first: int
    last: int
    beside: AnyArray
    margin: AnyArray  # what float32 may lose between two distances, per candidate


Settler: TypeAlias = Callable[[Features, Block, Room, Counts], None]
"""Settles what the lists prove about some rows, and counts per row the eights of candidates that it leaves open."""


class NearLists:
    """One list per row (see `kernels.neighbors.lists`)."""

    def __init__(self, frame: Frame, is_kept: bool, n_neighbors: int, manhattan: bool) -> None:
        self._frame, self._manhattan = frame, manhattan
        n_rows, self._n_columns = len(frame.row_sample), frame.col_sample.shape[1]
        length = _LENGTH if is_kept else _LONGER
        self.length = length + 2 * (n_neighbors - 1)
        sample, label, distance = np.empty((3, n_rows, self.length), dtype=np.int32)
        nearest, made_for = np.empty(n_rows, dtype=np.int32), np.empty(n_rows, dtype=np.int8)
        beyond = np.empty((n_rows, 2), dtype=np.int32)
        self.lists = Lists(sample, label, distance, nearest, beyond, made_for)
        self.forget()

    def forget(self) -> None:
        """Empty all lists: let there be only the rows themselves, FAR away, and no bound."""
        self.lists.sample[:] = self._frame.row_sample[:, None]
        self.lists.distance[:] = self.lists.nearest[:] = FAR
        self.lists.beyond[:] = -1
        self.lists.made_for[:] = 0

    def move(self, moved: AnyArray, sign: int) -> None:
        """Follow a step."""
        move_lists(self.lists, self._frame.row_sample, moved, sign, self._manhattan)

    def settle(self, some: Features, blocks: list[Block], by_lists: Settler) -> Features:
        """Let `by_lists` settle some rows; return those that it leaves open."""
        n_open, room = np.zeros(len(self.lists.made_for), dtype=np.int64), self._room()
        for block in blocks:
            by_lists(some, block, room, n_open)
        return np.flatnonzero(n_open)

    def _room(self) -> Room:
        """Return working space for one thread; a row has twice as many parts as a list has columns."""
        parts = np.full((-(-self._n_columns // (2 * self.length)), 2 * self.length), FAR, dtype=np.int32)
        least, columns = np.empty(2 * self.length, dtype=np.int32), np.empty(parts.size + 1, dtype=np.int64)
        return Room(parts.reshape(-1), parts, least, columns)


def in_blocks(centered: AnyArray, spans: Values, drift: float) -> list[Block]:
    """Lay out candidates in blocks that fill whole vectors, if need be by the first of a block once more."""
    margins = 2.0 * ((OFFSET + SLOPE) * spans + drift) * (1.0 + 1e-6)
    blocks = []
    for first in range(0, len(spans), LANES):
        last = min(first + LANES, len(spans))
        width, lanes = last - first, -(-(last - first) // 8) * 8
        beside = np.empty((centered.shape[1], lanes), dtype=np.float32)
        margin = np.empty(lanes, dtype=np.float32)
        beside[:, :width], beside[:, width:] = centered[first:last].T, centered[first, :, None]
        margin[:width], margin[width:] = margins[first:last], margins[first]
        blocks.append(Block(first, last, beside, margin))
    return blocks


def open_mask(n_rows: int, some: Features, n_candidates: int) -> Mask:
    """Return a mask of rows and candidates, as wide as all blocks, in which some rows are open."""
    is_open = np.zeros((n_rows, -(-n_candidates // 8) * 8), dtype=np.bool_)
    is_open[some, :n_candidates] = True
    return is_open
