"""How high the samples of a class rank above those of others by the outputs of that class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np

from sweepless._typing import AnyArray, Counts, Values
from sweepless.criteria.scores.base import Keyed, Lines, Outputs, Shares, Single
from sweepless.kernels._eights import eights
from sweepless.kernels._lanes import WIDTH, aligned
from sweepless.kernels._sixteens import rows_for
from sweepless.kernels.keys import HIGHEST, key_margins, key_shares
from sweepless.kernels.orders import ABREAST, MANY, N_SPOTS, OPEN, average_precisions, count_below, sum_places
from sweepless.kernels.ranks import count_levels, count_ranks, rank_levels

Measure: TypeAlias = Literal["area", "precision"]
_FEW = 512  # more samples are faster sorted by NumPy, and those of several classes class by class


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
        codes, self._rows = np.unique(contests[:, 0], return_inverse=True)
        self._is_whole = all(np.isin(truth, contest).all() for contest in contests)  # nobody is left out
        n_bits = 1 if self._is_whole else int(max(truth.max(), contests.max())).bit_length()
        marks = aligned(len(codes), eights(len(truth)), np.int32)
        marks[:, : len(truth)] = HIGHEST + (truth == codes[:, None] if self._is_whole else truth)
        self._lines = Lines(codes, marks, n_bits)
        self._sizes = np.bincount(truth, minlength=n_classes).astype(np.int64)

    def __call__(self, outputs: Outputs | Keyed | Single | Shares, measure: Measure) -> Values:
        """Return one value per contest and candidate."""
        if isinstance(outputs, Shares):
            return self._rank_levels(_levels_of_votes(outputs.tables))[measure]
        if isinstance(outputs, Single):
            return self._rank_levels(self._levels_of_tables(outputs.tables))[measure]
        if isinstance(outputs, Keyed) and len(self._truth) > MANY:
            outputs = outputs.outputs(np.arange(outputs.n_candidates))
        if isinstance(outputs, Keyed):
            keys, limits = self._room(outputs.n_candidates)
            outputs.fill(self._lines, keys, limits)
            return self._completed(self._by_keys(keys, limits, measure), outputs.outputs, measure)
        if outputs.n_votes:
            return self._rank_levels(self._levels_of_shares(outputs))[measure]
        if outputs.values.shape[1] == 1:
            outputs = outputs._replace(values=outputs.values * np.array([[-1.0], [1.0]]))
        n_many = _FEW if len(self._lines.codes) > 1 else MANY
        if len(self._truth) > n_many or (measure == "precision" and not self._is_whole):
            return self._sort_classes(outputs, measure)
        return self._completed(self._sort(outputs, measure), outputs.some, measure)

    def _completed(self, found: Values, outputs_of: Callable[[Counts], Outputs], measure: Measure) -> Values:
        """Fill in what is open."""
        is_open = found == OPEN  # a minimum would be NaN where one is
        if is_open.any():
            left = np.flatnonzero(is_open.any(axis=0))
            found[:, left] = self._sort_classes(outputs_of(left), measure)
        return found

    def _sort(self, outputs: Outputs, measure: Measure) -> Values:
        """Rank by one order of all samples; what hangs on nearly equal outputs is left open."""
        codes, marks, n_bits = self._lines
        keys, limits = self._room(len(outputs.values))
        known = (outputs.values, codes, outputs.doubts, marks, n_bits)
        if outputs.exact == (0.0, 1.0):
            key_shares(*known, np.empty(keys.shape[1], dtype=np.int64), keys, limits)
        else:
            key_margins(*known, np.empty(keys.shape[1]), keys, limits)
        return self._by_keys(keys, limits, measure)

    def _room(self, n_candidates: int) -> tuple[AnyArray, Counts]:
        """Return arrays for keys and their limits."""
        n_keys = len(self._lines.codes) * len(self._truth)
        return np.empty((n_candidates, n_keys), dtype=np.int32), np.empty(n_candidates, dtype=np.int64)

    def _by_keys(self, keys: AnyArray, limits: Counts, measure: Measure) -> Values:
        """Rank by keys; what hangs on nearly equal ones is left open."""
        codes, n_bits = self._lines.codes, self._lines.n_bits
        lines = keys.reshape(-1, len(self._truth))
        if is_ordered := lines.shape[1] > _FEW:
            lines.sort()
        known = (lines, is_ordered, limits, codes)
        n_classes, n_rows = len(self._sizes), rows_for(lines.shape[1])
        room = aligned(n_rows + N_SPOTS + ABREAST, WIDTH, np.int32)
        pads = (room[:n_rows], room[n_rows : n_rows + N_SPOTS])
        if not self._is_whole:
            found = np.empty((len(self._contests), len(keys)))
            more = (room[n_rows + N_SPOTS :], np.empty((n_classes, len(lines))))
            count_below(*known, self._contests, self._rows, self._sizes, n_bits, *pads, *more, found)
            return found
        by_line = np.empty(len(lines))
        if measure == "area":
            sum_places(*known, self._sizes, *pads, by_line)
        else:
            average_precisions(*known, self._sizes, *pads, np.empty((1, WIDTH)), by_line)
        return by_line.reshape(len(keys), -1).T[self._rows]

    def _levels_of_shares(self, outputs: Outputs) -> Counts:
        """Count how often each number of votes occurs, per candidate, class and true class."""
        n_candidates, n_classes = outputs.values.shape[:2]
        table = np.zeros((n_candidates, n_classes, n_classes, outputs.n_votes + 1), dtype=np.int64)
        count_levels(outputs.values, self._truth, outputs.n_votes, table)
        return table

    def _levels_of_tables(self, tables: Counts) -> Counts:
        """Do the same for a single vote."""
        right = tables.transpose(0, 2, 1)
        return np.stack([self._sizes[: tables.shape[1]] - right, right], axis=3)

    def _rank_levels(self, table: Counts) -> dict[Measure, Values]:
        areas, precisions = np.empty((2, len(self._contests), len(table)))
        rank_levels(table, self._contests, areas, precisions)
        return {"area": areas, "precision": precisions}

    def _sort_classes(self, outputs: Outputs, measure: Measure) -> Values:
        """Rank by the orders of the outputs within every class, which tell what is equal."""
        areas, precisions = np.empty((2, len(self._contests), len(outputs.values)))
        values = outputs.values
        ascending = values.take(self._order, axis=2)
        for first, last in zip(self._bounds, self._bounds[1:]):
            ascending[:, :, first:last].sort()

        def count(k: slice, m: slice, rows: Values) -> None:
            found = areas[k, m], precisions[k, m]
            count_ranks(ascending[m], self._bounds, self._contests[k], outputs.doubts[m], *outputs.exact, rows, *found)

        found = areas if measure == "area" else precisions
        count(slice(None), slice(None), np.empty((0, 0)))
        if outputs.rows is not None:
            for k, m in np.argwhere(found < 0.0).tolist():
                rows = np.column_stack([values[m, self._contests[k, 0]], outputs.rows(m)])
                count(slice(k, k + 1), slice(m, m + 1), rows[np.isin(self._truth, self._contests[k])])
        found[found < 0.0] = np.nan
        return found


def _levels_of_votes(tables: Counts) -> Counts:
    """Count how often each number of votes occurs, per candidate, class and true class: others have the rest."""
    levels = np.repeat(tables[:, None, :, ::-1], 2, axis=1)
    for code in range(2):
        levels[:, code, code] = tables[:, code]
    return levels
