"""k-NN accuracy by cross-validation: the wrapper criterion of the paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sweepless._checks import one_of, whole
from sweepless._typing import AnyArray, Counts, Features, Mask, Values
from sweepless.criteria.base import Criterion, Cursor, require_members
from sweepless.criteria.folds import positional_folds
from sweepless.criteria.knn_layout import MOST_GROUPS, Layout
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.errors import DataError
from sweepless.kernels.neighbor_lists import nearest_lists, settle_by_lists
from sweepless.kernels.neighbor_singles import count_correct_alone
from sweepless.kernels.neighbors import count_correct, shift_base

# Neighbours listed per row, and one more that bounds the rest.
_LISTED = 16 + 1
# Squared float32 distances must neither overflow nor drown in the smallest float32.
_LARGEST_SQUARE = 1e30
_SMALLEST_STEP = 1e-43
# Beyond this share of the squared distances the lost digits outweigh those that float32 does not have.
_LARGEST_LOSS = 2.0**-24


@dataclass(frozen=True)
class KNN(Criterion):
    """Mean accuracy over the folds of a Euclidean k-NN classifier.

    Parameters
    ----------
    n_neighbors : int
        The nearest `n_neighbors` vote; equal votes go to the lowest class.
    folds : int
        Number of positional stratified folds: contiguous within each class, no shuffling.
    ties : {"class", "index"}
        Which of several equally distant samples is nearer: the one of the lowest class, then the
        lowest row (the paper), or simply the lowest row (scikit-learn). On sparse or discrete data this
        changes results, so it is part of the criterion.

    Notes
    -----
    A peek costs O(n²) per candidate whatever the size of the subset; the state takes 12 n² bytes.
    Values are those of the definition, bit for bit: doubles summed in ascending feature order.
    """

    n_neighbors: int = 1
    folds: int = 3
    ties: Literal["class", "index"] = "class"

    def __post_init__(self) -> None:
        whole("n_neighbors", self.n_neighbors, 1)
        whole("folds", self.folds, 2)
        one_of("ties", self.ties, ("class", "index"))

    def bind(self, data: Dataset) -> KNNCursor:
        return KNNCursor(self, data)

    def validate(self, train: Dataset, test: Dataset, members: Features) -> float:
        """Return the share of `test` that the classifier trained on all of `train` gets right."""
        members = require_members(members)
        known = {label: code for code, label in enumerate(train.classes.tolist())}
        test_codes = np.array([known.get(label, -1) for label in test.target.tolist()], dtype=np.int64)
        layout = Layout.holdout(train.codes, test_codes, self.ties)
        columns = np.hstack([train.columns(members), test.columns(members)])
        correct = layout.count_by_definition(columns, self.n_neighbors, n_folds=1)
        return int(correct[0]) / test.n_samples


class KNNCursor(Cursor):
    """Keeps the squared distances of the working subset and certifies or settles every neighbour."""

    def __init__(self, criterion: KNN, data: Dataset) -> None:
        super().__init__(data)
        data.require_classes()
        data.require_variation()
        self.criterion = criterion
        folds = positional_folds(data.codes, criterion.folds)
        self._layout = Layout.cross_validation(data.codes, folds, criterion.folds, criterion.ties)
        self._fold_sizes = np.bincount(folds, minlength=criterion.folds)
        smallest = int(data.n_samples - self._fold_sizes.max())
        if criterion.n_neighbors > smallest:
            raise DataError(
                f"`n_neighbors` must be at most {smallest}, the smallest training part of "
                f"{criterion.folds} folds of {data.name}, got {criterion.n_neighbors}."
            )
        self._base = np.where(self._layout.allowed, 0.0, np.inf)
        self._filtered = self._base.astype(np.float32)
        self._features = np.empty(0, dtype=np.intp)  # the members, ascending
        self._rows = np.empty((data.n_samples, 0))  # their values, one sample per row
        self._squares = np.empty(0)  # their squared ranges: together a bound on any squared distance
        listed = (data.n_samples, _LISTED if criterion.n_neighbors == 1 else 0)
        self._lists = (  # the nearest neighbours: distances, columns, samples, whether of the same class
            np.empty(listed, dtype=np.float32),
            np.full(listed, -1, dtype=np.int32),
            np.empty(listed, dtype=np.int32),
            np.empty(listed, dtype=np.bool_),
        )
        self._lists_are_stale = True
        self._lost = 0.0  # a bound on what the incremental doubles have lost since the last rebuild

    def evaluate(self, members: Features) -> float:
        columns = self.data.columns(require_members(members))
        criterion = self.criterion
        correct = self._layout.count_by_definition(columns, criterion.n_neighbors, criterion.folds)
        return float(self._means(correct[None, :])[0])

    def _means(self, correct: Counts) -> Values:
        """Average the fold accuracies in fold order; an empty fold counts 0 (METHOD 7.1.2)."""
        total = np.zeros(len(correct))
        for fold, size in enumerate(self._fold_sizes.tolist()):
            if size:
                total += correct[:, fold] / size
        return total / self.criterion.folds

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        columns = self.data.columns(candidates)
        criterion, layout = self.criterion, self._layout
        correct = np.zeros((len(candidates), criterion.folds), dtype=np.int64)
        if len(self._features) == 0 and criterion.n_neighbors == 1 and criterion.folds <= MOST_GROUPS:
            count_correct_alone(
                columns,
                layout.row_sample,
                layout.row_class,
                layout.row_fold,
                layout.row_group,
                layout.col_sample,
                layout.col_rank,
                layout.class_start,
                correct,
            )
            return self._means(correct)
        low, high = columns.min(axis=1), columns.max(axis=1)
        ranges = high - low
        square = self._squares.sum() + _squared(np.max(ranges, initial=0.0))
        drift = self._lost + 2.0**-51 * (len(self._features) + 4) * square + _SMALLEST_STEP
        if not square + drift < _LARGEST_SQUARE:
            return super()._peek(direction, candidates)
        centred = (columns - (low + 0.5 * ranges)[:, None]).astype(np.float32)
        is_open = self._count_settled(direction, centred, ranges, drift, correct)
        count_correct(
            correct,
            is_open,
            self._filtered,
            direction.sign,
            np.searchsorted(self._features, candidates).astype(np.int64),
            columns,
            centred,
            ranges,
            drift,
            self._rows,
            layout.row_sample,
            layout.row_class,
            layout.row_fold,
            layout.row_group,
            layout.col_sample,
            layout.col_rank,
            layout.class_start,
            criterion.n_neighbors,
        )
        return self._means(correct)

    def _count_settled(
        self, direction: Direction, centred: AnyArray, ranges: Values, drift: float, correct: Counts
    ) -> Mask:
        """Count what the nearest neighbours of the working subset prove; return what they leave open."""
        layout = self._layout
        shape = (len(centred), len(layout.row_sample))
        if self.criterion.n_neighbors > 1 or len(self._features) == 0:
            return np.ones(shape, dtype=np.bool_)
        if self._lists_are_stale:
            nearest_lists(
                self._filtered,
                layout.row_class,
                layout.row_group,
                layout.col_sample,
                layout.class_start,
                *self._lists,
            )
            self._lists_are_stale = False
        is_open = np.zeros(shape, dtype=np.bool_)
        distances, _, samples, same = self._lists
        settle_by_lists(
            distances,
            samples,
            same,
            layout.row_sample,
            layout.row_fold,
            centred,
            ranges,
            drift,
            direction.sign,
            correct,
            is_open,
        )
        return is_open

    def _step(self, direction: Direction, feature: int) -> None:
        column = self.data.columns([feature])[0]
        place = int(np.searchsorted(self._features, feature))
        before = self._squares.sum()
        self._features = direction.spliced(self._features, place, feature)
        self._squares = direction.spliced(self._squares, place, _squared(np.ptp(column)))
        self._rows = np.ascontiguousarray(direction.spliced(self._rows, place, column))
        self._shift(column, direction.sign)
        self._lost += 2.0**-51 * max(before, self._squares.sum())
        # Where a wide feature has left, what it cost the sums would blind the filter to the narrow ones.
        if not self._lost <= _LARGEST_LOSS * self._squares.sum():
            self._recompute()

    def _rebuild(self) -> None:
        self._features = np.flatnonzero(self.members)
        self._recompute()

    def _recompute(self) -> None:
        columns = self.data.columns(self._features)
        self._rows = np.ascontiguousarray(columns.T)
        self._squares = np.array([_squared(np.ptp(column)) for column in columns])
        self._lost = 2.0**-51 * len(columns) * self._squares.sum()
        self._base[:] = np.where(self._layout.allowed, 0.0, np.inf)
        self._filtered[:] = self._base
        for column in columns:
            self._shift(column, 1)

    def _shift(self, column: AnyArray, sign: int) -> None:
        layout = self._layout
        self._lists_are_stale = True
        shift_base(
            self._base,
            self._filtered,
            column,
            layout.row_sample,
            layout.row_group,
            layout.col_sample,
            float(sign),
        )


def _squared(width: float) -> float:
    """Square by a product of plain floats, which overflows to infinity where a power raises."""
    return float(width) * float(width)
