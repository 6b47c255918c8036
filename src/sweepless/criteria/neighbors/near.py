"""Lists of near samples, one per row, which follow the steps and are made anew where they prove too little."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Mask, Values
from sweepless.criteria.neighbors.resources import Spares, Threads
from sweepless.kernels._lanes import WIDTH, aligned
from sweepless.kernels.neighbors.abreast import FEW, lay_abreast
from sweepless.kernels.neighbors.definition import OFFSET, SLOPE, Frame
from sweepless.kernels.neighbors.grid import FAR
from sweepless.kernels.neighbors.lists import LANES, Lists, Room

# The length of a list for one neighbor, and how many more for each further one. It is worth more to survive where no
# distances are kept.
_LENGTH, _LONGEST, _MORE = 64, 128, 16
_PER_PAIR = 8  # values are laid out in the time that settling a pair takes


class Block(NamedTuple):
    """Some candidates, from `first` to `last`: their values side by side, sample by sample, in whole vectors."""

    first: int
    last: int
    beside: AnyArray
    margin: AnyArray  # what float32 may lose between two distances, per candidate; and zeros, for exact ones


Settler: TypeAlias = Callable[[Features, Block, Room, Counts], None]
"""Settles what the lists prove about some rows, and counts per row the eights of candidates that it leaves open."""


class NearLists:
    """One list per row (see `kernels.neighbors.lists`)."""

    def __init__(self, frame: Frame, is_kept: bool, n_neighbors: int) -> None:
        self._frame, self._is_kept, self._n_neighbors = frame, is_kept, n_neighbors
        self.n_columns, self.length = frame.col_sample.shape[1], 0
        self._beside: list[AnyArray] = []
        self._rooms = Spares(self._room)
        self.begin(0)

    def begin(self, n_members: int) -> None:
        """Begin with empty lists: let there be only the rows themselves, FAR away, and no bound."""
        length = (_LENGTH if self._is_kept else _LONGEST) + _MORE * (self._n_neighbors - 1)
        length = -(-length // WIDTH) * WIDTH
        rows = self._frame.row_sample
        if length != self.length:
            self.length = length
            sample, label, distance, terms = aligned(4 * len(rows), length, np.int32).reshape(4, len(rows), length)
            ends, beyond = np.empty((len(rows), 3), dtype=np.int32), np.empty((len(rows), 2), dtype=np.int32)
            nearest, farthest = np.empty((2, len(rows)), dtype=np.int32)
            made_for, n_done = np.empty(len(rows), dtype=np.int8), np.empty(len(rows), dtype=np.int64)
            reach = np.empty(len(rows), dtype=np.int32)
            self.lists = Lists(sample, label, distance, terms, ends, nearest, farthest, beyond, made_for, n_done, reach)
        self.lists.sample[:], self.lists.label[:] = rows[:, None], -1
        self.lists.distance[:] = self.lists.nearest[:] = self.lists.reach[:] = FAR
        self.lists.largest[:] = self.lists.ends[:] = self.lists.farthest[:] = self.lists.made_for[:] = 0
        self.lists.beyond[:], self.lists.n_done[:] = -1, n_members

    def settle(self, some: Features, blocks: list[Block], by_lists: Settler) -> Features:
        """Let `by_lists` settle some rows; return those that it leaves open."""
        n_open, room = np.zeros(len(self.lists.made_for), dtype=np.int64), self._rooms.take()
        for block in blocks:
            by_lists(some, block, room, n_open)
        self._rooms.give(room)
        return np.flatnonzero(n_open)

    def blocks(
        self, columns: Values, places: Features, middles: Values, spans: Values, drift: float, threads: Threads
    ) -> list[Block]:
        """Lay out the candidates at some places in blocks that fill whole vectors; they are valid until the next ones.

        The arrays are filled again and again: new ones would come from the system, page by page.
        """
        margins = 2.0 * ((OFFSET + SLOPE) * spans + drift) * (1.0 + 1e-6)
        n_samples, blocks = columns.shape[1], []
        for k, first in enumerate(range(0, len(spans), LANES)):
            last = min(first + LANES, len(spans))
            width, lanes = last - first, -(-(last - first) // WIDTH) * WIDTH
            if k == len(self._beside):
                self._beside.append(aligned(n_samples, LANES).reshape(-1))
            margin = np.zeros((2, lanes), dtype=np.float32)
            margin[0, :width], margin[0, width:] = margins[first:last], margins[first]
            blocks.append(Block(first, last, self._beside[k][: n_samples * lanes].reshape(n_samples, lanes), margin))

        def lay_out(start: int, stop: int) -> None:
            pad = aligned(WIDTH, FEW)
            for first, last, beside, _ in blocks:
                lay_abreast(columns, places[first:last], middles[first:last], pad, beside, start, stop)

        threads.spread(n_samples, lay_out, len(spans) // _PER_PAIR)
        return blocks

    def _room(self) -> Room:
        """Return working space for one thread; a row has twice as many parts as a list has columns."""
        keys, columns = aligned(2, self.n_columns + WIDTH, np.int32).reshape(2, 1, -1)
        least, there = aligned(1, 2 * self.length, np.int32), aligned(1, self.length)
        return Room(keys[:, : self.n_columns], least, columns, there)


def open_mask(n_rows: int, some: Features, n_candidates: int) -> Mask:
    """Return a mask of rows and candidates, as wide as all blocks, in which some rows are open."""
    is_open = np.zeros((n_rows, -(-n_candidates // WIDTH) * WIDTH), dtype=np.bool_)
    is_open[some if len(some) < n_rows else slice(None), :n_candidates] = True
    return is_open
