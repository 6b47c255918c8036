"""Folding a batch into running means, as defined: one entry after the other.

Each accumulator carries its own count n and moves by `m += (z - m) / min(n, horizon)`.
A batch consists of a common subset (`common`, a mask) and, for each entry, the features whose
membership differs from it (one row of `changed`).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from sweepless._typing import Counts, Features, Mask, Values
from sweepless.kernels._jit import index, kernel


@lru_cache(maxsize=1)
def rates(horizon: int) -> Values:
    """Return the rate of each count up to the horizon, from which on it stays the same; that of 0 is 1."""
    return 1.0 / np.maximum(np.arange(horizon + 1), 1)


@kernel
def fold_sequential(
    z: Values,
    common: Mask,
    changed: Features,
    rate: Values,
    mean_with: Values,
    mean_without: Values,
    count_with: Counts,
    count_without: Counts,
) -> None:
    """Fold entry by entry over all features: the definition (semantics: running means), O(B * D)."""
    inside = common.copy()
    horizon = len(rate) - 1
    for entry in range(len(z)):
        for feature in changed[entry]:
            inside[feature] = not inside[feature]
        value = z[entry]
        for f in range(index(len(inside))):
            if inside[f]:
                count_with[f] += 1
                mean_with[f] += rate[min(count_with[f], horizon)] * (value - mean_with[f])
            else:
                count_without[f] += 1
                mean_without[f] += rate[min(count_without[f], horizon)] * (value - mean_without[f])
        for feature in changed[entry]:
            inside[feature] = not inside[feature]
