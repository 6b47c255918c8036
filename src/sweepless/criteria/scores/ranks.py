"""How high the samples of a class rank above those of others by the outputs of that class."""

from __future__ import annotations

from typing import Literal

import numpy as np

from sweepless._typing import Counts, Features, Values
from sweepless.criteria.scores.base import Outputs
from sweepless.kernels.ranks import count_levels, count_ranks, rank_levels, rank_tagged


class Ranking:
    """Areas under the ROC curve, or average precisions, on one fold; NaN where rounding would decide.

    Parameters
    ----------
    truth : array
        The codes of the tested samples.
    contests : array of shape (contest, class)
        A class, by whose outputs its samples should rank high, and the classes above whose samples they should; for
        average precisions one contest for each class, against all others.
    measure : {"area", "precision"}
    """

    def __init__(self, truth: Counts, contests: Counts, measure: Literal["area", "precision"]) -> None:
        self._truth, self._contests, n_classes = truth, contests, int(max(contests.max(), truth.max())) + 1
        self._is_area = measure == "area"
        self._order = np.argsort(truth, kind="stable")
        self._bounds = np.searchsorted(truth[self._order], np.arange(n_classes + 1)).astype(np.int64)
        self._codes = np.unique(contests[:, 0])
        self._mask = (1 << (n_classes - 1).bit_length()) - 1

    def __call__(self, outputs: Outputs) -> Values:
        """Return the measure, of shape (contest, candidate)."""
        return (self._count_votes if outputs.n_votes else self._sort)(outputs)

    def _count_votes(self, outputs: Outputs) -> Values:
        """Rank by how often each number of votes occurs."""
        n_candidates, n_classes = outputs.values.shape[:2]
        table = np.zeros((n_candidates, n_classes, n_classes, outputs.n_votes + 1), dtype=np.int64)
        count_levels(outputs.values, self._truth, outputs.n_votes, table)
        found = np.empty((2, len(self._contests), n_candidates))
        rank_levels(table, self._contests, *found)
        return np.asarray(found[0 if self._is_area else 1])

    def _sort(self, outputs: Outputs) -> Values:
        """Rank by the order of the outputs of every class."""
        values = outputs.values if outputs.values.shape[1] > 1 else outputs.values * np.array([[-1.0], [1.0]])
        ascending = values.take(self._codes, axis=1)
        tags = ascending.view(np.int64)
        tags &= ~self._mask
        tags |= self._truth
        ascending.sort()
        measures, sizes = np.empty((len(self._contests), len(values))), np.diff(self._bounds)
        above, spots = np.empty((len(self._codes), len(sizes)), np.int64), np.empty(len(self._truth) + 1, np.int64)
        given = self._mask, 2.0**-51 * (self._mask + 1), self._codes, self._contests, sizes, outputs.doubts
        rank_tagged(ascending, tags, *given, self._is_area, above, spots, measures)
        left = np.flatnonzero(measures[0] < 0.0)
        if len(left):
            measures[:, left] = self._settled(values[left], outputs, left)
        return measures

    def _settled(self, values: Values, outputs: Outputs, left: Features) -> Values:
        """Rank the outputs of some candidates, of which some may be equal."""
        ascending = values.take(self._order, axis=2)
        for first, last in zip(self._bounds, self._bounds[1:]):
            ascending[:, :, first:last].sort()
        doubts, both = outputs.doubts[left], np.empty((2, len(self._contests), len(left)))

        def count(k: slice, m: slice, rows: Values) -> None:
            count_ranks(ascending[m], self._bounds, self._contests[k], doubts[m], *outputs.exact, rows, *both[:, k, m])

        count(slice(None), slice(None), np.empty((0, 0)))
        measures = both[0 if self._is_area else 1]
        if outputs.rows is not None:
            for k, m in np.argwhere(measures < 0.0).tolist():
                rows = np.column_stack([values[m, self._contests[k, 0]], outputs.rows(int(left[m]))])
                count(slice(k, k + 1), slice(m, m + 1), rows[np.isin(self._truth, self._contests[k])])
        return np.where(measures < 0.0, np.nan, measures)
