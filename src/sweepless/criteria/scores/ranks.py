"""How high the samples of a class rank above those of others by the outputs of that class."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from sweepless._typing import Counts, Values
from sweepless.criteria.scores.base import Outputs
from sweepless.kernels.orders import OPEN, count_orders, mark_classes
from sweepless.kernels.ranks import count_levels, count_ranks, rank_levels

Measure: TypeAlias = Literal["area", "precision"]
_FEW = 512  # more samples of several classes are faster sorted class by class than all together


class Ranking:
    """Areas under the ROC curve and average precisions on one fold; NaN where rounding would decide.

    Parameters
    ----------
    truth : array
        The codes of the tested samples.
    contests : array of shape (contest, class)
        A class, by whose outputs its samples should rank high, and the classes above whose samples they should.
    """

    def __init__(self, truth: Counts, contests: Counts) -> None:
        self._truth, self._contests, n_classes = truth, contests, int(contests.max()) + 1
        self._order = np.argsort(truth, kind="stable")
        self._bounds = np.searchsorted(truth[self._order], np.arange(n_classes + 1)).astype(np.int64)
        self._codes, self._rows = np.unique(contests[:, 0], return_inverse=True)
        self._mask = (1 << int(max(truth.max(), contests.max())).bit_length()) - 1  # of the bits of a class
        self._is_negative = np.zeros((len(contests), self._mask + 1), dtype=np.int64)
        np.put_along_axis(self._is_negative, contests[:, 1:], 1, axis=1)

    def __call__(self, outputs: Outputs, measure: Measure) -> Values:
        """Return one value per contest and candidate."""
        if outputs.n_votes:
            return self._count_votes(outputs)[measure]
        if outputs.values.shape[1] == 1:
            outputs = outputs._replace(values=outputs.values * np.array([[-1.0], [1.0]]))
        if len(self._codes) > 1 and len(self._truth) > _FEW:
            return self._sort_classes(outputs)[measure]
        found = self._sort(outputs, measure)
        left = np.flatnonzero((found == OPEN).any(axis=0))
        if len(left):
            rows = outputs.rows
            found[:, left] = self._sort_classes(
                Outputs(outputs.values[left], outputs.doubts[left], outputs.exact, rows and (lambda m: rows(left[m])))
            )[measure]
        return found

    def _sort(self, outputs: Outputs, measure: Measure) -> Values:
        """Rank by one order of all samples; what hangs on nearly equal outputs is left open."""
        n_candidates, _, n_samples = outputs.values.shape
        marked = np.empty((n_candidates, len(self._codes), n_samples))
        mark_classes(outputs.values, self._truth, self._codes, self._mask, marked)
        marked.sort()
        contests = (self._codes, self._contests, self._rows, self._is_negative)
        pads = (np.empty(len(self._codes), dtype=np.bool_), np.empty((2, n_samples + 1), dtype=np.int64))
        found = np.empty((len(self._contests), n_candidates))
        count_orders(marked, *contests, outputs.doubts, self._mask, measure == "area", *pads, found)
        return found

    def _count_votes(self, outputs: Outputs) -> dict[Measure, Values]:
        """Rank by how often each number of votes occurs."""
        areas, precisions = np.empty((2, len(self._contests), len(outputs.values)))
        n_candidates, n_classes = outputs.values.shape[:2]
        table = np.zeros((n_candidates, n_classes, n_classes, outputs.n_votes + 1), dtype=np.int64)
        count_levels(outputs.values, self._truth, outputs.n_votes, table)
        rank_levels(table, self._contests, areas, precisions)
        return {"area": areas, "precision": precisions}

    def _sort_classes(self, outputs: Outputs) -> dict[Measure, Values]:
        """Rank by the orders of the outputs within every class, which tell what is equal."""
        areas, precisions = np.empty((2, len(self._contests), len(outputs.values)))
        values = outputs.values
        ascending = values.take(self._order, axis=2)
        for first, last in zip(self._bounds, self._bounds[1:]):
            ascending[:, :, first:last].sort()

        def count(k: slice, m: slice, rows: Values) -> None:
            found = areas[k, m], precisions[k, m]
            count_ranks(ascending[m], self._bounds, self._contests[k], outputs.doubts[m], *outputs.exact, rows, *found)

        count(slice(None), slice(None), np.empty((0, 0)))
        if outputs.rows is not None:
            for k, m in np.argwhere(areas < 0.0).tolist():
                rows = np.column_stack([values[m, self._contests[k, 0]], outputs.rows(m)])
                count(slice(k, k + 1), slice(m, m + 1), rows[np.isin(self._truth, self._contests[k])])
        for measures in (areas, precisions):
            measures[measures < 0.0] = np.nan
        return {"area": areas, "precision": precisions}
