"""The cursor of linear models with a smooth loss: the optimum of the working subset on every training part."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Features, Mask, Values
from sweepless.criteria.base import Cursor, require_members
from sweepless.criteria.linear.smooth_part import Part
from sweepless.criteria.schur import MomentTable
from sweepless.criteria.scores.base import mean_over_folds
from sweepless.criteria.value_grid import snap, snap_all
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.kernels.linear.ridge import scaled

_BLOCK = 2**17  # numbers that are worked on at once: larger arrays do not stay in the cache


class Scales:
    """Brings columns to a mean square of 1, around their mean where an intercept is free, and penalties with them."""

    def __init__(self, C: float, centers: bool, moments: MomentTable) -> None:
        self._C, self._centers, self._moments = C, centers, moments

    def of(self, features: Features, columns: Values) -> tuple[Values, Values]:
        """Return the scaled columns, one per row, and the penalties of their coefficients."""
        found = self._moments.of(features, columns)
        spread = found[:, 2] / np.sqrt(columns.shape[1])
        if not self._centers:
            spread = np.hypot(spread, found[:, 0])
            found = np.zeros_like(found)
        with np.errstate(all="ignore"):
            scales = np.where(np.isfinite(1.0 / spread), 1.0 / spread, 0.0)
            penalties = np.clip(scales**2 / self._C, 2.0**-900, 2.0**200)
        return scaled(columns, found, scales), np.where(scales > 0.0, penalties, 1.0)


class LinearModelCursor(Cursor):
    """Keeps the optimum of the working subset on every training part.

    Parameters
    ----------
    data : Dataset
    parts : list of Part
    scales : Scales
    unit : float or None
        The scale of values that are rounded to a grid; None for those that are exact.
    """

    _features: Features  # the members, ascending
    _valued: Features  # the neighbors that were valued last, if of this subset

    def __init__(self, data: Dataset, parts: list[Part], scales: Scales, unit: float | None) -> None:
        super().__init__(data)
        self._parts, self._scales, self._unit = parts, scales, unit
        self._rebuild()

    def evaluate(self, members: Features) -> float:
        block = self._block(require_members(members))
        value = float(mean_over_folds([np.array([part.from_scratch(*block)]) for part in self._parts])[0])
        return value if self._unit is None else snap(value, self._unit)

    def _block(self, features: Features) -> tuple[Values, Values]:
        return self._scales.of(features, self.data.columns(features))

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        values, undecided = np.empty(len(candidates)), np.empty(len(candidates), dtype=np.bool_)
        width = max(1, _BLOCK // self.data.n_samples)
        for start in range(0, len(candidates), width):
            some = slice(start, start + width)
            values[some], undecided[some] = self._neighbors(direction, candidates[some])
        return self._settled(values, undecided, direction, candidates)

    def _neighbors(self, direction: Direction, candidates: Features) -> tuple[Values, Mask]:
        """Return the values of neighbors, and which of them have to be computed from scratch."""
        places, self._valued = np.searchsorted(self._features, candidates), candidates
        block = self._block(candidates) if direction.adds else None
        with np.errstate(all="ignore"):  # what overflows is not proven
            found = [part.neighbors(block, places) for part in self._parts]
            values, errors = (mean_over_folds(each) for each in zip(*found, strict=True))
            return (values, ~(errors == 0.0)) if self._unit is None else snap_all(values, errors, self._unit)

    def _step(self, direction: Direction, feature: int) -> None:
        place = int(np.searchsorted(self._features, feature))
        self._features = direction.spliced(self._features, place, feature)
        block = self._block(np.array([feature]))
        found = np.flatnonzero(self._valued == feature)
        for part in self._parts:
            part.step(direction, place, *block, int(found[0]) if len(found) else None)
        self._valued = self._valued[:0]

    def _rebuild(self) -> None:
        self._features = np.flatnonzero(self.members)
        self._valued = self._features[:0]
        block = self._block(self._features)
        for part in self._parts:
            part.rebuild(*block)
