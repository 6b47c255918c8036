"""The members of a linear subset: their columns, scaled, and the products of these."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from sweepless._typing import Features, Mask, Values
from sweepless.criteria.base import Cursor
from sweepless.criteria.linear.kept import Kept
from sweepless.criteria.schur import Factor, MomentTable, bordered
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.kernels.linear.ridge import scaled

TINY_PENALTY = 2.0**-40
"""The share of its own square that penalizes every feature, so that least squares always has one solution."""

_SWEEP = 0.05  # the share of all features whose values cost about as much as those of all together
_MOST_DOUBTS = 2.0**-6  # the share of a sweep that may be doubtful before what is kept is made anew
_WIDTH = 512  # neighbors that are worked on at once


class MembersCursor(Cursor):
    """Keeps the members' columns and their products; every product is computed once, so nothing drifts.

    A subclass fits them, values neighbors, and keeps something of all features from sweep to sweep.
    """

    _features: Features
    _rows: Values  # a feature per row
    _floors: Values
    _products: Values
    _kept: Kept | None  # made by the first sweep
    _swept: tuple[Values, Mask] | None  # what a sweep from the working subset found
    _n_asked: int  # how many additions to the working subset have been asked for
    _sweeps: bool  # whether those to the last subset were worth a sweep, so that these will be: batches come in parts

    def __init__(self, data: Dataset, alpha: float) -> None:
        super().__init__(data)
        self._alpha, self._moments = alpha, MomentTable(data.n_features)
        self._kept, self._n_asked, self._sweeps = None, 0, False
        self._clear()

    @property
    @abstractmethod
    def _factor(self) -> Factor:
        """The factor of the members' products."""

    @abstractmethod
    def _neighbors(self, direction: Direction, candidates: Features) -> tuple[Values, Mask]:
        """Return the values of at most 512 neighbors, and which of them have to be computed from scratch."""

    @abstractmethod
    def _can_sweep(self) -> bool:
        """Tell whether all features can be valued together."""

    @abstractmethod
    def _sweep(self) -> tuple[Values, Mask]:
        """Return the values with every feature, and which of them are doubtful; those of members mean nothing."""

    def _moved(self) -> None:
        """Forget what was found out about the working subset."""
        if self._n_asked:
            self._sweeps = self._are_many()
        self._swept, self._n_asked = None, 0

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        values, undecided = np.empty(len(candidates)), np.ones(len(candidates), dtype=np.bool_)
        if direction.adds and self._is_sweep(len(candidates)):
            if self._swept is None:
                self._swept = self._sweep()
            values, undecided = self._swept[0][candidates], self._swept[1][candidates]
            if self._kept is not None and np.count_nonzero(undecided) > 8 + _MOST_DOUBTS * len(candidates):
                self._kept.forget()
        left = np.flatnonzero(undecided)
        for start in range(0, len(left), _WIDTH):
            part = left[start : start + _WIDTH]
            values[part], undecided[part] = self._neighbors(direction, candidates[part])
        return self._settled(values, undecided, direction, candidates)

    def _is_sweep(self, n_candidates: int) -> bool:
        """Tell whether so many more candidates are worth a look at all features."""
        self._n_asked += n_candidates
        return (self._sweeps or self._are_many()) and self._can_sweep()

    def _are_many(self) -> bool:
        return self._n_asked >= _SWEEP * self.n_features

    def _scaled(self, features: Features) -> tuple[Values, Values]:
        """Return centered columns, and the least that a squared pivot can be: the penalty alone.

        The columns are scaled so that squared norm and penalty sum to 1; a constant becomes zeros.
        """
        columns = self.data.columns(features)
        found = self._moments.of(features, columns)
        norms = found[:, 2]
        with np.errstate(all="ignore"):
            relative = np.where(norms > 0.0, self._alpha / norms / norms, 0.0)
            penalties = np.minimum(relative, 2.0**200) + TINY_PENALTY
            scales = 1.0 / norms / np.sqrt(1.0 + penalties)
        floors = np.where(norms > 0.0, penalties / (1.0 + penalties), 1.0)
        return scaled(columns, found, np.where(np.isfinite(scales), scales, 0.0)), floors

    @property
    def _matrix(self) -> Values:
        """The products of the members with their penalties, of unit diagonal."""
        matrix = self._products.copy()
        np.fill_diagonal(matrix, 1.0)
        return matrix

    def _step(self, direction: Direction, feature: int) -> None:
        place = int(np.searchsorted(self._features, feature))
        (column,), (floor,) = self._scaled(np.array([feature]))
        edge = self._rows @ column
        if self._kept is not None and self._kept.is_known:
            factor = self._factor
            change = factor.grow(edge[:, None]) if direction.adds else factor.shrink(np.array([place]))
            path = change.columns[:, 0] @ self._rows
            self._kept.follow(factor, change, column - path if direction.adds else path)
        self._features = direction.spliced(self._features, place, feature)
        self._rows = direction.spliced_rows(self._rows, place, column)
        self._floors = direction.spliced(self._floors, place, floor)
        self._products = bordered(direction, self._products, place, edge, 1.0)
        self._moved()

    def _rebuild(self) -> None:
        self._clear()
        features = np.flatnonzero(self.members)
        if len(features):
            self._features = features
            self._rows, self._floors = self._scaled(features)
            self._products = self._rows @ self._rows.T

    def _clear(self) -> None:
        self._features = np.empty(0, dtype=np.intp)
        self._rows = np.empty((0, self.data.n_samples))
        self._floors, self._products = np.empty(0), np.empty((0, 0))
        self._moved()
        if self._kept is not None:
            self._kept.forget()
