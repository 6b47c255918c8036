"""Filters that measure pairs of features: correlation-based selection and joint mutual information."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from sweepless._checks import whole
from sweepless._typing import AnyArray, Counts, Features, Values
from sweepless.criteria.base import Criterion, Cursor, require_members
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.kernels.information import GRID, correlations, joint_informations, log_sums, singles

_LARGEST_BINS = 255  # codes are bytes


@dataclass(frozen=True)
class CFS(Criterion):
    """Correlation-based feature selection: features that predict the classes but not each other.

    J = k r_cf / sqrt(k + k (k - 1) r_ff), the merit of a subset of k features, where r_cf is the mean symmetric
    uncertainty of a feature and the classes and r_ff that of two features [1]_.

    Parameters
    ----------
    bins : int
        A feature with at most this many distinct values is used as it is; any other is cut into this many bins of
        equal frequency, and equal values share a bin.

    Notes
    -----
    A pair of features is measured once, in O(n), when it is first needed; a peek measures its candidates only with
    members they have not met before. Measures are rounded to 2**-27, so that J does not depend on the path.

    References
    ----------
    .. [1] M. A. Hall, Correlation-based feature selection for discrete and numeric class machine learning,
       ICML 2000.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sweepless import Dataset
    >>> from sweepless.criteria import CFS
    >>> data = Dataset(*load_iris(return_X_y=True))
    >>> round(CFS().bind(data).evaluate([2, 3]), 4)
    0.6402
    """

    bins: int = 10

    def __post_init__(self) -> None:
        whole("bins", self.bins, 2, _LARGEST_BINS)

    def bind(self, data: Dataset) -> CFSCursor:
        return CFSCursor(data, self.bins)

    def operations(self, data: Dataset, size: int) -> float:
        return _operations(data, size)


@dataclass(frozen=True)
class JointMutualInformation(Criterion):
    """The joint information of a subset's pairs of features on the classes, in nats.

    J = sum of I(f, g; y) over the pairs of members / (k - 1) for k > 1 features, and I(f; y) for one. Every feature is
    in k - 1 pairs, so J is the sum of I(f; y) over the members plus what the pairs add to it together. Adding the
    feature with the greatest J is the greedy step of joint mutual information [1]_ [2]_.

    Parameters
    ----------
    bins : int
        A feature with at most this many distinct values is used as it is; any other is cut into this many bins of
        equal frequency, and equal values share a bin.

    Notes
    -----
    A pair of features is measured once, in O(n), when it is first needed. Measures are rounded to 2**-27, so that J
    does not depend on the path.

    References
    ----------
    .. [1] H. H. Yang, J. Moody, Data visualization and feature selection, NIPS 1999.
    .. [2] G. Brown et al., Conditional likelihood maximization, JMLR 13, 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sweepless import Dataset
    >>> from sweepless.criteria import JointMutualInformation
    >>> data = Dataset(*load_iris(return_X_y=True))
    >>> round(JointMutualInformation().bind(data).evaluate([2, 3]), 4)
    0.9026
    """

    bins: int = 5

    def __post_init__(self) -> None:
        whole("bins", self.bins, 2, _LARGEST_BINS)

    def bind(self, data: Dataset) -> JointMutualInformationCursor:
        return JointMutualInformationCursor(data, self.bins)

    def operations(self, data: Dataset, size: int) -> float:
        return _operations(data, size)


def _operations(data: Dataset, size: int) -> float:
    """Return the operations of a candidate that is measured with the newest member and looked up with the others."""
    # Measured: 0.6 us and 15 ns a member where pairs are known, about 5 us at 100 samples where they are new.
    return 1000.0 + 40.0 * data.n_samples + 15.0 * size


class _PairCursor(Cursor):
    """Keeps the sums of single and of pair measures over the working subset, as integers."""

    def __init__(self, data: Dataset, bins: int) -> None:
        super().__init__(data)
        data.require_classes()
        data.require_variation()
        self._bins = bins
        self._table = log_sums(data.n_samples)
        self._codes: dict[int, AnyArray] = {}
        self._single: dict[int, int] = {}
        # One row per feature that has ever been a member; -1 where a pair has not been measured yet.
        self._slots = np.full(data.n_features, -1, dtype=np.int64)
        self._pairs = np.empty((0, data.n_features), dtype=np.int32)
        self._single_sum = 0
        self._pair_sum = 0

    @abstractmethod
    def _measure(self, features: Features, codes: AnyArray, feature: int, own: AnyArray) -> Counts:
        """Measure one feature with each of the others, in units of the grid."""

    @abstractmethod
    def _measure_singles(self, codes: AnyArray) -> Counts:
        """Measure features alone, in units of the grid."""

    @abstractmethod
    def _value(self, size: int, single_sum: int, pair_sum: int) -> float:
        """Return J from exact sums."""

    def evaluate(self, members: Features) -> float:
        members = require_members(members)
        codes = self._coded(members)
        pair_sum = 0
        for f in range(1, len(members)):
            pair_sum += int(self._measure(members[:f], codes[:f], int(members[f]), codes[f]).sum())
        return self._value(len(members), int(self._singles_of(members).sum()), pair_sum)

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        sign, size = direction.sign, self.size + direction.sign
        single_sums = self._single_sum + sign * self._singles_of(candidates)
        pair_sums = self._pair_sum + sign * self._links(candidates)
        pairs = zip(single_sums.tolist(), pair_sums.tolist(), strict=True)
        return np.array([self._value(size, single, pair) for single, pair in pairs])

    def _step(self, direction: Direction, feature: int) -> None:
        one = np.array([feature])
        self._single_sum += direction.sign * int(self._singles_of(one)[0])
        self._pair_sum += direction.sign * int(self._links(one)[0])
        self._open_rows(one)

    def _rebuild(self) -> None:
        members = np.flatnonzero(self.members)
        self._open_rows(members)
        self._single_sum = int(self._singles_of(members).sum())
        self._pair_sum = int(self._links(members).sum()) // 2

    def _links(self, candidates: Features) -> Counts:
        """Return the sum of every candidate's measures with the members other than itself."""
        members = np.flatnonzero(self.members)
        rows = self._slots[members]
        for row, feature in zip(rows, members.tolist(), strict=True):
            new = candidates[self._pairs[row, candidates] < 0]
            if len(new):
                found = self._measure(new, self._coded(new), feature, self._coded(np.array([feature]))[0])
                self._pairs[row, new] = found
        return np.asarray(self._pairs[rows[:, None], candidates].sum(axis=0, dtype=np.int64))

    def _open_rows(self, features: Features) -> None:
        new = features[self._slots[features] < 0]
        used = int(self._slots.max()) + 1
        if used + len(new) > len(self._pairs):
            grown = np.empty((2 * len(self._pairs) + len(new), self.n_features), dtype=np.int32)
            grown[:used] = self._pairs[:used]
            self._pairs = grown
        self._slots[new] = used + np.arange(len(new))
        self._pairs[self._slots[new]] = -1
        self._pairs[self._slots[new], new] = 0  # a feature makes no pair with itself

    def _singles_of(self, features: Features) -> Counts:
        new = np.array([f for f in features.tolist() if f not in self._single], dtype=np.intp)
        if len(new):
            found = self._measure_singles(self._coded(new))
            self._single.update(zip(new.tolist(), found.tolist(), strict=True))
        return np.array([self._single[f] for f in features.tolist()], dtype=np.int64)

    def _coded(self, features: Features) -> AnyArray:
        """Return the features as codes, cut into bins once."""
        new = [f for f in features.tolist() if f not in self._codes]
        for feature, column in zip(new, self.data.columns(new) if new else (), strict=True):
            self._codes[feature] = discretized(column, self._bins)
        return np.array([self._codes[f] for f in features.tolist()], dtype=np.uint8).reshape(
            len(features), self.data.n_samples
        )


