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

_PAGE = 1 << 10  # features


@lru_cache(maxsize=1)
def rates(horizon: int) -> Values:
    """Return the rate of each count up to the horizon, from which on it stays the same; that of 0 is 1."""
    return 1.0 / np.maximum(np.arange(horizon + 1), 1)


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
    """Fold entry by entry over all features: the definition (semantics: running means), O(B * D).

    Features on the side of most that no entry changes, with counts beyond the horizon, all see the same operations, so
    they are folded together; the others are put back and folded one by one.
    """
    most_inside = 2 * int(np.count_nonzero(common)) > len(common)
    means, counts = (mean_with, count_with) if most_inside else (mean_without, count_without)
    is_special = (common != most_inside) | (counts < len(rate) - 1)
    is_special[changed.ravel()] = True
    special = np.flatnonzero(is_special)
    before = means[special], counts[special]
    if len(special) < len(common):
        _fold_together(z, float(rate[-1]), means)
        counts += len(z)
        means[special], counts[special] = before
    _fold_some(z, common.copy(), changed, rate, special, mean_with, mean_without, count_with, count_without)


@kernel
def _fold_together(z: Values, rate: float, means: Values) -> None:
    """Fold entry by entry, a page of features at a time while it is in the cache."""
    for begin in range(0, len(means), _PAGE):
        end = min(begin + _PAGE, len(means))
        for value in z:
            for f in range(index(begin), index(end)):
                means[f] += rate * (value - means[f])


@kernel
def _fold_some(
    z: Values,
    inside: Mask,
    changed: Features,
    rate: Values,
    some: Features,
    mean_with: Values,
    mean_without: Values,
    count_with: Counts,
    count_without: Counts,
) -> None:
    """Fold entry by entry over some features, among them all that an entry changes."""
    horizon = len(rate) - 1
    for entry in range(len(z)):
        for feature in changed[entry]:
            inside[feature] = not inside[feature]
        value = z[entry]
        for f in some:
            if inside[f]:
                count_with[f] += 1
                mean_with[f] += rate[min(count_with[f], horizon)] * (value - mean_with[f])
            else:
                count_without[f] += 1
                mean_without[f] += rate[min(count_without[f], horizon)] * (value - mean_without[f])
        for feature in changed[entry]:
            inside[feature] = not inside[feature]
