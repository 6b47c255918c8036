"""What Gaussian naive Bayes knows about single features."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sweepless._typing import Counts, Mask, Values
from sweepless.criteria.bayes.layout import Cells
from sweepless.direction import Direction
from sweepless.kernels.bayes.definition import count_subsets
from sweepless.kernels.bayes.moments import describe, describe_weighted, largest_terms, measure, tabulate


class Moments(NamedTuple):
    """The moments of some features in every training part, one feature per row."""

    columns: Values
    means: Values
    variances: Values
    spreads: Values
    extents: Values

    @staticmethod
    def of(columns: Values, cells: Cells) -> Moments:
        # Relative to a value that occurs, features far from zero keep the digits in which they vary.
        origins = np.ascontiguousarray(columns[:, 0])
        columns = cells.sorted(columns)
        with np.errstate(over="ignore", invalid="ignore"):
            columns -= origins[:, None]
        shape = (1, cells.shape[1]) if cells.leaves_one_out else cells.shape
        means, variances = np.empty((2, len(columns), *shape))
        spreads = np.empty((len(columns), shape[0]))
        describe(columns, cells.trained, means, variances, spreads)
        if cells.weights is not None:  # the greatest variance, as in scikit-learn, knows no weights
            describe_weighted(columns, cells.bounds, cells.weights, means, variances)
        if cells.leaves_one_out:  # all samples describe every fold
            means, variances, spreads = (np.repeat(one, cells.n_folds, axis=1) for one in (means, variances, spreads))
        return Moments(columns, means, variances, spreads, measure(columns, origins))

    def spliced(self, direction: Direction, place: int, other: Moments) -> Moments:
        return Moments(*(direction.spliced_rows(mine, place, new[0]) for mine, new in zip(self, other)))

    def tables(self, epsilon: Values) -> tuple[Values, Values]:
        """Return a and b of every term for the given epsilon per fold, or per feature and fold."""
        heights, slopes = np.empty((2, *self.means.shape))
        tabulate(self.variances, np.broadcast_to(epsilon, self.spreads.shape), heights, slopes)
        return heights, slopes

    def largest_terms(self, heights: Values, slopes: Values, cells: Cells) -> tuple[Values, Values]:
        """Bound |term| of every feature in every fold, and how much another arithmetic may change it."""
        n_samples = self.columns.shape[1]
        return largest_terms(self.extents, self.means, heights, slopes, cells.priors, n_samples)

    def count_by_definition(
        self, rows: Counts, ends: Counts, var_smoothing: float, cells: Cells
    ) -> tuple[Counts, Values, Mask]:
        """Count the correctly classified samples per subset and fold; return epsilon too, and where a call is close."""
        correct = np.empty((len(ends), cells.n_folds), dtype=np.int64)
        epsilon = np.empty(correct.shape)
        has_close_call = np.empty(len(ends), dtype=np.bool_)
        described = (self.columns, self.extents, self.means, self.variances, self.spreads)
        places = (cells.priors, cells.bounds, cells.largest_prior)
        count_subsets(correct, has_close_call, epsilon, rows, ends, var_smoothing, *described, *places)
        return correct, epsilon, has_close_call

    def epsilon(self, var_smoothing: float) -> Values:
        """Return per fold the number that is added to the variances of these features together."""
        return np.asarray(var_smoothing * self.spreads.max(axis=0, initial=0.0))

    def epsilon_next_door(self, direction: Direction, found: Moments, var_smoothing: float) -> Values:
        """Return epsilon per candidate and fold of these features with, or without, the candidate."""
        top = np.zeros((2, self.spreads.shape[1]))
        ranked = np.sort(self.spreads, axis=0)[::-1][:2]
        top[: len(ranked)] = ranked
        # A candidate as wide as the widest member is that member itself, or its own width is the maximum.
        others = np.where(found.spreads == top[0], top[1], top[0])
        return np.asarray(var_smoothing * np.maximum(others, np.where(direction.adds, found.spreads, 0.0)))
