"""Wilcoxon's signed ranks, exact for few pairs whether or not some differences are equal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_MOST = 50  # pairs up to which all sign patterns are counted


def signed_ranks(differences: Sequence[float]) -> tuple[float, float]:
    """Return the smaller sum of ranks and its two-sided p; differences of zero are left out, equal ones share ranks.

    Under the null hypothesis every sign pattern is as likely as any other: their rank sums are counted. (SciPy does so
    by evaluating the statistic on every pattern as soon as two differences are equal, a second for ten pairs.)
    """
    from scipy import stats

    found = np.asarray([difference for difference in differences if difference != 0.0])
    if len(found) > _MOST:
        large = stats.wilcoxon(found, method="approx")
        return float(large.statistic), float(large.pvalue)
    doubled = np.rint(2 * stats.rankdata(np.abs(found))).astype(int)  # shared ranks end in a half
    positive = int(doubled[found > 0].sum())
    least = min(positive, int(doubled.sum()) - positive)
    counts = np.zeros(int(doubled.sum()) + 1)
    counts[0] = 1.0
    for rank in doubled:
        counts[rank:] += counts[:-rank].copy()
    return least / 2, min(1.0, 2.0 * float(counts[: least + 1].sum()) / 2.0 ** len(found))
