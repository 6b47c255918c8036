"""Information that discrete features hold about each other and about the classes, on a grid of integers.

A feature is a row of codes 0, 1, …, not all of which need to occur. Counts are integers, and with s(n) = n log n an
entropy is log N - sum s(n) / N. The table of s is computed once, and sums run over cells in a fixed order, the lower
feature first, so that the bits are always the same. Results are rounded to multiples of `GRID`, so that sums over
features and pairs are sums of integers, exact in any order.
"""

from __future__ import annotations

import math

import numpy as np

from sweepless._typing import AnyArray, Counts, Values
from sweepless.kernels._jit import inner_maker, maker

GRID = 2.0**-27


@maker
def log_sums(n_samples: int) -> Values:
    """Return s(n) = n log n for n = 0 … N."""
    table = np.zeros(n_samples + 1)
    for n in range(1, n_samples + 1):
        table[n] = n * math.log(n)
    return table


@maker
def singles(codes: AnyArray, y: AnyArray, n_codes: int, n_classes: int, table: Values, symmetric: bool) -> Counts:
    """Return each feature's symmetric uncertainty with the classes, or its information on them in nats."""
    found = np.empty(len(codes), dtype=np.int64)
    for m in range(len(codes)):
        found[m] = _shared(codes[m], y, n_codes, n_classes, table, symmetric)
    return found


@maker
def correlations(features: Counts, codes: AnyArray, feature: int, own: AnyArray, n_codes: int, table: Values) -> Counts:
    """Return the symmetric uncertainty of one feature and each of the others."""
    found = np.empty(len(codes), dtype=np.int64)
    for m in range(len(codes)):
        if features[m] < feature:
            found[m] = _shared(codes[m], own, n_codes, n_codes, table, True)
        else:
            found[m] = _shared(own, codes[m], n_codes, n_codes, table, True)
    return found


@maker
def joint_informations(
    features: Counts,
    codes: AnyArray,
    feature: int,
    own: AnyArray,
    n_codes: int,
    y: AnyArray,
    n_classes: int,
    table: Values,
) -> Counts:
    """Return the joint information of one feature and each of the others on the classes, in nats."""
    found = np.empty(len(codes), dtype=np.int64)
    pairs = np.empty(len(own), dtype=np.int64)
    for m in range(len(codes)):
        lower_first = features[m] < feature
        for i in range(len(own)):
            if lower_first:
                pairs[i] = np.int64(codes[m, i]) * n_codes + own[i]
            else:
                pairs[i] = np.int64(own[i]) * n_codes + codes[m, i]
        found[m] = _shared(pairs, y, n_codes * n_codes, n_classes, table, False)
    return found


@inner_maker
def _shared(a: AnyArray, b: AnyArray, n_a: int, n_b: int, table: Values, symmetric: bool) -> int:
    """Return I(a; b), or 2 I(a; b) / (H(a) + H(b)), in units of the grid; 0 where neither varies."""
    joint = np.zeros((n_a, n_b), dtype=np.int64)
    for i in range(len(a)):
        joint[a[i], b[i]] += 1
    across = np.zeros(n_b, dtype=np.int64)
    sum_a = 0.0
    sum_ab = 0.0
    for p in range(n_a):
        total = 0
        for q in range(n_b):
            count = joint[p, q]
            if count > 0:
                total += count
                across[q] += count
                sum_ab += table[count]
        sum_a += table[total]
    sum_b = 0.0
    for q in range(n_b):
        sum_b += table[across[q]]
    whole = table[len(a)]
    shared = ((sum_ab - sum_a) - sum_b) + whole  # N I(a; b)
    if symmetric:
        entropies = (whole - sum_a) + (whole - sum_b)
        value = 2.0 * shared / entropies if entropies > 0.0 else 0.0
    else:
        value = shared / len(a)
    return int(np.rint(max(value, 0.0) / GRID))
