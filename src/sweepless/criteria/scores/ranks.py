"""How high the samples of a class rank above those of others by the outputs of that class."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Counts, Values
from sweepless.criteria.scores.base import Outputs
from sweepless.kernels.ranks import count_levels, count_ranks, rank_levels


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

    def __call__(self, outputs: Outputs) -> dict[str, Values]:
        """Return both measures, of shape (contest, candidate)."""
        areas, precisions = np.empty((2, len(self._contests), len(outputs.values)))
        (self._count_votes if outputs.n_votes else self._sort)(outputs, areas, precisions)
        return {"area": areas, "precision": precisions}

    def _count_votes(self, outputs: Outputs, areas: Values, precisions: Values) -> None:
        """Rank by how often each number of votes occurs."""
        n_candidates, n_classes = outputs.values.shape[:2]
        table = np.zeros((n_candidates, n_classes, n_classes, outputs.n_votes + 1), dtype=np.int64)
        count_levels(outputs.values, self._truth, outputs.n_votes, table)
        rank_levels(table, self._contests, areas, precisions)

    def _sort(self, outputs: Outputs, areas: Values, precisions: Values) -> None:
        """Rank by the order of the outputs of every class."""
        values = outputs.values if outputs.values.shape[1] > 1 else outputs.values * np.array([[-1.0], [1.0]])
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
