"""Sums of features over the classes, as compressed columns: all that multinomial models need of the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from sweepless._typing import AnyArray, Counts, Features, Values
from sweepless.dataset import Dataset
from sweepless.errors import DataError

# Counts are almost always integers; fractional ones are rounded once to this grid.
COUNT_GRID = 2.0**20
_BLOCK_CELLS = 1 << 22  # the number of cells of a dense X that are summed at once


@dataclass(frozen=True, eq=False)
class ClassCounts:
    """N[c, f] in units of the count grid; each count that is not zero takes 12 bytes.

    That is at most as much as X takes as compressed columns of doubles, and 12 C bytes for a feature that all of
    C classes use.
    """

    starts: Counts  # of each feature's entries, and the end of the last
    classes: AnyArray
    counts: Counts
    masses: Counts  # of each class, over all features

    @property
    def n_features(self) -> int:
        return len(self.starts) - 1

    def dense(self, features: Features) -> Values:
        """Return N of some features, classes in rows."""
        table = np.zeros((len(self.masses), len(features)))
        for place, feature in enumerate(features):
            entries = slice(self.starts[feature], self.starts[feature + 1])
            table[self.classes[entries], place] = self.counts[entries] / COUNT_GRID
        return table

    def feature_masses(self) -> Values:
        """Return the sum of every feature over all classes."""
        cumulated = np.concatenate([[0], np.cumsum(self.counts)])
        return np.asarray((cumulated[self.starts[1:]] - cumulated[self.starts[:-1]]) / COUNT_GRID)

    def renumbered(self, order: Counts) -> ClassCounts:
        """Return the counts with class order[k] as class k."""
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        return ClassCounts(self.starts, rank[self.classes].astype(self.classes.dtype), self.counts, self.masses[order])


def class_counts(data: Dataset) -> ClassCounts:
    """Sum every feature over each class without a copy of all the data."""
    matrix: Any = data.X
    stored = matrix.data if sparse.issparse(matrix) else matrix
    if stored.size and stored.min() < 0:
        raise DataError(f"the multinomial model needs counts that are not negative, got some in {data.name}.")
    indicator = sparse.csr_matrix(
        (np.ones(data.n_samples), (data.codes, np.arange(data.n_samples))), shape=(len(data.classes), data.n_samples)
    )
    if sparse.issparse(matrix):
        sums = sparse.csc_matrix(indicator @ matrix)
    else:
        width = max(1, _BLOCK_CELLS // data.n_samples)
        blocks = range(0, data.n_features, width)
        sums = sparse.hstack([sparse.csc_matrix(indicator @ matrix[:, at : at + width]) for at in blocks], "csc")
    if sums.data.sum() >= 2.0**41:
        raise DataError(f"counts must sum to less than 2**41, got {sums.data.sum():.3g} in {data.name}.")
    counts = np.rint(sums.data * COUNT_GRID).astype(np.int64)
    masses = np.zeros(len(data.classes), dtype=np.int64)
    np.add.at(masses, sums.indices, counts)
    return ClassCounts(sums.indptr.astype(np.int64), sums.indices.astype(np.int32), counts, masses)
