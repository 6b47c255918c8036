"""Multinomial Bhattacharyya distance from sums that are exact in any order.

With R[c, f] = sqrt(1 + N[c, f]) the sum over a subset of sqrt(theta_i theta_j) is
S_ij / sqrt((d + M_i)(d + M_j)), where S_ij sums R[i, f] R[j, f] and M_c sums N[c, f] over the subset
(METHOD 12). Every product is split once into a high and a low part on two grids of doubles on which sums do
not round (`magic` rounds to a grid when added and subtracted); M is a sum of integers. So a candidate
costs O(C²) and the value does not depend on the path to the subset.

The C(C-1)/2 logarithms would cost the most. The weights of the pairs are n_i n_j / n² for class sizes n, so
sum_ij n_i n_j log S_ij = sum_i n_i log(prod_j S_ij ** n_j), and the powers of all j are taken together, bit
after bit of the exponents: C logarithms, and a few multiplications per pair. Powers of two are put aside where
the products would leave the range of doubles, which changes no bit. Classes come in descending size, so the
exponents are the smaller sizes. Candidates are innermost in memory, in tiles that stay in the cache.
"""

from __future__ import annotations

import math

import numpy as np

from sweepless._typing import Counts, Features, Values
from sweepless.kernels._jit import fma, index, kernel
from sweepless.kernels.elementary import log_of

_TILE = 128
_LANES = 16  # tiles are filled up to a multiple of this, as the tails of loops are not vectorised
_RANGE = 1000  # binary orders of magnitude that products may reach in either direction
_LN2 = math.log(2.0)
_FRACTION_BITS = np.uint64(52)
_FRACTION_MASK = np.uint64(2**52 - 1)
_ONE_BITS = np.float64(1.0).view(np.uint64)
_TWO_52 = 2.0**52
_TWO_52_BITS = np.float64(_TWO_52).view(np.uint64)


@kernel
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
                low[i, j] += (fma(signed, roots[j], -coarse) + magic_low) - magic_low


