"""Multinomial Bhattacharyya distance of any subsets, from the entries that are not zero.

A class that does not use a feature has the root 1, so almost all products of two roots are 1 or a single root.
The sums start from these, class by class, and are corrected only for pairs of classes that both use a feature, in
time k² for k such classes instead of C². The parts of products are those of `add_feature` on the same grids, where
sums are exact, so the sums are the same to the last bit.
"""

from __future__ import annotations

import math

import numpy as np

from sweepless._typing import Counts, Features, Values
from sweepless.kernels._jit import fma, maker
from sweepless.kernels.multinomial.distance import distances


@maker
def subset_distances(
    members: Features,
    ends: Counts,
    sign: int,
    starts: Counts,
    classes: Counts,
    counts: Counts,
    unit: float,
    magic_high: float,
    magic_low: float,
    class_sizes: Counts,
    plan: Counts,
    plan_starts: Counts,
    n_samples: int,
) -> Values:
    """Return J of subsets of two or more features, listed in `members` up to their `ends`; `sign` must be 0."""
    n_classes = len(class_sizes)
    values = np.empty(len(ends))
    high, low = np.empty((n_classes, n_classes)), np.empty((n_classes, n_classes))
    masses = np.empty(n_classes, dtype=np.int64)
    begin = 0
    for k in range(len(ends)):
        features = members[begin : ends[k]]
        _sum_subset(high, low, masses, starts, classes, counts, features, unit, magic_high, magic_low)
        values[k] = distances(
            high,
            low,
            masses,
            len(features),
            starts,
            classes,
            counts,
            features[:1],
            sign,
            unit,
            magic_high,
            magic_low,
            class_sizes,
            plan,
            plan_starts,
            n_samples,
        )[0]
        begin = ends[k]
    return values


@maker
def _sum_subset(
    high: Values,
    low: Values,
    masses: Counts,
    starts: Counts,
    classes: Counts,
    counts: Counts,
    features: Features,
    unit: float,
    magic_high: float,
    magic_low: float,
) -> None:
    """Set the upper triangle of S = high + low and M as `add_feature` does, starting from zero."""
    n_classes = len(masses)
    grain = 1.0 / unit
    n_used = np.zeros(n_classes)
    single_high, single_low = np.zeros(n_classes), np.zeros(n_classes)  # sums of single roots, where not 1
    pair = np.zeros((n_classes, n_classes, 2))
    root, coarse, fine = np.empty(n_classes), np.empty(n_classes), np.empty(n_classes)
    masses[:] = 0
    for feature in features:
        first, last = starts[feature], starts[feature + 1]
        for a in range(last - first):
            i = classes[first + a]
            masses[i] += counts[first + a]
            root[a] = math.sqrt(1.0 + counts[first + a] * grain)
            coarse[a] = (root[a] + magic_high) - magic_high
            fine[a] = ((root[a] - coarse[a]) + magic_low) - magic_low
            n_used[i] += 1.0
            single_high[i] += coarse[a]
            single_low[i] += fine[a]
            row = pair[i]
            for b in range(a):
                j = classes[first + b]
                both = fma(root[a], root[b], magic_high) - magic_high
                rest = fma(root[a], root[b], magic_low - both) - magic_low
                # Subtract the two single roots counted for this pair; the 1 was then subtracted twice.
                row[j, 0] += both - coarse[a] - coarse[b] + 1.0
                row[j, 1] += rest - fine[a] - fine[b]
    for i in range(n_classes):
        for j in range(i + 1, n_classes):
            n_neither = len(features) - n_used[i] - n_used[j]
            high[i, j] = pair[i, j, 0] + pair[j, i, 0] + n_neither + single_high[i] + single_high[j]
            low[i, j] = pair[i, j, 1] + pair[j, i, 1] + single_low[i] + single_low[j]
