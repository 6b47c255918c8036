"""Multinomial Bhattacharyya distance from sums that are exact in any order.

With R[c, f] = sqrt(1 + N[c, f]) the sum over a subset of sqrt(theta_i theta_j) is
S_ij / sqrt((d + M_i)(d + M_j)), where S_ij sums R[i, f] R[j, f] and M_c sums N[c, f] over the subset.
Every product is split once into a high and a low part on two grids of doubles on which sums are exact (adding and
subtracting `magic` rounds to a grid); M is a sum of integers. So a candidate costs O(C²), and the value does not
depend on the path to the subset.

C(C-1)/2 logarithms would be the greatest cost. The weights of the pairs are n_i n_j / n² for class sizes n, so
sum_ij n_i n_j log S_ij = sum_i n_i log(prod_j S_ij ** n_j). The powers of all j are computed together, one bit of
the exponents after the other, which takes C logarithms and a few multiplications per pair. Classes are in descending
order of size, so that the exponents are small. Candidates are innermost in memory, in tiles that stay in the cache.
"""

from __future__ import annotations

import math

import numpy as np

from sweepless._typing import Counts, Features, Values
from sweepless.kernels._jit import fma, index, inner_maker, maker
from sweepless.kernels.elementary import log_of
from sweepless.kernels.multinomial.class_products import (
    RANGE,
    add_logarithms,
    multiply_four,
    multiply_powers,
    orders_of,
    put_aside,
    sum_one,
)

_TILE = 128
_LANES = 4  # tiles are padded to a multiple of this, as the tails of loops are not vectorized


@maker
def add_feature(
    high: Values,
    low: Values,
    masses: Counts,
    starts: Counts,
    classes: Counts,
    counts: Counts,
    features: Features,
    sign: int,
    unit: float,
    magic_high: float,
    magic_low: float,
) -> None:
    """Add (sign 1) or subtract (-1) features to the upper triangle of S = high + low and to M."""
    roots = np.empty(len(masses))
    for feature in features:
        roots[:] = 1.0
        for at in range(starts[feature], starts[feature + 1]):
            roots[classes[at]] = math.sqrt(1.0 + counts[at] / unit)
            masses[classes[at]] += sign * counts[at]
        for i in range(len(roots)):
            for j in range(i + 1, len(roots)):
                signed = sign * roots[i]
                coarse = fma(signed, roots[j], magic_high) - magic_high
                high[i, j] += coarse
                low[i, j] += fma(signed, roots[j], magic_low - coarse) - magic_low


