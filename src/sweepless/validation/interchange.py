"""Features that replace one another from run to run."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import _safe_indexing

from sweepless._typing import Features, Mask, Values

_BLOCK = 512


def interchangeable_groups(
    table: Mask, features: Features, X: Any, order: Features, min_correlation: float
) -> list[Features]:
    """Group features that carry the same information and take each other's place.

    Two features are interchangeable if their columns correlate (in absolute value) and they rarely meet: at
    most half as many runs select both as would if the runs selected them independently. A group is a clique
    of such features: going through the features in the given order, each joins the first group all of whose
    members it can replace, or opens one. A feature that every run selects is never replaced: it stands alone.

    Parameters
    ----------
    table : bool array, one row per run and one column per feature
    features : array of int
        The columns of X that the columns of the table stand for.
    X : array, sparse matrix or frame
    order : array of int
        Columns of the table, the most wanted first.
    min_correlation : float

    Returns
    -------
    list of arrays of int
        Columns of the table in each group of two or more, ascending.
    """
    partners = _partners(table, _standardised(X, features), min_correlation)
    groups: list[set[int]] = []
    for column in order.tolist():
        home = next((group for group in groups if group <= partners[column]), None)
        if home is None:
            groups.append({column})
        else:
            home.add(column)
    return [np.array(sorted(group), dtype=np.intp) for group in groups if len(group) > 1]


def _partners(table: Mask, columns: Values, min_correlation: float) -> list[set[int]]:
    """List what every feature is interchangeable with; in blocks, because all pairs would not fit."""
    chosen = table.astype(np.float64)
    n_runs, found = len(chosen), chosen.sum(axis=0)
    partners: list[set[int]] = []
    for first in range(0, chosen.shape[1], _BLOCK):
        block = slice(first, first + _BLOCK)
        together = chosen[:, block].T @ chosen
        alike = np.abs(columns[:, block].T @ columns) >= min_correlation
        apart = 2 * n_runs * together <= found[block, None] * found
        partners += [set(np.flatnonzero(row).tolist()) for row in alike & apart]
    return partners


def _standardised(X: Any, features: Features) -> Values:
    """Return the columns with mean 0 and length 1, so that products are correlations; constant ones are 0.

    A missing entry counts as the mean of its column.
    """
    taken = X.tocsc()[:, features].toarray() if sparse.issparse(X) else _safe_indexing(X, features, axis=1)
    columns: Values = np.array(taken, dtype=np.float64)
    missing = np.isnan(columns)
    if missing.any():
        columns[missing] = 0.0
        means = columns.sum(axis=0) / np.maximum((~missing).sum(axis=0), 1)
        columns[missing] = np.broadcast_to(means, columns.shape)[missing]
    noise = 1e-12 * np.sqrt(np.einsum("ij,ij->j", columns, columns))  # what rounding leaves of a constant column
    columns -= columns.mean(axis=0)
    lengths = np.sqrt(np.einsum("ij,ij->j", columns, columns))
    np.divide(columns, lengths, out=columns, where=lengths > noise)
    columns[:, lengths <= noise] = 0.0
    return columns
