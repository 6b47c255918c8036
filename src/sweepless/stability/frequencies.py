"""Stability from the frequencies of features: consistency, its weighted and relative forms, Shannon.

Throughout, n subsets are compared, F_f of them contain feature f, and N is the sum of all F_f. By convention, the
result is 0 for no subsets and 1 for a single subset; subsets that are all empty are equal, so their result is 1.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import Counts
from sweepless.stability.membership import Subsets, check_n_features, counts, memberships


def consistency(subsets: Subsets) -> float:
    """Return C, the mean of (F_f - 1)/(n - 1) over the features in use."""
    found, n_subsets = _count(subsets)
    if (settled := _settled(found, n_subsets)) is not None:
        return settled
    return float(np.mean(found - 1) / (n_subsets - 1))


def weighted_consistency(subsets: Subsets) -> float:
    """Return CW, the mean of (F_f - 1)/(n - 1) with every feature weighted by its frequency."""
    found, n_subsets = _count(subsets)
    if (settled := _settled(found, n_subsets)) is not None:
        return settled
    return int(found @ (found - 1)) / (int(found.sum()) * (n_subsets - 1))


def weighted_consistency_bounds(subsets: Subsets, n_features: int) -> tuple[float, float]:
    """Return the least and the largest CW that subsets of the same total size could have.

    Parameters
    ----------
    subsets : sequence of collections of int
    n_features : int
        Number of features that the runs could select from.
    """
    check_n_features(n_features, subsets)
    found, n_subsets = _count(subsets)
    if (settled := _settled(found, n_subsets)) is not None:
        return settled, settled
    total = int(found.sum())
    # Occurrences that are left over if they are spread evenly, and if as few features as possible share them.
    spread, stacked = total % n_features, total % n_subsets
    least = (total**2 - n_features * (total - spread) - spread**2) / (n_features * total * (n_subsets - 1))
    largest = (stacked**2 + total * (n_subsets - 1) - stacked * n_subsets) / (total * (n_subsets - 1))
    return least, largest


def relative_weighted_consistency(subsets: Subsets, n_features: int) -> float:
    """Return CW_rel: CW on the scale from its least to its largest possible value.

    If the two bounds are equal (for example, if every subset holds all features), CW itself is returned.

    Parameters
    ----------
    subsets : sequence of collections of int
    n_features : int
        Number of features that the runs could select from.
    """
    least, largest = weighted_consistency_bounds(subsets, n_features)
    value = weighted_consistency(subsets)
    return value if largest <= least else (value - least) / (largest - least)


def shannon_consistency(subsets: Subsets) -> float:
    """Return SH, the sum of F_f log F_f over N log n."""
    found, n_subsets = _count(subsets)
    if (settled := _settled(found, n_subsets)) is not None:
        return settled
    return float(found @ np.log2(found) / (found.sum() * np.log2(n_subsets)))


def majority_agreement(subsets: Subsets, n_features: int) -> float:
    """Return PH, which measures how clearly most runs agree about each of all features.

    Parameters
    ----------
    subsets : sequence of collections of int
    n_features : int
        Number of features that the runs could select from.
    """
    check_n_features(n_features, subsets)
    found, n_subsets = _count(subsets)
    if (settled := _settled(found, n_subsets)) is not None:
        return settled
    unused = n_features - len(found)  # selected by no run
    agreeing = unused * n_subsets + int(np.maximum(found, n_subsets - found).sum())
    return 2 * agreeing / (n_features * n_subsets) - 1


def inter_consistency(first: Subsets, second: Subsets) -> float:
    """Return IC, one minus the mean difference between the frequencies of features that either system uses.

    The result is 0 if a system has no subsets, and 1 if all subsets of both systems are empty.
    """
    if not len(first) or not len(second):
        return 0.0
    one, two = (table.mean(axis=0) for table in memberships(first, second))
    return 1.0 - float(np.mean(np.abs(one - two))) if len(one) else 1.0


def inter_weighted_consistency(first: Subsets, second: Subsets) -> float:
    """Return ICW, `inter_consistency` with every feature weighted by the larger of its two frequencies."""
    if not len(first) or not len(second):
        return 0.0
    one, two = (table.mean(axis=0) for table in memberships(first, second))
    weight = np.maximum(one, two)
    return 1.0 - float(weight @ np.abs(one - two) / weight.sum()) if len(one) else 1.0


def _count(subsets: Subsets) -> tuple[Counts, int]:
    return counts(memberships(subsets)[0]), len(subsets)


def _settled(found: Counts, n_subsets: int) -> float | None:
    """Return the conventional value if there is nothing to compare, otherwise None."""
    if n_subsets == 0:
        return 0.0
    return 1.0 if n_subsets == 1 or len(found) == 0 else None
