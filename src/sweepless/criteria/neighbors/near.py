"""Lists of near samples, one per row, which follow the steps and are made anew where they prove too little."""

from __future__ import annotations

from collections.abc import Callable
from threading import get_ident
from typing import NamedTuple, TypeAlias

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Mask, Values
from sweepless.criteria.neighbors.resources import Spares
from sweepless.dataset import Dataset
from sweepless.kernels._lanes import WIDTH, aligned
from sweepless.kernels.neighbors.abreast import FEW, lay_abreast
from sweepless.kernels.neighbors.definition import OFFSET, SLOPE, Frame
from sweepless.kernels.neighbors.grid import FAR
from sweepless.kernels.neighbors.lists import LANES, Lists, Room

# The length of a list for one neighbor, and how many more for each further one. It is worth more to survive where no
# distances are kept.
_LENGTH, _LONGEST, _MORE = 64, 128, 16
# Values that stay laid out from step to step, by all threads together: 128 megabytes; 16 of what is sparse or computed.
_KEPT, _KEPT_OF_OTHERS = 1 << 25, 1 << 22
_SWEPT = 0.95  # of what is laid out: so many candidates are valued among all of these, since laying out takes a tenth


class Block(NamedTuple):
    """Some candidates, from `first` to `last`: their values side by side, sample by sample, in whole vectors."""

    first: int
    last: int
    beside: AnyArray
    margin: AnyArray  # what float32 may lose between two distances, per candidate; and zeros, for exact ones


class Laid:
    """What a thread has laid out, in arrays that are filled again and again: new ones would come page by page."""

    def __init__(self, n_samples: int, most: int) -> None:
        self._n_samples, self._most, self.pad = n_samples, most, aligned(WIDTH, FEW)
        self._everyone: Features | None = None  # all candidates of the step
        self._parts: dict[int, list[AnyArray]] = {}  # of these, by the place of the first one
        self._rooms: list[AnyArray] = []

    def part(self, everyone: Features, first: int, lay_out: Callable[[], list[AnyArray]]) -> list[AnyArray]:
        """Return a part of all candidates, laid out if it is not, or if too many others were."""
        if self._everyone is not everyone:
            self._everyone, self._parts = everyone, {}
        if first not in self._parts:
            if len(everyone) > self._most:
                self._parts = {}
            self._parts[first] = lay_out()  # not if that is interrupted
        return self._parts[first]

    def rooms(self, widths: list[int]) -> list[AnyArray]:
        """Return arrays behind those of the parts that are kept."""
        n_used = sum(map(len, self._parts.values()))
        while len(self._rooms) < n_used + len(widths):
            self._rooms.append(aligned(self._n_samples, LANES).reshape(-1))
        free = self._rooms[n_used : n_used + len(widths)]
        return [room[: self._n_samples * lanes].reshape(-1, lanes) for room, lanes in zip(free, widths)]


Settler: TypeAlias = Callable[[Features, Block, Room, Counts], None]
"""Settles what the lists prove about some rows, and counts per row the eights of candidates that it leaves open."""


class NearLists:
    """One list per row (see `kernels.neighbors.lists`)."""

    def __init__(self, frame: Frame, is_kept: bool, n_neighbors: int, data: Dataset, n_threads: int) -> None:
        self._frame, self._is_kept, self._n_neighbors = frame, is_kept, n_neighbors
        self.n_columns, self.length = frame.col_sample.shape[1], 0
        self._n_samples = data.n_samples
        self._most = (_KEPT if data.is_array else _KEPT_OF_OTHERS) // (data.n_samples * n_threads)
        self._laid: dict[int, Laid] = {}  # by thread
        self._swept: Features = np.empty(0, dtype=np.intp)  # what was laid out in the last sweep
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

    def among(self, candidates: Features) -> tuple[Features, Features | None]:
        """Return candidates among which to value some, and the places of these; mostly they are these themselves.

        A sweep leaves out few of the candidates of the last one, which are laid out already.
        """
        swept, n_candidates = self._swept, len(candidates)
        if _SWEPT * len(swept) <= n_candidates <= len(swept):
            places = swept.searchsorted(candidates)
            if np.array_equal(swept.take(places, mode="clip"), candidates):
                return swept, places
        candidates = candidates.copy()  # they are known by identity
        if len(candidates) <= self._most and (candidates[1:] > candidates[:-1]).all():
            self._swept = candidates
        return candidates, None

    def blocks(
        self,
        everyone: Features,
        first: int,
        columns: Values,
        places: Features,
        middles: Values,
        margins: list[AnyArray],
    ) -> list[Block]:
        """Lay out some of all candidates in blocks that fill whole vectors; they are valid until the next step.

        These are at some `places` among columns, and follow one another from the `first` on. Every thread lays them out
        for itself: what one core has written takes the other longer to fetch than to make.
        """
        if (laid := self._laid.get(get_ident())) is None:
            laid = self._laid[get_ident()] = Laid(self._n_samples, self._most)
        edges = [0]
        for margin in margins:
            edges.append(min(edges[-1] + margin.shape[1], len(places)))

        def lay_out() -> list[AnyArray]:
            found = laid.rooms([margin.shape[1] for margin in margins])
            for beside, start, stop in zip(found, edges, edges[1:]):
                lay_abreast(columns, places[start:stop], middles[start:stop], laid.pad, beside, 0, self._n_samples)
            return found

        part = laid.part(everyone, first, lay_out)
        return [Block(*each) for each in zip(edges, edges[1:], part, margins)]

    def _room(self) -> Room:
        """Return working space for one thread; a row has twice as many parts as a list has columns."""
        keys, columns = aligned(2, self.n_columns + WIDTH, np.int32).reshape(2, 1, -1)
        least, there = aligned(1, 2 * self.length, np.int32), aligned(1, self.length)
        return Room(keys[:, : self.n_columns], least, columns, there)


def margins_of(spans: Values, drift: float) -> list[AnyArray]:
    """Return what float32 may lose between two distances, for blocks of candidates; pads get what the first one has."""
    margins, found = 2.0 * ((OFFSET + SLOPE) * spans + drift) * (1.0 + 1e-6), []
    for first in range(0, len(spans), LANES):
        some = margins[first : first + LANES]
        margin = np.zeros((2, -(-len(some) // WIDTH) * WIDTH), dtype=np.float32)
        margin[0, : len(some)], margin[0, len(some) :] = some, some[0]
        found.append(margin)
    return found


def open_mask(n_rows: int, some: Features, n_candidates: int, asked: Mask | None = None) -> Mask:
    """Return a mask of rows and candidates, as wide as all blocks, in which some rows are open: for those asked for."""
    is_open = np.zeros((n_rows, -(-n_candidates // WIDTH) * WIDTH), dtype=np.bool_)
    row = is_open[0].copy()
    row[:n_candidates] = True if asked is None else asked
    is_open[some if len(some) < n_rows else slice(None)] = row
    return is_open
