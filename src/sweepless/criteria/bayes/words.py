"""What multinomial naive Bayes knows about single features: counts on a grid that makes their sums exact."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from sweepless._typing import Counts, Values
from sweepless.criteria.bayes.layout import Cells
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.errors import DataError
from sweepless.kernels.bayes.multinomial import count_by_definition, count_weighted_words, count_words, log_table


class Words(NamedTuple):
    """The counts of some features, one feature per row."""

    columns: Values
    counts: Values
    logs: Values

    @staticmethod
    def of(columns: Values, grid: float, cells: Cells, alpha: float) -> Words:
        columns = cells.sorted(columns)
        columns /= grid
        np.rint(columns, out=columns)
        columns *= grid
        counts, logs = np.empty((2, len(columns), *cells.shape))
        if cells.weights is None:
            count_words(columns, cells.bounds, alpha, counts, logs)
        else:
            spacing = grid * 2.0 ** max(0.0, np.ceil(np.log2(max(cells.weights.max(), 1e-300))))
            count_weighted_words(columns, cells.bounds, cells.weights, alpha, spacing, counts, logs)
        return Words(columns, counts, logs)

    def spliced(self, direction: Direction, place: int, other: Words) -> Words:
        return Words(*(direction.spliced_rows(mine, place, new[0]) for mine, new in zip(self, other)))

    def largest_terms(self) -> Values:
        """Bound |x log(N + alpha)| of every feature in every fold."""
        return np.asarray(np.abs(self.logs).max(axis=2) * self.columns.max(axis=1, initial=0.0)[:, None])

    def count_by_definition(self, alpha: float, cells: Cells) -> tuple[Counts, bool]:
        closing = logs_of(self.counts.sum(axis=0)[None], alpha * len(self.columns))
        return count_by_definition(self.columns, self.logs, closing[0], cells.priors, cells.bounds)


def logs_of(masses: Values, smoothing: float) -> Values:
    """Take logarithms, always by the same machine code, since their last bit is part of J."""
    logs = np.empty_like(masses)
    log_table(masses, smoothing, logs)
    return logs


def count_grid(data: Dataset) -> float:
    """Return the spacing on which any sum of the counts is exact: 2**-51 of a power of two above their total."""
    matrix: Any = data.X
    stored = matrix.data if sparse.issparse(matrix) else matrix
    if stored.size and stored.min() < 0:
        raise DataError(f"naive Bayes on counts needs values that are not negative, got some in {data.name}.")
    total = float(stored.sum(dtype=np.float64))
    if not total < 2.0**900:
        raise DataError(f"counts must sum to less than 2**900, got {total:.3g} in {data.name}.")
    return float(2.0 ** (np.ceil(np.log2(max(total, 2.0**-900))) - 51))
