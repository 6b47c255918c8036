"""Lists of near samples, one per row, which follow the steps and are made anew where they prove too little."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Mask, Values
from sweepless.criteria.neighbors.distances import Distances
from sweepless.direction import Direction
from sweepless.kernels.neighbors.definition import OFFSET, SLOPE, Frame
from sweepless.kernels.neighbors.grid import FAR
from sweepless.kernels.neighbors.lists import LANES, Lists, fill_lists, move_lists

# The length of a list for one neighbour, and two more for each further one; it is worth more to survive where no
# distances are kept.
_LENGTH, _LONGER = 32, 128
_MOST_OPEN = 2  # eights of candidates that a list may leave open before it is made anew


class Block(NamedTuple):
    """Some candidates, from `first` to `last`: their values side by side, sample by sample, in whole vectors."""

    first: int
    last: int
    beside: AnyArray
    margin: AnyArray  # what float32 may lose between two distances, per candidate


Settler: TypeAlias = Callable[[Features, Block, Counts], None]
"""Settles what the lists prove about some rows, and counts per row the eights of candidates that it leaves open."""


class NearLists:
    """One list per row (see `kernels.neighbors.lists`)."""

    def __init__(self, frame: Frame, distances: Distances, n_neighbors: int, manhattan: bool) -> None:
        self._frame, self._distances, self._manhattan = frame, distances, manhattan
        n_rows, length = len(frame.row_sample), _LENGTH if distances.is_kept else _LONGER
        self.length = length + 2 * (n_neighbors - 1)
        sample, label, distance = np.empty((3, n_rows, self.length), dtype=np.int32)
        beyond = np.empty((n_rows, 2), dtype=np.int32)
        self.lists = Lists(sample, label, distance, np.empty(n_rows, dtype=np.int32), beyond)
        self._made_for = np.empty(n_rows, dtype=np.int8)  # additions (1) or removals (-1) from this very subset, or 0
        self.forget()

    def forget(self) -> None:
        """Empty all lists: let there be only the rows themselves, FAR away, and no bound."""
        self.lists.sample[:] = self._frame.row_sample[:, None]
        self.lists.distance[:] = self.lists.nearest[:] = FAR
        self.lists.beyond[:] = -1
        self._made_for[:] = 0

    def move(self, moved: AnyArray, sign: int) -> None:
        """Follow a step."""
        self._made_for[:] = 0
        move_lists(self.lists, self._frame.row_sample, moved, sign, self._manhattan)

    def settle(self, some: Features, direction: Direction, blocks: list[Block], by_lists: Settler) -> Features:
        """Let `by_lists` settle some rows, some of them again with new lists; return those that it leaves open."""
        n_open = np.zeros(len(self._made_for), dtype=np.int64)
        bound = self.lists.beyond[some, 0 if direction.adds else 1]
        self._fill(some[(self.lists.nearest[some] >= bound) & (self._made_for[some] == 0)], direction)
        for block in blocks:
            by_lists(some, block, n_open)
        worn = np.flatnonzero((n_open > _MOST_OPEN) & (self._made_for != direction.sign))
        if len(worn):
            self._fill(worn, direction)
            n_open[worn] = 0
            for block in blocks:
                by_lists(worn, block, n_open)
        return np.flatnonzero(n_open)

    def _fill(self, some: Features, direction: Direction) -> None:
        frame, n_columns = self._frame, self._frame.col_sample.shape[1]
        height = self._distances.height
        width = 2 * self.length  # parts of a row: 1 - exp(-1/2) of their least keys bound as many keys as a list has
        keys = np.full(-(-n_columns // width) * width, FAR, dtype=np.int32)
        for first in range(0, len(some), height):
            few = some[first : first + height]
            places, sums, largest = self._distances.brought(few)
            fill_lists(
                self.lists,
                few,
                places,
                frame.row_sample,
                frame.row_group,
                frame.col_sample,
                frame.col_class,
                sums,
                largest,
                31 if direction.adds else 0,  # additions go by distances alone
                int(width * (1.0 - math.exp(-0.5))),
                keys,
                np.empty(width, dtype=np.int32),
                np.empty(len(keys) + 1, dtype=np.int64),
            )
        self._made_for[some] = direction.sign


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
