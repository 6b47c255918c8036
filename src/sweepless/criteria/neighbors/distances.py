"""The distances of all pairs of samples for the working subset, of which rows are brought up to date when needed."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from sweepless._typing import AnyArray, Features, Values
from sweepless.kernels._lanes import aligned
from sweepless.kernels.neighbors.definition import CELLS, Frame
from sweepless.kernels.neighbors.grid import Pairs, grid_error, show_rows

_FINEST, _BEGIN, _COARSEST = 2.0**26, 2.0**29, 1e9  # what the sum of the spans may be on the grid
_TINIEST, _HUGEST = 1e-30, 1e30  # sums of spans for which float32 serves
_MOST_MOVES = 32  # in the log, besides twice the members: starting anew costs as much as one more move each time


class Distances:
    """Distances on a grid of whole numbers (see `kernels.neighbors.grid`), and the log of moves that they follow.

    Attributes
    ----------
    is_kept : bool
        Whether distances are kept, or computed from scratch whenever a row is asked for.
    largest : float
        The sum of the members' spans, which no distance exceeds.
    """

    def __init__(self, frame: Frame, n_samples: int, manhattan: bool, is_kept: bool) -> None:
        self._frame, self._manhattan, self._n_samples = frame, manhattan, n_samples
        self._n_rows, self._n_columns = len(frame.row_sample), frame.col_sample.shape[1]
        self.is_kept = is_kept
        height = self._n_rows if is_kept else 0
        self._sums, self._largest = aligned(2 * height, self._n_columns, np.int32).reshape(2, height, self._n_columns)
        self._n_done = np.zeros(self._n_rows, dtype=np.int64)
        self.begin(np.empty((0, n_samples)), np.empty(0), np.empty(0))

    def begin(self, columns: Values, middles: Values, spans: Values) -> None:
        """Start from scratch with the columns of all members, their middles and their largest terms."""
        whole = float(spans.sum())
        # A power of two, by which float32 multiplies without rounding; any where everything is left to the definition.
        self._scale = 2.0 ** math.floor(math.log2(_BEGIN / whole)) if _TINIEST < whole < _HUGEST else 1.0
        self._unit = 1.0 / self._scale
        self._size, self._n_moves, self.largest = 0, 0, whole
        room = 2 * len(columns) + _MOST_MOVES
        self._signs, self._ranges = np.empty(room, dtype=np.int8), np.empty((room, 2), dtype=np.float32)
        self._moved = np.empty((room, self._n_samples), dtype=np.float32)
        shape = self._frame.col_sample.shape
        self._gathered = aligned(room * shape[0], shape[1]).reshape(room, *shape)
        self._n_done[:] = 0
        self._note(columns, middles, 1)

    def suits(self, largest: float) -> bool:
        """Tell whether the grid and the log can go on with a subset whose spans have this sum."""
        return self._n_moves < len(self._signs) and _FINEST <= largest * self._scale <= _COARSEST

    def move(self, columns: Values, middles: Values, sign: int, largest: float) -> None:
        """Take note of a feature that came or went, and of the sum of the spans that the members have now."""
        self.largest = largest
        self._note(columns, middles, sign)

    def scaled(self, columns: Values, middles: Values) -> AnyArray:
        """Return columns as the grid needs them: centered and scaled."""
        factor = self._scale if self._manhattan else math.sqrt(self._scale)
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray((columns - middles[:, None]) * factor, dtype=np.float32)

    def _note(self, columns: Values, middles: Values, sign: int) -> None:
        """Add columns to the log, sample by sample, and once more by group and column."""
        first, self._n_moves = self._n_moves, self._n_moves + len(columns)
        moved = self._moved[first : self._n_moves]
        moved[:] = self.scaled(columns, middles)
        self._signs[first : self._n_moves] = sign
        if sign < 0:
            self._ranges[first : self._n_moves] = np.stack([moved.min(axis=1), moved.max(axis=1)], axis=1)
        np.take(moved, self._frame.col_sample, axis=1, out=self._gathered[first : self._n_moves], mode="clip")
        self._size += sign * len(moved)

    @property
    def grid(self) -> tuple[float, float, float]:
        """The unit, the largest possible distance, and what rounding to whole numbers may lose."""
        return self._unit, self.largest, 0.5 * self._unit * self._size

    def error(self) -> float:
        """Bound the error of any distance."""
        _, largest, units = self.grid
        return float(grid_error(largest, largest, units, self._manhattan))

    def pairs(self) -> Pairs:
        """Return what kernels bring up to date, row by row; each thread asks for its own."""
        n_done, sums, largest = self._n_done, self._sums, self._largest
        if not self.is_kept:
            n_done = np.zeros_like(n_done)
            sums, largest = np.empty((2, 1, self._n_columns), dtype=np.int32)
        moved = self._moved[: self._n_moves]
        return Pairs(moved, self._gathered, self._signs, self._ranges, n_done, sums, largest)

    def in_blocks(self, some: Features) -> Iterator[tuple[Features, AnyArray]]:
        """Yield a few of some rows at a time, and their distances."""
        height = max(8, CELLS // self._n_columns)
        for first in range(0, len(some), height):
            few = some[first : first + height]
            yield few, self.shown(few)

    def shown(self, some: Features) -> AnyArray:
        """Return the distances of some rows."""
        found = np.empty((len(some), self._n_columns), dtype=np.float32)
        show_rows(self._frame, self.pairs(), some, self._unit, self._manhattan, found)
        return found