@maker
def distances(
    high: Values,
    low: Values,
    masses: Counts,
    size: int,
    starts: Counts,
    classes: Counts,
    counts: Counts,
    candidates: Features,
    sign: int,
    unit: float,
    magic_high: float,
    magic_low: float,
    class_sizes: Counts,
    plan: Counts,
    plan_starts: Counts,
    n_samples: int,
) -> Values:
    """Return J with (sign 1), without (-1) or regardless of (0) each candidate; `size` counts the result.

    `starts`, `classes` and `counts` are the class counts as compressed columns, one feature after the other.
    """
    n_classes = len(masses)
    n_candidates = len(candidates)
    values = np.empty(n_candidates)
    width = min(_TILE, (n_candidates + _LANES - 1) // _LANES * _LANES)
    roots = np.empty((n_classes, width))
    log_mass = np.empty((n_classes, width))
    sums = np.empty((n_classes + 1, width))
    sums[n_classes] = 1.0
    signed = np.empty(width)
    greatest = np.empty(n_classes)
    product = np.empty(width)
    exponent = np.empty(width)
    weighted = np.empty(width)
    total = np.empty(width)
    n_all = class_sizes.sum()
    for begin in range(0, n_candidates, width):
        n = index(min(width, (n_candidates - begin + _LANES - 1) // _LANES * _LANES))
        _spread(
            masses, size, starts, classes, counts, candidates, begin, sign, unit, roots, log_mass, total, greatest, n
        )
        for k in range(n):
            weighted[k] = 0.0
        for c in range(n_classes):
            # Every pair of the class contains half the logarithm of d + M_c.
            weight = 0.5 * class_sizes[c] * (n_all - class_sizes[c])
            for k in range(n):
                weighted[k] -= weight * log_mass[c, k]
        n_rest = n_all
        for i in range(n_classes - 1):
            n_rest -= class_sizes[i]
            order, span = orders_of(high[i], low[i], greatest, i, float(size), sign)
            scale = np.int64((1023 - order) << 52).view(np.float64)  # 2**-order, which brings all sums below 1
            for k in range(n):
                signed[k] = sign * roots[i, k] * scale
                product[k] = 1.0
                exponent[k] = 0.0
            start, stop = plan_starts[i], plan_starts[i + 1]
            first, reached = i + 1, 0
            if plan[start, 4] == 0:  # all powers are first powers: four sums at a time need not be kept
                while first + 4 <= n_classes:
                    if reached + 4 * span > RANGE:
                        put_aside(product, exponent, 1.0, n)
                        reached = 1
                    reached += 4 * span
                    multiply_four(high[i], low[i], scale, magic_high, magic_low, signed, roots, first, product, n)
                    first += 4
                    start += 1
            for j in range(first, n_classes):
                sum_one(high[i, j], low[i, j], scale, magic_high, magic_low, signed, roots[j], sums[j], n)
            multiply_powers(sums, span, reached, plan, start, stop, product, exponent, n)
            add_logarithms(product, exponent, float(order * n_rest), float(class_sizes[i]), weighted, n)
        for k in range(min(width, n_candidates - begin)):
            values[begin + k] = -(total[k] / n_samples) * (weighted[k] / (float(n_all) * n_all))
    return values


@inner_maker
def _spread(
    masses: Counts,
    size: int,
    starts: Counts,
    classes: Counts,
    counts: Counts,
    candidates: Features,
    begin: int,
    sign: int,
    unit: float,
    roots: Values,
    log_mass: Values,
    total: Values,
    greatest: Values,
    n: int,
) -> None:
    """Lay out a tile of candidates, classes in rows, with their total mass and the greatest root each row may add.

    Most candidates change few classes, and only these are computed. The last candidate pads the tile.
    """
    grain = 1.0 / unit
    greatest[:] = float(max(sign, 0))
    for c in range(len(masses)):
        log_here = log_of(size + masses[c] * grain)
        for k in range(index(n)):
            roots[c, k] = 1.0
            log_mass[c, k] = log_here
    changed = np.empty(len(masses) * n)
    row = np.empty(len(changed), dtype=np.uint64)
    column = np.empty(len(changed), dtype=np.uint64)
    n_changed = index(0)
    mass = masses.sum()
    for k in range(index(n)):
        feature = candidates[min(begin + k, len(candidates) - 1)]
        added = 0
        for at in range(starts[feature], starts[feature + 1]):
            c = index(classes[at])
            root = math.sqrt(1.0 + counts[at] * grain)
            roots[c, k] = root
            if sign > 0 and root > greatest[c]:
                greatest[c] = root
            added += sign * counts[at]
            changed[n_changed] = size + (masses[c] + sign * counts[at]) * grain
            row[n_changed], column[n_changed] = c, k
            n_changed += index(1)
        total[k] = (mass + added) * grain
    for at in range(n_changed):  # apart, so that logarithms are vectorized
        changed[at] = log_of(changed[at])
    for at in range(n_changed):
        log_mass[row[at], column[at]] = changed[at]


@maker
def single_distances(
    starts: Counts,
    classes: Counts,
    counts: Counts,
    features: Features,
    unit: float,
    denominators: Values,
    weights: Values,
    mean_length: float,
) -> Values:
    """Return the individual Bhattacharyya distance of each feature; theta is (1 + N) / denominator."""
    n_classes = len(weights)
    values = np.empty(len(features))
    theta = np.empty(n_classes)
    for k in range(len(features)):
        for c in range(n_classes):
            theta[c] = 1.0 / denominators[c]
        for at in range(starts[features[k]], starts[features[k] + 1]):
            theta[classes[at]] = (1.0 + counts[at] / unit) / denominators[classes[at]]
        total = 0.0
        for i in range(n_classes):
            for j in range(i + 1, n_classes):
                overlap = math.sqrt(theta[i] * theta[j]) + math.sqrt((1.0 - theta[i]) * (1.0 - theta[j]))
                total += weights[i] * weights[j] * -mean_length * math.log(overlap)
        values[k] = total / (n_classes * (n_classes - 1) / 2)
    return values
