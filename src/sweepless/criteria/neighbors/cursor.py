"""A cursor that keeps the distances of the working subset, and lists of near samples, up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sweepless._typing import AnyArray, Features, Mask, Values
from sweepless.criteria.base import Cursor
from sweepless.criteria.neighbors.distances import Distances
from sweepless.criteria.neighbors.near import NearLists, margins_of
from sweepless.criteria.neighbors.resources import Threads, fits_memory
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.kernels.neighbors.definition import Frame

if TYPE_CHECKING:
    from sweepless.criteria.neighbors.knn import KNN
    from sweepless.criteria.neighbors.regression import KNNRegression

# Sums of float32 terms must not overflow, and must be greater than the smallest float32.
LARGEST_SUM = 1e30
_SMALLEST_STEP = 1e-43
_LARGEST_WHOLE, _WIDEST_WHOLE = 2.0**50, 2.0**16  # differences of such whole numbers are exact, in float32 too
_CELLS = 1 << 16  # values that share the second-level cache


class NeighborCursor(Cursor):
    """Keeps what all k-NN criteria need: the members' values, distances, and lists of near samples if asked to.

    The error of the filter has two parts: the rounding of float32, which the kernels bound, and `drift`, the rounding
    of the distances that are kept and of the definition, which is bounded here.
    """

    def __init__(self, criterion: KNN | KNNRegression, data: Dataset, frame: Frame, is_listed: bool) -> None:
        super().__init__(data)
        self._frame = frame
        self._manhattan = criterion.metric == "manhattan"
        self._threads = Threads(criterion.n_jobs)
        self._n_rows, n_columns = len(frame.row_sample), frame.col_sample.shape[1]
        self._by_group = np.argsort(frame.row_group, kind="stable")  # threads then share few groups, if any
        is_kept = fits_memory(data.n_samples, 8 * self._n_rows * n_columns, criterion.memory_limit)
        self._distances = Distances(frame, data.n_samples, self._manhattan, is_kept)
        shared = criterion.n_neighbors, data, self._threads.n_jobs
        self._near = NearLists(frame, is_kept, *shared) if is_listed else None
        self._middle_of: Values = np.full(data.n_features, np.nan)  # of all features that were candidates
        self._span_of: Values = np.full(data.n_features, np.nan)
        self._is_whole: Mask = np.zeros(data.n_features, dtype=np.bool_)  # features of whole numbers, where known
        self._n_broken = 0  # members with other values
        self._features: Features = np.empty(0, dtype=np.intp)  # the members, ascending
        self._made_rows: Values | None = None
        self._rows_serve = False  # whether they were asked for since the last step
        self._lent: tuple[Features, Values, Features] | None = None
        self._spans: Values = np.empty(0)  # their largest possible terms, whose sum bounds any distance

    @property
    def _rows(self) -> Values:
        """The members' values, one sample per row; made when they are asked for."""
        self._rows_serve = True
        if self._made_rows is None:
            self._made_rows = np.ascontiguousarray(self.data.columns(self._features).T)
        return self._made_rows

    def _members(self) -> tuple[Values, Values, Features]:
        """Return the members' values by sample, if they are at hand, and an array of columns with those of members."""
        if self._lent is None or self._lent[0] is not self._features:
            self._lent = self._features, *self.data.lend(self._features)
        rows = np.empty((0, 0)) if self._made_rows is None else self._made_rows
        return rows, *self._lent[1:]

    def _drift(self, spans: Values) -> float | None:
        """Bound the rounding of distances for all neighbors; None if float32 cannot hold them."""
        largest = self._distances.largest + float(spans.max(initial=0.0))
        return drift_of(len(self._features), largest, self._distances.error())

    def _slots(self, candidates: Features) -> AnyArray:
        """Return the places of candidates among the members."""
        return np.searchsorted(self._features, candidates).astype(np.int64)

    def _ranges(self, candidates: Features) -> tuple[Values, Values]:
        """Return the middles of the candidates' values and the largest terms that they can contribute."""
        unknown = candidates[np.isnan(self._middle_of[candidates])]
        height = max(1, _CELLS // self.data.n_samples)
        for first in range(0, len(unknown), height):
            some = unknown[first : first + height]
            columns, places = self.data.lend(some)
            columns = columns[places]
            self._middle_of[some], self._span_of[some] = self._ranges_of(columns)
            self._is_whole[some] = are_whole(columns)
        return self._middle_of[candidates], self._span_of[candidates]

    def _ranges_of(self, columns: Values) -> tuple[Values, Values]:
        low, high = columns.min(axis=1), columns.max(axis=1)
        with np.errstate(over="ignore"):
            ranges = high - low
            return low + 0.5 * ranges, ranges if self._manhattan else ranges * ranges

    def _centered(self, columns: Values) -> tuple[AnyArray, Values]:
        """Return any columns, centered in float32, and the largest term that each can contribute."""
        middles, spans = self._ranges_of(columns)
        return centered_at(middles, columns), spans

    def _margins(self, spans: Values, drift: float) -> list[AnyArray]:
        """Return what lists need to know of the errors of candidates."""
        return margins_of(spans, drift - self._distances.error())

    def _step(self, direction: Direction, feature: int) -> None:
        moved = np.array([feature])
        (columns, places), (middles, spans) = self.data.lend(moved), self._ranges(moved)
        columns, place = columns[places], int(self._features.searchsorted(feature))
        self._n_broken += direction.sign * (not self._is_whole[feature])
        self._features = direction.moved(self._features, moved)
        self._spans = direction.spliced(self._spans, place, spans[0])
        rows = self._made_rows if self._rows_serve else None
        self._made_rows = None if rows is None else np.ascontiguousarray(direction.spliced(rows, place, columns[0]))
        self._rows_serve = False
        largest = float(self._spans.sum())
        if not self._distances.suits(largest):
            self._begin()
            return
        self._distances.move(columns, middles, direction.sign, largest)

    def _rebuild(self) -> None:
        self._features = np.flatnonzero(self.members)
        self._made_rows = None
        self._spans = self._ranges(self._features)[1]
        self._n_broken = int(np.count_nonzero(~self._is_whole[self._features]))
        self._begin()

    def _begin(self) -> None:
        self._distances.begin(self.data.columns(self._features), *self._ranges(self._features))
        if self._near is not None:
            self._near.begin(len(self._features))


def are_whole(columns: Values) -> Mask:
    """Tell which columns hold only whole numbers, near enough to one another to be exact in float32 when centered."""
    with np.errstate(over="ignore"):
        is_narrow = np.ptp(columns, axis=1) < _WIDEST_WHOLE
    is_narrow &= np.abs(columns[:, 0]) < _LARGEST_WHOLE
    return np.asarray(is_narrow & (columns == np.rint(columns)).all(axis=1))


def centered_at(middles: Values, columns: Values) -> AnyArray:
    """Return columns in float32, around their middles."""
    with np.errstate(over="ignore"):
        return np.asarray(columns - middles[:, None], dtype=np.float32)


def drift_of(size: int, largest: float, lost: float = 0.0) -> float | None:
    """Bound the rounding of distances that have lost so much, none above `largest`; None if float32 cannot hold it."""
    drift = lost + 2.0**-51 * (size + 4) * largest + _SMALLEST_STEP
    return float(drift) if largest + drift < LARGEST_SUM else None