class CFSCursor(_PairCursor):
    """Pairs are measured by their symmetric uncertainty."""

    def _measure(self, features: Features, codes: AnyArray, feature: int, own: AnyArray) -> Counts:
        return correlations(features, codes, feature, own, self._bins, self._table)

    def _measure_singles(self, codes: AnyArray) -> Counts:
        return singles(codes, self.data.codes, self._bins, len(self.data.classes), self._table, True)

    def _value(self, size: int, single_sum: int, pair_sum: int) -> float:
        return single_sum * GRID / math.sqrt(size + 2.0 * (pair_sum * GRID))


class JointMutualInformationCursor(_PairCursor):
    """Pairs are measured by their joint information on the classes."""

    def _measure(self, features: Features, codes: AnyArray, feature: int, own: AnyArray) -> Counts:
        n_classes = len(self.data.classes)
        return joint_informations(features, codes, feature, own, self._bins, self.data.codes, n_classes, self._table)

    def _measure_singles(self, codes: AnyArray) -> Counts:
        return singles(codes, self.data.codes, self._bins, len(self.data.classes), self._table, False)

    def _value(self, size: int, single_sum: int, pair_sum: int) -> float:
        return single_sum * GRID if size == 1 else pair_sum * GRID / (size - 1)


def discretized(column: Values, bins: int) -> AnyArray:
    """Return codes below `bins`: the distinct values if they are few, else bins of equal frequency."""
    distinct, codes = np.unique(column, return_inverse=True)
    if len(distinct) > bins:
        cuts = np.sort(column)[len(column) * np.arange(1, bins) // bins]
        codes = np.searchsorted(np.unique(cuts), column, side="right")
    return codes.astype(np.uint8)
