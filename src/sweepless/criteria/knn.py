"""k-NN accuracy by cross-validation: the wrapper criterion of the paper."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from joblib import effective_n_jobs

from sweepless._checks import one_of, whole
from sweepless._typing import AnyArray, Counts, Features, Values
from sweepless.criteria.base import Criterion, Cursor, require_members
from sweepless.criteria.folds import positional_folds
from sweepless.criteria.knn_layout import allowed, cross_validation, holdout
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.errors import DataError
from sweepless.kernels.neighbor_filter import count_correct
from sweepless.kernels.neighbor_lists import nearest_lists, settle_by_lists
from sweepless.kernels.neighbor_probes import count_correct_anywhere
from sweepless.kernels.neighbor_singles import count_correct_alone
from sweepless.kernels.neighbors import count_correct_by_definition, shift_base

# Neighbours listed per row, and one more that bounds the rest: the larger the subset, the less a feature can
# change, and the fewer are needed.
_LISTED_LONG, _LISTED_SHORT = 16 + 1, 8 + 1
_SHORT_FROM = 16  # features in the subset
# Sums of float32 terms must neither overflow nor drown in the smallest float32.
_LARGEST_SUM = 1e30
_SMALLEST_STEP = 1e-43
# Beyond this share of the distances the lost digits outweigh those that float32 does not have.
_LARGEST_LOSS = 2.0**-24


@dataclass(frozen=True)
class KNN(Criterion):
    """Mean accuracy over the folds of a k-NN classifier.

    Parameters
    ----------
    n_neighbors : int
        The nearest `n_neighbors` vote; equal votes go to the lowest class.
    folds : int or "loo"
        Number of positional stratified folds, contiguous within each class, no shuffling; or leave-one-out.
    ties : {"class", "index"}
        Which of several equally distant samples is nearer: the one of the lowest class, then the
        lowest row (the paper), or simply the lowest row (scikit-learn). On sparse or discrete data this
        changes results, so it is part of the criterion.
    metric : {"euclidean", "manhattan"}
    n_jobs : int
        Threads over candidates, -1 for all cores; the values do not depend on it.
    memory_limit : int
        Bytes that the distances of the working subset may take, 12 per pair of samples. Beyond, they are
        computed anew where they are needed, which is slower, and a warning says so.

    Notes
    -----
    A peek costs O(n²) per candidate at worst, whatever the size of the subset; mostly O(n).
    Values are those of the definition, bit for bit: doubles summed in ascending feature order.
    """

    n_neighbors: int = 1
    folds: int | Literal["loo"] = 3
    ties: Literal["class", "index"] = "class"
    metric: Literal["euclidean", "manhattan"] = "euclidean"
    n_jobs: int = field(default=1, repr=False, compare=False)
    memory_limit: int = field(default=4 * 2**30, repr=False, compare=False)

    def __post_init__(self) -> None:
        whole("n_neighbors", self.n_neighbors, 1)
        if self.folds != "loo":
            whole("folds", self.folds, 2)
        one_of("ties", self.ties, ("class", "index"))
        one_of("metric", self.metric, ("euclidean", "manhattan"))
        whole("memory_limit", self.memory_limit, 0)

    def __repr__(self) -> str:
        metric = "" if self.metric == "euclidean" else f", metric={self.metric!r}"
        return f"KNN(n_neighbors={self.n_neighbors}, folds={self.folds!r}, ties={self.ties!r}{metric})"

    def bind(self, data: Dataset) -> KNNCursor:
        return KNNCursor(self, data)

    def validate(self, train: Dataset, test: Dataset, members: Features) -> float:
        """Return the share of `test` that the classifier trained on all of `train` gets right."""
        members = require_members(members)
        known = {label: code for code, label in enumerate(train.classes.tolist())}
        test_codes = np.array([known.get(label, -1) for label in test.target.tolist()], dtype=np.int64)
        frame = holdout(train.codes, test_codes, self.ties)
        columns = np.hstack([train.columns(members), test.columns(members)])
        correct = count_correct_by_definition(frame, columns, self.n_neighbors, 1, self.metric == "manhattan")
        return int(correct[0]) / test.n_samples


class KNNCursor(Cursor):
    """Keeps the distances of the working subset and certifies or settles every neighbour."""

    def __init__(self, criterion: KNN, data: Dataset) -> None:
        super().__init__(data)
        data.require_classes()
        data.require_variation()
        self.criterion = criterion
        self._manhattan = criterion.metric == "manhattan"
        n_samples = data.n_samples
        if criterion.folds == "loo":
            folds, accounts = np.arange(n_samples), np.zeros(n_samples, dtype=np.int64)
        else:
            folds = accounts = positional_folds(data.codes, criterion.folds)
        self._n_accounts = 1 if criterion.folds == "loo" else criterion.folds
        self._account_sizes = np.bincount(accounts, minlength=self._n_accounts)
        smallest = int(n_samples - np.bincount(folds).max())
        if criterion.n_neighbors > smallest:
            raise DataError(
                f"`n_neighbors` must be at most {smallest}, the smallest training part of "
                f"{criterion.folds} folds of {data.name}, got {criterion.n_neighbors}."
            )
        self._frame = cross_validation(data.codes, folds, accounts, criterion.ties)
        self._n_jobs = effective_n_jobs(criterion.n_jobs)
        self._threads: ThreadPoolExecutor | None = None
        self._keeps_distances = self._fits_memory(n_samples * self._frame.col_sample.shape[1])
        shape = (n_samples if self._keeps_distances else 0, self._frame.col_sample.shape[1])
        self._base = np.zeros(shape)
        self._filtered = np.zeros(shape, dtype=np.float32)
        self._features = np.empty(0, dtype=np.intp)  # the members, ascending
        self._rows = np.empty((n_samples, 0))  # their values, one sample per row
        self._spans = np.empty(0)  # their largest possible terms: together a bound on any distance
        self._lost = 0.0  # a bound on what the incremental doubles have lost since the last rebuild
        listed = (n_samples, _LISTED_LONG if criterion.n_neighbors == 1 else 0)
        self._lists = (  # the nearest neighbours: distances, columns, samples, whether of the same class
            np.empty(listed, dtype=np.float32),
            np.full(listed, -1, dtype=np.int32),
            np.empty(listed, dtype=np.int32),
            np.empty(listed, dtype=np.bool_),
        )
        self._n_listed = _LISTED_LONG
        self._lists_are_stale = True
        self._recompute()

    def _fits_memory(self, n_pairs: int) -> bool:
        needed, limit = 12 * n_pairs, self.criterion.memory_limit
        if needed > limit:
            warnings.warn(
                f"the distances of {self.data.n_samples:,} samples would take {needed / 2**30:.1f} GiB, more than "
                f"the memory limit of {limit / 2**30:.1f} GiB; they are computed anew where needed, which is slower.",
                stacklevel=4,
            )
        return needed <= limit

    def evaluate(self, members: Features) -> float:
        columns = self.data.columns(require_members(members))
        correct = count_correct_by_definition(
            self._frame, columns, self.criterion.n_neighbors, self._n_accounts, self._manhattan
        )
        return float(self._means(correct[None, :])[0])

    def evaluate_many(self, subsets: list[Features]) -> Values:
        correct = np.zeros((len(subsets), self._n_accounts), dtype=np.int64)

        def work(first: int, last: int) -> None:
            for k in range(first, last):
                columns = self.data.columns(require_members(subsets[k]))
                centred, spans = self._centred(columns)
                if spans.sum() < _LARGEST_SUM:
                    count_correct_anywhere(
                        self._frame,
                        columns,
                        centred,
                        spans.sum(),
                        self.criterion.n_neighbors,
                        self._manhattan,
                        correct[k],
                    )
                else:
                    correct[k] = count_correct_by_definition(
                        self._frame, columns, self.criterion.n_neighbors, self._n_accounts, self._manhattan
                    )

        self._spread(len(subsets), work)
        return self._means(correct)

    def _means(self, correct: Counts) -> Values:
        """Average the fold accuracies in fold order; an empty fold counts 0 (METHOD 7.1.2)."""
        total = np.zeros(len(correct))
        for account, size in enumerate(self._account_sizes.tolist()):
            if size:
                total += correct[:, account] / size
        return total / self._n_accounts

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        columns = self.data.columns(candidates)
        correct = np.zeros((len(candidates), self._n_accounts), dtype=np.int64)
        own_columns = self._frame.col_fold.shape[0] > 1
        if len(self._features) == 0 and self.criterion.n_neighbors == 1 and own_columns:
            self._count_alone(columns, correct)
            return self._means(correct)
        centred, spans = self._centred(columns)
        largest = self._spans.sum() + float(np.max(spans, initial=0.0))
        drift = self._lost + 2.0**-51 * (len(self._features) + 4) * largest + _SMALLEST_STEP
        if not largest + drift < _LARGEST_SUM:
            return super()._peek(direction, candidates)
        self._refresh_lists()
        slots = np.searchsorted(self._features, candidates).astype(np.int64)
        is_open = np.ones((len(candidates), self.data.n_samples), dtype=np.bool_)

        def work(first: int, last: int) -> None:
            part = slice(first, last)
            if not self._lists_are_stale:
                distances, _, samples, same = self._lists
                is_open[part] = False
                settle_by_lists(
                    self._frame,
                    self._n_listed,
                    distances,
                    samples,
                    same,
                    centred[part],
                    spans[part],
                    drift,
                    direction.sign,
                    self._manhattan,
                    is_open[part],
                    correct[part],
                )
            count_correct(
                self._frame,
                self._filtered,
                self._rows,
                slots[part],
                columns[part],
                centred[part],
                spans[part],
                drift,
                direction.sign,
                self.criterion.n_neighbors,
                self._manhattan,
                is_open[part],
                correct[part],
            )

        self._spread(len(candidates), work)
        return self._means(correct)

    def _count_alone(self, columns: Values, correct: Counts) -> None:
        frame = self._frame

        def work(first: int, last: int) -> None:
            part = columns[first:last]
            for group in range(len(frame.col_sample)):
                real = frame.col_sample[group, : frame.class_start[group, -1]]
                orders = np.argsort(part[:, real], axis=1, kind="stable")
                count_correct_alone(frame, group, part, orders, self._manhattan, correct[first:last])

        self._spread(len(columns), work)

    def _centred(self, columns: Values) -> tuple[AnyArray, Values]:
        """Return the columns centred in float32, and the largest term that each can contribute."""
        low, high = columns.min(axis=1), columns.max(axis=1)
        ranges = high - low
        with np.errstate(over="ignore"):
            centred = (columns - (low + 0.5 * ranges)[:, None]).astype(np.float32)
            return centred, ranges if self._manhattan else ranges * ranges

    def _refresh_lists(self) -> None:
        """Find the nearest neighbours of the working subset, which settle most rows for one neighbour."""
        if not self._lists_are_stale or self.criterion.n_neighbors > 1 or len(self._features) == 0:
            return

        n_listed = _LISTED_SHORT if len(self._features) >= _SHORT_FROM else _LISTED_LONG
        if n_listed > self._n_listed:
            self._lists[1][:] = -1  # behind a short list stands an old one, which says nothing any more
        self._n_listed = n_listed

        def work(first: int, last: int) -> None:
            nearest_lists(
                self._frame, self._filtered, self._rows, self._manhattan, first, last, n_listed, *self._lists
            )

        self._spread(self.data.n_samples, work)
        self._lists_are_stale = False

    def _step(self, direction: Direction, feature: int) -> None:
        column = self.data.columns([feature])
        place = int(np.searchsorted(self._features, feature))
        before = self._spans.sum()
        self._features = direction.spliced(self._features, place, feature)
        self._spans = direction.spliced(self._spans, place, self._centred(column)[1][0])
        self._rows = np.ascontiguousarray(direction.spliced(self._rows, place, column[0]))
        self._shift(column[0], direction.sign)
        self._lost += 2.0**-51 * max(before, self._spans.sum()) if self._keeps_distances else 0.0
        # Where a wide feature has left, what it cost the sums would blind the filter to the narrow ones.
        if not self._lost <= _LARGEST_LOSS * self._spans.sum():
            self._recompute()

    def _rebuild(self) -> None:
        self._features = np.flatnonzero(self.members)
        self._recompute()

    def _recompute(self) -> None:
        columns = self.data.columns(self._features)
        self._rows = np.ascontiguousarray(columns.T)
        self._spans = self._centred(columns)[1] if len(columns) else np.empty(0)
        self._lost = 2.0**-51 * len(columns) * self._spans.sum()
        if self._keeps_distances:
            self._base[:] = np.where(allowed(self._frame), 0.0, np.inf)
            self._filtered[:] = self._base
        for column in columns:
            self._shift(column, 1)

    def _shift(self, column: AnyArray, sign: int) -> None:
        self._lists_are_stale = True
        if not self._keeps_distances:
            return

        def work(first: int, last: int) -> None:
            shift_base(self._frame, self._base, self._filtered, column, float(sign), self._manhattan, first, last)

        self._spread(self.data.n_samples, work)

    def _spread(self, count: int, work: Callable[[int, int], None]) -> None:
        """Do the work of `count` items, in threads if there are several: each item's result is its own."""
        if self._n_jobs == 1 or count < 2 * self._n_jobs:
            work(0, count)
            return
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self._n_jobs)
        bounds = np.linspace(0, count, self._n_jobs + 1).astype(int).tolist()
        for done in [self._threads.submit(work, *bounds[k : k + 2]) for k in range(self._n_jobs)]:
            done.result()