@kernel
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
    mass = np.empty((n_classes, width))
    sums = np.ones((n_classes + 1, width))  # the last row stays one
    signed = np.empty(width)
    greatest = np.empty(n_classes)
    orders = np.zeros(n_classes + 1, dtype=np.int64)
    product = np.empty(width)
    exponent = np.empty(width)
    weighted = np.empty(width)
    total = np.empty(width)
    n_all = class_sizes.sum()
    for begin in range(0, n_candidates, width):
        n = index(min(width, (n_candidates - begin + _LANES - 1) // _LANES * _LANES))
        _spread(masses, starts, classes, counts, candidates, begin, sign, unit, roots, mass, greatest, n)
        for k in range(n):
            total[k] = 0.0
            weighted[k] = 0.0
        for c in range(n_classes):
            # Half the logarithm of d + M_c stands in every pair of the class.
            weight = 0.5 * class_sizes[c] * (n_all - class_sizes[c])
            for k in range(n):
                total[k] += mass[c, k]
                weighted[k] -= weight * log_of(size + mass[c, k])
        for i in range(n_classes - 1):
            for k in range(n):
                signed[k] = sign * roots[i, k]
            aside = 0
            for j in range(i + 1, n_classes):
                total_ij = high[i, j] + low[i, j]
                order = _order(total_ij + greatest[i] * greatest[j])
                orders[j] = order - _order(total_ij if sign > 0 else float(size)) + 1
                aside += order * class_sizes[j]
                scale = np.int64((1023 - order) << 52).view(np.float64)  # 2**-order
                # The parts as in `add_feature`; the sums are taken in as the magic is taken out.
                without_high = magic_high - high[i, j]
                without_low = magic_low - low[i, j]
                for k in range(n):
                    raised = fma(signed[k], roots[j, k], magic_high)
                    rest = fma(signed[k], roots[j, k], magic_high - raised)
                    sums[j, k] = ((raised - without_high) + ((rest + magic_low) - without_low)) * scale
            _powers(sums, orders, plan, plan_starts[i], plan_starts[i + 1], product, exponent, n)
            weight = float(class_sizes[i])
            for k in range(n):
                weighted[k] += weight * fma(exponent[k] + aside, _LN2, log_of(product[k]))
        for k in range(min(width, n_candidates - begin)):
            values[begin + k] = -(total[k] / n_samples) * (weighted[k] / (float(n_all) * n_all))
    return values


@kernel
def _spread(
    masses: Counts,
    starts: Counts,
    classes: Counts,
    counts: Counts,
    candidates: Features,
    begin: int,
    sign: int,
    unit: float,
    roots: Values,
    mass: Values,
    greatest: Values,
    n: int,
) -> None:
    """Lay out a tile of candidates, classes in rows, with the greatest of each row that may be added.

    The last candidate fills the tile up.
    """
    greatest[:] = float(max(sign, 0))
    for c in range(len(masses)):
        for k in range(index(n)):
            roots[c, k] = 1.0
            mass[c, k] = masses[c] / unit
    for k in range(n):
        feature = candidates[min(begin + k, len(candidates) - 1)]
        for at in range(starts[feature], starts[feature + 1]):
            c = classes[at]
            root = math.sqrt(1.0 + counts[at] / unit)
            roots[c, k] = root
            if sign > 0 and root > greatest[c]:
                greatest[c] = root
            mass[c, k] = (masses[c] + sign * counts[at]) / unit


@kernel
def _order(x: float) -> int:
    """Return the least n with x < 2**n, for a positive number."""
    return (np.float64(x).view(np.int64) >> 52) - 1022  # type: ignore[return-value]


@kernel
def _powers(
    sums: Values, orders: Counts, plan: Counts, begin: int, end: int, product: Values, exponent: Values, n: int
) -> None:
    """Multiply powers of sums as rows begin to end of the plan say, as product * 2**exponent.

    A row says: square what there is if the last number is one, then multiply by the sums of four classes, of which
    the number of classes stands for none. The number before the last counts the squarings still to come.
    Every sum lies between 2**-orders[j] and 1; the product comes out in [1, 2).
    """
    for k in range(index(n)):
        product[k] = 1.0
        exponent[k] = 0.0
    reached = 0
    for group in range(begin, end):
        bit, is_square = plan[group, 4], plan[group, 5]
        a, b, c, d = plan[group, 0], plan[group, 1], plan[group, 2], plan[group, 3]
        more = orders[a] + orders[b] + orders[c] + orders[d]
        if (1 + is_square) * reached + more > _RANGE:
            _put_aside(product, exponent, 2.0 ** (bit + is_square), n)
            reached = 1
        reached = (1 + is_square) * reached + more
        if is_square:
            for k in range(index(n)):
                product[k] = product[k] * product[k] * ((sums[a, k] * sums[b, k]) * (sums[c, k] * sums[d, k]))
        else:
            for k in range(index(n)):
                product[k] *= (sums[a, k] * sums[b, k]) * (sums[c, k] * sums[d, k])
    _put_aside(product, exponent, 1.0, n)


@kernel
def _put_aside(product: Values, exponent: Values, weight: float, n: int) -> None:
    """Bring the product into [1, 2); a power of two taken out now counts `weight` times in the end."""
    for k in range(index(n)):
        bits = np.float64(product[k]).view(np.uint64)
        product[k] = np.uint64((bits & _FRACTION_MASK) | _ONE_BITS).view(np.float64)
        binary = np.uint64((bits >> _FRACTION_BITS) | _TWO_52_BITS).view(np.float64) - (_TWO_52 + 1023.0)
        exponent[k] += weight * binary


@kernel
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
    """Return the individual Bhattacharyya distance of each feature (METHOD 1.2); theta is (1 + N) / denominator."""
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
