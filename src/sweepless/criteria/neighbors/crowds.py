"""What is known of samples that coincide: on the members, and in single features."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sweepless._shelf import Shelf
from sweepless._typing import AnyArray, Counts, Features, Mask, Values
from sweepless.dataset import Dataset
from sweepless.kernels.neighbors.codes import VARIOUS, write_codes
from sweepless.kernels.neighbors.definition import Frame
from sweepless.kernels.neighbors.grid import Pairs
from sweepless.kernels.neighbors.spots import settle_by_nearest, spots_of

_CROWD = 16  # as many columns as a list holds: it can prove something unless more samples coincide
_MOST_CODES = 1 << 24  # bytes
_MOST = 16  # what is left of all but one in so many pairs is settled one by one sooner than by lists
_MOST_UNLISTED = 0.75  # of the pairs, if lists leave more open they are not asked any more
SHARE = 32  # if less than one in so many pairs is open, it does not pay to look for samples that coincide


class Crowds:
    """Spots of the working subset, and codes of the features that were candidates; both made when asked for.

    Attributes
    ----------
    is_crowded : bool or None
        Whether more samples coincided than lists can tell apart, when this was last asked.
    settle_most : bool
        Whether the nearest settled most of what was open, when they were last asked. Then they are asked before lists.
    original : array or None
        Of which original each sample is a copy, where spots and codes are those of originals.
    """

    original: Features | None = None

    def __init__(self, data: Dataset) -> None:
        self._shelf = Shelf(data.n_features, max(1, _MOST_CODES // data.n_samples))
        self._codes: AnyArray = np.empty((data.n_samples, self._shelf.n_places), dtype=np.uint8)
        self._found: Values = np.empty(int(VARIOUS))
        self._rows, self._spots = np.empty((0, 0)), np.empty(0, dtype=np.int64)
        self.is_crowded: bool | None = None
        self.settle_most = True
        self._n_unlisted = 0  # up to so many members, lists proved little about removals

    def of(self, rows: Values, candidates: Features, columns: Values, places: Features) -> Crowd | None:
        """Return the crowd of a step that adds one of some candidates; None if there was none when last asked."""
        if self.is_crowded is False:
            return None
        spots = self.spots(rows)
        return Crowd(self, spots, *self._coded(candidates, columns, places)) if self.is_crowded else None

    def spots(self, rows: Values) -> Counts:
        """Return the spots of all samples, whose values of the members are given."""
        if self.knows(rows):
            return self._spots
        spots = self._find(rows)
        self.is_crowded = bool(np.bincount(spots).max() > _CROWD)
        self._spots = spots = spots if self.original is None else spots[self.original]
        self._rows = rows  # last, since other threads may ask at the same time
        return spots

    def knows(self, rows: Values) -> bool:
        """Tell whether the spots are known."""
        return rows is self._rows

    def has_lists(self, size: int) -> bool:
        """Tell whether lists may prove enough about removals from so many members: they are full of what coincides."""
        return not (self.is_crowded and size <= self._n_unlisted)

    def note_lists(self, size: int, n_open: int, n_pairs: int) -> None:
        """Take note of how many pairs lists left open that were asked about removals from so many members."""
        if self.is_crowded and n_open > _MOST_UNLISTED * n_pairs:
            self._n_unlisted = size

    def _find(self, rows: Values) -> Counts:
        return spots_of(rows)

    def _coded(self, candidates: Features, columns: Values, places: Features) -> tuple[AnyArray, Features]:
        """Return codes of values, sample by sample, and where those of the candidates are, given their columns."""
        if len(candidates) > self._shelf.n_places:
            own: AnyArray = np.empty((len(self._codes), len(candidates)), dtype=np.uint8)
            at = np.arange(len(candidates))
            write_codes(columns, places, at, self._found, own)
            return own, at
        at, is_fresh = self._shelf.places(candidates)
        if is_fresh.any():
            write_codes(columns, places[is_fresh], at[is_fresh], self._found, self._codes)
        return self._codes, at


class CopiedCrowds(Crowds):
    """The same for copies that are scaled in several ways: where originals are equal, so are the copies of a kind."""

    def __init__(self, originals: Dataset, n_copies: int, members: Callable[[], Features]) -> None:
        super().__init__(originals)
        self._originals, self._members = originals.in_column_order(), members
        self.original = np.tile(np.arange(originals.n_samples), n_copies)

    def _find(self, rows: Values) -> Counts:
        return spots_of(np.ascontiguousarray(self._originals.columns(self._members()).T))

    def _coded(self, candidates: Features, columns: Values, places: Features) -> tuple[AnyArray, Features]:
        return super()._coded(candidates, *self._originals.lend(candidates))


class Crowd:
    """Settles rows in one step of additions by who was the nearest before, if that one has the row's value."""

    def __init__(self, crowds: Crowds, spots: Counts, codes: AnyArray, at: Features) -> None:
        self._crowds, self._coincide = crowds, (spots, codes, at)

    def settle(
        self,
        some: Features,
        frame: Frame,
        rows: Values,
        pairs: Pairs,
        unit: float,
        drift: float,
        n_neighbors: int,
        manhattan: bool,
        gains: Counts | None,
        is_open: Mask,
        correct: Counts,
    ) -> Features:
        """Count the open rows among some that are settled; return those that stay open."""
        n_before = np.count_nonzero(is_open)
        if SHARE * n_before < is_open.size:
            return some
        by_definition = rows, *self._coincide, self._crowds.original, drift, n_neighbors, manhattan
        settle_by_nearest(frame, pairs, unit, *by_definition, some, gains, is_open, correct)
        self._crowds.settle_most = bool(_MOST * np.count_nonzero(is_open) < n_before)
        return some[is_open[some].any(axis=1)]
