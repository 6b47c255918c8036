"""Multinomial Bhattacharyya distance from integer sums, which are exact in any order.

With R[c, f] = sqrt(1 + N[c, f]) the sum over a subset of sqrt(theta_i theta_j) is
S_ij / sqrt((d + M_i)(d + M_j)), where S_ij sums R[i, f] R[j, f] and M_c sums N[c, f] over the subset
(METHOD 12). Every product is rounded once to a grid of integers, so S and M are sums of integers: a
candidate costs O(C²) and the value does not depend on the path to the subset.
"""

from __future__ import annotations

import math

import numpy as np

from sweepless._typing import Counts, Values
from sweepless.kernels._jit import kernel


@kernel
def add_products(products: Counts, roots: Values, grid: float, sign: int) -> None:
    """Add (sign 1) or subtract (-1) one feature's products to the upper triangle of S."""
    for i in range(len(roots)):
        for j in range(i + 1, len(roots)):
            products[i, j] += sign * np.int64(np.rint(roots[i] * roots[j] * grid))


@kernel
def distance(
    products: Counts,
    masses: Counts,
    size: int,
    roots: Values,
    counts: Counts,
    sign: int,
    grid: float,
    count_grid: float,
    priors: Values,
    n_samples: int,
) -> float:
    """Return J of the subset with (sign 1), without (-1) or regardless of (0) one feature; `size` counts the result."""
    n_classes = len(masses)
    half_log = np.empty(n_classes)
    total = 0.0
    for c in range(n_classes):
        mass = (masses[c] + sign * counts[c]) / count_grid
        total += mass
        half_log[c] = 0.5 * math.log(size + mass)
    weighted = 0.0
    for i in range(n_classes):
        for j in range(i + 1, n_classes):
            product = products[i, j] + sign * np.int64(np.rint(roots[i] * roots[j] * grid))
            weighted += priors[i] * priors[j] * (math.log(product / grid) - half_log[i] - half_log[j])
    return -(total / n_samples) * weighted


@kernel
def distances(
    products: Counts,
    masses: Counts,
    size: int,
    roots: Values,
    counts: Counts,
    sign: int,
    grid: float,
    count_grid: float,
    priors: Values,
    n_samples: int,
) -> Values:
    """Return J with or without each candidate; `roots` and `counts` hold one candidate per row."""
    values = np.empty(len(roots))
    for k in range(len(roots)):
        values[k] = distance(products, masses, size, roots[k], counts[k], sign, grid, count_grid, priors, n_samples)
    return values
