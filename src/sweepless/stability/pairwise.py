"""Stability from pairs of subsets: Tanimoto and Hamming, within one system or between two.

By convention, the result is 0 for no subsets and 1 for a single subset; two empty subsets are equal, so they count 1.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import Values
from sweepless.stability.membership import Subsets, check_n_features, memberships, shared


def tanimoto_index(subsets: Subsets) -> float:
    """Return ATI, the mean over all pairs of subsets of the size of their intersection over that of their union."""
    return _mean_of_pairs(_tanimoto(subsets, subsets)) if len(subsets) > 1 else float(len(subsets))


def normalized_hamming_index(subsets: Subsets, n_features: int) -> float:
    """Return ANHI, the mean over all pairs of the share of features on which both subsets agree.

    Parameters
    ----------
    subsets : sequence of collections of int
    n_features : int
        Number of features that the runs could select from.
    """
    check_n_features(n_features, subsets)
    return _mean_of_pairs(_hamming(subsets, subsets, n_features)) if len(subsets) > 1 else float(len(subsets))


def inter_tanimoto_index(first: Subsets, second: Subsets) -> float:
    """Return IATI, the mean Tanimoto index over all pairs across two systems; 0 if one has no subset."""
    return float(_tanimoto(first, second).mean()) if len(first) and len(second) else 0.0


def inter_hamming_index(first: Subsets, second: Subsets, n_features: int) -> float:
    """Return IANHI, the mean Hamming index over all pairs across two systems; 0 if one has no subset.

    Parameters
    ----------
    first, second : sequences of collections of int
    n_features : int
        Number of features that the runs could select from.
    """
    check_n_features(n_features, first, second)
    return float(_hamming(first, second, n_features).mean()) if len(first) and len(second) else 0.0


def _tanimoto(first: Subsets, second: Subsets) -> Values:
    common, united = _common_and_united(first, second)
    return np.divide(common, united, out=np.ones_like(common), where=united > 0)


def _hamming(first: Subsets, second: Subsets, n_features: int) -> Values:
    common, united = _common_and_united(first, second)
    return 1.0 - (united - common) / n_features


def _common_and_united(first: Subsets, second: Subsets) -> tuple[Values, Values]:
    one, two = memberships(first, second)
    common = shared(one, two)
    return common, one.sum(axis=1)[:, None] + two.sum(axis=1)[None, :] - common


def _mean_of_pairs(table: Values) -> float:
    return float(table[np.triu_indices(len(table), 1)].mean())
