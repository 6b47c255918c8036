"""Tables of which run selected which feature."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeAlias

import numpy as np

from sweepless._typing import Counts, Features, Mask, Values
from sweepless.errors import InputError

Subsets: TypeAlias = Sequence[Collection[int]]
"""One collection of feature indices, or one boolean mask, per run; equal subsets may occur."""


def memberships(*systems: Subsets) -> list[Mask]:
    """Return one table per system, a row per subset, over the features that any system uses.

    Features that no subset contains have no column, so a million features need no memory.
    """
    rows = [[indices(subset) for subset in subsets] for subsets in systems]
    flat = [row for system in rows for row in system]
    used: Features = np.unique(np.concatenate(flat)) if flat else np.empty(0, dtype=np.intp)
    return [np.array([np.isin(used, row) for row in system]).reshape(len(system), len(used)) for system in rows]


def counts(table: Mask) -> Counts:
    """Return how many subsets contain each used feature."""
    found: Counts = table.sum(axis=0, dtype=np.int64)
    return found


def shared(one: Mask, two: Mask) -> Values:
    """Return the number of features that each subset of one table shares with each subset of the other."""
    return one.astype(np.float64) @ two.T.astype(np.float64)  # counts are exact in double


def check_n_features(n_features: int, *systems: Subsets) -> None:
    """Raise if `n_features` is not positive or a subset contains a greater index."""
    largest = max((indices(subset).max(initial=-1) for subsets in systems for subset in subsets), default=-1)
    if n_features < 1 or largest >= n_features:
        raise InputError(
            f"`n_features` must be a positive number above every feature index, got {n_features} "
            f"with a largest index of {largest}."
        )


def indices(subset: Collection[int]) -> Features:
    """Return the features of a subset in ascending order, each once."""
    given = np.asarray(list(subset))
    if given.dtype == np.bool_:
        return np.flatnonzero(given)
    if given.size and (given.ndim != 1 or given.dtype.kind not in "iu" or given.min() < 0):
        raise InputError(f"a subset must hold feature indices of at least 0, or be a boolean mask, got {subset!r}.")
    return np.unique(given.astype(np.intp))
