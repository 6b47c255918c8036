"""Folding a batch into running means, as defined: one entry after the other.

Each accumulator carries its own count n and moves by `m += (z - m) / min(n, horizon)`.
A batch consists of a common subset (`common`, a mask) and, for each entry, the features whose
membership differs from it (one row of `changed`).
"""

from __future__ import annotations

import math

import numpy as np

from sweepless._typing import Counts, Features, Mask, Values
from sweepless.kernels._jit import index, kernel

_SHORT = 1 << 12  # a table this long costs less than to look for the greatest count


@kernel
def fold_sequential(
    z: Values,
    common: Mask,
    changed: Features,
    horizon: int,
    mean_with: Values,
    mean_without: Values,
    count_with: Counts,
    count_without: Counts,
) -> None:
    """Fold entry by entry over all features: the definition (METHOD 7), O(B * D)."""
    horizon = reachable(horizon, len(z), count_with, count_without)
    inside = common.copy()
    rate = rates(horizon)
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


@kernel
def reachable(horizon: int, n_entries: int, count_with: Counts, count_without: Counts) -> int:
    """Return the horizon, or one that no count will pass: a table need not be longer."""
    if horizon <= _SHORT:
        return horizon
    largest: int = max(count_with.max(), count_without.max())
    return min(horizon, largest + n_entries)


@kernel
def rates(horizon: int) -> Values:
    rate = np.ones(horizon + 1)
    for n in range(1, horizon + 1):
        rate[n] = 1.0 / n
    return rate


@kernel
def standardise(values: Values) -> Values:
    """Return z = (J - mean) / deviation, population form; all zero when the batch has no spread (A1, A2).

    Plain sums in order, like the reference: another order of summation is another trajectory.
    """
    n_values = len(values)
    mean = 0.0
    for value in values:
        mean += value
    mean /= n_values
    variance = 0.0
    for value in values:
        variance += (value - mean) * (value - mean)
    deviation = math.sqrt(variance / n_values)
    z = np.zeros(n_values)
    if deviation > 1e-12:
        for k in range(n_values):
            z[k] = (values[k] - mean) / deviation
    return z
