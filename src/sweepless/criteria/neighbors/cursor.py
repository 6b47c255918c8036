"""A cursor that keeps the values of the working subset, and lists of near samples, up to date."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from sweepless._typing import AnyArray, Features, Values
from sweepless.criteria.base import Cursor
from sweepless.criteria.neighbors.members import Members, centered_columns
from sweepless.criteria.neighbors.near import NearLists
from sweepless.criteria.neighbors.resources import Threads
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.kernels.neighbors.definition import Frame

if TYPE_CHECKING:
    from sweepless.criteria.neighbors.knn import KNN
    from sweepless.criteria.neighbors.regression import KNNRegression

# Sums of float32 terms must not overflow, and must be greater than the smallest float32.
LARGEST_SUM = 1e30
_SMALLEST_STEP = 1e-43
# If incremental doubles may have lost more than this share of the distances, they are worse than float32.
_LARGEST_LOSS = 2.0**-24


class NeighborCursor(Cursor):
    """Keeps what all k-NN criteria need: the members' values and lists of near samples.

    The error of the filter has two parts: the rounding of float32, which the kernels bound, and `drift`, the rounding
    of the incremental doubles, which is bounded here.
    """

    def __init__(self, criterion: KNN | KNNRegression, data: Dataset, frame: Frame) -> None:
        super().__init__(data)
        self._frame = frame
        self._manhattan = criterion.metric == "manhattan"
        self._threads = Threads(criterion.n_jobs)
        self._n_rows = len(frame.row_sample)
        self._members = Members(data.n_samples, frame.col_sample, self._manhattan)
        self._near = NearLists(frame, self._members, self._manhattan)
        self._lost = 0.0  # a bound on what the incremental doubles have lost since the last rebuild

    def _drift(self, spans: Values) -> float | None:
        """Bound the rounding of the doubles for all neighbours; None if float32 cannot hold the distances."""
        largest = float(self._members.spans.sum()) + float(np.max(spans, initial=0.0))
        return drift_of(len(self._members), largest, self._lost)

    def _centered(self, columns: Values) -> tuple[AnyArray, Values]:
        return centered_columns(columns, self._manhattan)

    def _step(self, direction: Direction, feature: int) -> None:
        column = self.data.columns([feature])[0]
        before = self._members.spans.sum()
        self._members.move(direction, feature, column)
        self._near.move(direction, feature, column)
        after = self._members.spans.sum()
        self._lost += 2.0**-51 * max(before, after)
        # After a wide feature is removed, its rounding errors would hide the narrow ones from the filter.
        if not self._lost <= _LARGEST_LOSS * after:
            self._forget()

    def _rebuild(self) -> None:
        self._members.clear()
        features = np.flatnonzero(self.members)
        for feature, column in zip(features, self.data.columns(features)):
            self._members.add(int(feature), column)
        self._forget()

    def _forget(self) -> None:
        self._near.forget()
        self._lost = 2.0**-51 * len(self._members) * float(self._members.spans.sum())

    def _scan(self, some: Features, makes_lists: bool, use: Callable[[int, Features, AnyArray], None]) -> None:
        """Scan all distances of some rows, make their lists anew if asked to, and hand the distances on."""

        def work(first: int, last: int) -> None:
            for group, few, distances in self._near.scan(some[first:last], makes_lists):
                use(group, few, distances)

        if makes_lists:
            self._near.renew(some)
        if len(some):
            self._threads.spread(len(some), work)


def drift_of(size: int, largest: float, lost: float = 0.0) -> float | None:
    """Bound the rounding of sums of doubles, none above `largest`; None if float32 cannot hold them."""
    drift = lost + 2.0**-51 * (size + 4) * largest + _SMALLEST_STEP
    return float(drift) if largest + drift < LARGEST_SUM else None
