"""A cursor that keeps the distances of the working subset, and lists of near samples, up to date."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Mask, Values
from sweepless.criteria.base import Cursor
from sweepless.criteria.neighbors.layout import allowed
from sweepless.criteria.neighbors.resources import Threads, fits_memory
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.kernels.neighbors.definition import Frame, shift_base
from sweepless.kernels.neighbors.lists import nearest_lists, settle_by_lists

if TYPE_CHECKING:
    from sweepless.criteria.neighbors.knn import KNN
    from sweepless.criteria.neighbors.regression import KNNRegression

# Sums of float32 terms must not overflow, and must be greater than the smallest float32.
LARGEST_SUM = 1e30
_SMALLEST_STEP = 1e-43
# If incremental doubles may have lost more than this share of the distances, they are worse than float32.
_LARGEST_LOSS = 2.0**-24
# How many columns are listed for small subsets, and for larger ones, where a step changes less. An unlisted column is
# bounded by its distance in an addition, and by its distance without the largest term in a removal.
_LENGTHS = {Direction.ADD: (16, 8), Direction.REMOVE: (16, 16)}
_LARGER_FROM = 16  # features


class NeighborCursor(Cursor):
    """Keeps what all k-NN criteria need: squared (or absolute) distances, the members' values, lists of near samples.

    The error of the filter has two parts: the rounding of float32, which the kernels bound, and `drift`, the rounding
    of the incremental doubles, which is bounded here.
    """

    def __init__(
        self, criterion: KNN | KNNRegression, data: Dataset, frame: Frame, listed: Sequence[Frame] = ()
    ) -> None:
        super().__init__(data)
        self._frame = frame
        self._manhattan = criterion.metric == "manhattan"
        self._threads = Threads(criterion.n_jobs)
        self._n_rows, n_columns = len(frame.row_sample), frame.col_sample.shape[1]
        self._keeps_distances = fits_memory(
            data.n_samples, (16 if listed else 12) * self._n_rows * n_columns, criterion.memory_limit
        )
        n_kept = self._n_rows if self._keeps_distances else 0
        self._base = np.zeros((n_kept, n_columns))
        self._filtered = np.zeros((n_kept, n_columns), dtype=np.float32)
        self._largest = np.zeros((n_kept if listed else 0, n_columns), dtype=np.float32)  # the largest term of a pair
        self._features = np.empty(0, dtype=np.intp)  # the members, ascending
        self._rows = np.empty((data.n_samples, 0))  # their values, one sample per row
        self._spans = np.empty(0)  # their largest possible terms, whose sum bounds any distance
        self._lost = 0.0  # a bound on what the incremental doubles have lost since the last rebuild
        self._due: tuple[AnyArray, int] | None = None  # a feature that came (1) or went (-1) since the last peek
        self._lists = {
            direction: [NearLists(each, direction, self._manhattan) for each in listed] for direction in Direction
        }
        self._recompute()

    def _drift(self, spans: Values) -> float | None:
        """Bound the rounding of the doubles for all neighbours; None if float32 cannot hold the distances."""
        largest = self._spans.sum() + float(np.max(spans, initial=0.0))
        return drift_of(len(self._features), largest, self._lost)

    def _slots(self, candidates: Features) -> AnyArray:
        """Return the places of candidates among the members."""
        return np.searchsorted(self._features, candidates).astype(np.int64)

    def _centered(self, columns: Values) -> tuple[AnyArray, Values]:
        """Return the columns, centred in float32, and the largest term that each can contribute."""
        low, high = columns.min(axis=1), columns.max(axis=1)
        ranges = high - low
        with np.errstate(over="ignore"):
            centered = np.empty(columns.shape, dtype=np.float32)
            np.subtract(columns, (low + 0.5 * ranges)[:, None], out=centered, casting="same_kind")
            return centered, ranges if self._manhattan else ranges * ranges

    def _near(self, direction: Direction) -> list[NearLists]:
        """Bring the distances and the lists of near samples up to date; return the lists, if there are any.

        Both are done in one pass over the rows, while these are in the cache and the threads are at work.
        """
        due, self._due = self._due, None
        lists = self._lists[direction] if len(self._features) else []
        stale = [each for each in lists if each.is_stale]
        for each in stale:
            each.begin(len(self._features))

        def work(first: int, last: int) -> None:
            if due is not None:
                self._shift(*due, first, last)
            for each in stale:
                each.fill(self._filtered, self._largest, self._rows, first, last)

        if due is not None or stale:
            self._threads.spread(self._n_rows, work)
        return lists

    def _step(self, direction: Direction, feature: int) -> None:
        if self._due is not None:  # two steps and no peek between them
            due = self._due
            self._threads.spread(self._n_rows, lambda first, last: self._shift(*due, first, last))
        column = self.data.columns([feature])
        place = int(np.searchsorted(self._features, feature))
        before = self._spans.sum()
        self._features = direction.spliced(self._features, place, feature)
        self._spans = direction.spliced(self._spans, place, self._centered(column)[1][0])
        self._rows = np.ascontiguousarray(direction.spliced(self._rows, place, column[0]))
        self._due = (column[0], direction.sign) if self._keeps_distances else None
        self._forget_lists()
        self._lost += 2.0**-51 * max(before, self._spans.sum()) if self._keeps_distances else 0.0
        # After a wide feature is removed, its rounding errors would hide the narrow ones from the filter.
        if not self._lost <= _LARGEST_LOSS * self._spans.sum():
            self._recompute()

    def _rebuild(self) -> None:
        self._features = np.flatnonzero(self.members)
        self._recompute()

    def _recompute(self) -> None:
        columns = self.data.columns(self._features)
        self._rows = np.ascontiguousarray(columns.T)
        self._spans = self._centered(columns)[1] if len(columns) else np.empty(0)
        self._lost = 2.0**-51 * len(columns) * self._spans.sum()
        self._due = None
        self._forget_lists()
        if not self._keeps_distances:
            return
        self._base[:] = np.where(allowed(self._frame), 0.0, np.inf)
        self._filtered[:] = self._base
        self._largest[:] = 0.0

        def work(first: int, last: int) -> None:
            for column in columns:
                self._shift(column, 1, first, last)

        self._threads.spread(self._n_rows, work)

    def _forget_lists(self) -> None:
        for lists in self._lists.values():
            for each in lists:
                each.is_stale = True

    def _shift(self, column: AnyArray, sign: int, first: int, last: int) -> None:
        """Add (sign 1) or subtract (-1) a feature's terms in some rows."""
        gathered = column[self._frame.col_sample]
        shift_base(
            self._frame.row_sample,
            self._frame.row_group,
            self._frame.col_sample,
            self._rows,
            column,
            gathered,
            float(sign),
            self._manhattan,
            first,
            last,
            np.empty(gathered.shape[1]),
            self._base,
            self._filtered,
            self._largest if len(self._largest) else None,
        )


def drift_of(size: int, largest: float, lost: float = 0.0) -> float | None:
    """Bound the rounding of sums of doubles, none above `largest`; None if float32 cannot hold them."""
    drift = lost + 2.0**-51 * (size + 4) * largest + _SMALLEST_STEP
    return float(drift) if largest + drift < LARGEST_SUM else None


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
