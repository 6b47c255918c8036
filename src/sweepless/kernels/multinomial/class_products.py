"""Products of powers of the sums S_ij of one class i, for a tile of candidates (see `multinomial.distance`).

Powers of two are put aside before a product would leave the range of doubles, which changes no bit. All sums of a
class are scaled by one power of two, so that they are below 1.
"""

from __future__ import annotations

import math

import numpy as np

from sweepless._typing import Counts, Values
from sweepless.kernels._jit import fma, index, inner
from sweepless.kernels.elementary import log_of

RANGE = 1000  # binary orders of magnitude that products may reach in either direction
_FRACTION_BITS = np.uint64(52)
_FRACTION_MASK = np.uint64(2**52 - 1)
_ONE_BITS = np.float64(1.0).view(np.uint64)
_TWO_52 = 2.0**52
_TWO_52_BITS = np.float64(_TWO_52).view(np.uint64)
_LN2 = math.log(2.0)


@inner
def orders_of(high: Values, low: Values, greatest: Values, i: int, size: float, sign: int) -> tuple[int, int]:
    """Return an n with 2**n above all sums of class i with the classes after it, and how far they lie below it."""
    least = np.inf
    most = 0.0
    for j in range(i + 1, len(greatest)):
        here = high[j] + low[j]
        least = min(least, here)
        most = max(most, here + greatest[i] * greatest[j])
    order = _order(most)
    return order, order - _order(least if sign > 0 else size) + 1


@inner
def _order(x: float) -> int:
    """Return the least n with x < 2**n, for a positive number."""
    return (np.float64(x).view(np.int64) >> 52) - 1022  # type: ignore[return-value]


@inner
def _joined(
    root_i: float, root_j: float, magic_high: float, both_magics: float, without_high: float, without_low: float
) -> float:
    """Return the sum S with a product split as in `add_feature`; taking out the magic adds the old sum."""
    raised = fma(root_i, root_j, magic_high)
    raised_rest = fma(root_i, root_j, both_magics - raised)
    return (raised - without_high) + (raised_rest - without_low)  # type: ignore[no-any-return]


@inner
def sum_one(
    high: float,
    low: float,
    scale: float,
    magic_high: float,
    magic_low: float,
    signed: Values,
    roots: Values,
    sums: Values,
    n: int,
) -> None:
    """Work out the sums of one pair of classes for all candidates, scaled."""
    one, both = magic_high * scale, (magic_high + magic_low) * scale
    wh, wl = (magic_high - high) * scale, (magic_low - low) * scale
    for k in range(index(n)):
        sums[k] = _joined(signed[k], roots[k], one, both, wh, wl)


@inner
def multiply_four(
    high: Values,
    low: Values,
    scale: float,
    magic_high: float,
    magic_low: float,
    signed: Values,
    roots: Values,
    j: int,
    product: Values,
    n: int,
) -> None:
    """Multiply by the scaled sums of classes j to j + 3, which need not be kept."""
    one, both = magic_high * scale, (magic_high + magic_low) * scale
    h0, h1 = (magic_high - high[j]) * scale, (magic_high - high[j + 1]) * scale
    h2, h3 = (magic_high - high[j + 2]) * scale, (magic_high - high[j + 3]) * scale
    l0, l1 = (magic_low - low[j]) * scale, (magic_low - low[j + 1]) * scale
    l2, l3 = (magic_low - low[j + 2]) * scale, (magic_low - low[j + 3]) * scale
    r0, r1, r2, r3 = roots[j], roots[j + 1], roots[j + 2], roots[j + 3]
    for k in range(index(n)):
        root = signed[k]
        s0, s1 = _joined(root, r0[k], one, both, h0, l0), _joined(root, r1[k], one, both, h1, l1)
        s2, s3 = _joined(root, r2[k], one, both, h2, l2), _joined(root, r3[k], one, both, h3, l3)
        product[k] *= (s0 * s1) * (s2 * s3)


@inner
def multiply_powers(
    sums: Values, span: int, reached: int, plan: Counts, begin: int, end: int, product: Values, exponent: Values, n: int
) -> None:
    """Multiply powers of sums as rows begin to end of the plan say, as product * 2**exponent.

    A row means: square the product if the last number is one, then multiply by the sums of four classes, where the
    number of classes stands for no class. The number before the last counts the squarings that follow.
    Every sum lies between 2**-span and 1, the product at the start between 2**-reached and 1.
    """
    for group in range(begin, end):
        bit, is_square = plan[group, 4], plan[group, 5]
        a, b, c, d = plan[group, 0], plan[group, 1], plan[group, 2], plan[group, 3]
        if (1 + is_square) * reached + 4 * span > RANGE:
            put_aside(product, exponent, 2.0 ** (bit + is_square), n)
            reached = 1
        reached = (1 + is_square) * reached + 4 * span
        if is_square:
            for k in range(index(n)):
                product[k] = product[k] * product[k] * ((sums[a, k] * sums[b, k]) * (sums[c, k] * sums[d, k]))
        else:
            for k in range(index(n)):
                product[k] *= (sums[a, k] * sums[b, k]) * (sums[c, k] * sums[d, k])


@inner
def put_aside(product: Values, exponent: Values, weight: float, n: int) -> None:
    """Bring the product into [1, 2); a power of two taken out now counts `weight` times in the end."""
    for k in range(index(n)):
        product[k], binary = _split(product[k])
        exponent[k] += weight * binary


@inner
def add_logarithms(product: Values, exponent: Values, orders: float, weight: float, total: Values, n: int) -> None:
    """Add the weighted logarithm of product * 2**(exponent + orders) to the total."""
    for k in range(index(n)):
        fraction, binary = _split(product[k])
        total[k] += weight * fma(exponent[k] + binary + orders, _LN2, log_of(fraction))


@inner
def _split(x: float) -> tuple[float, float]:
    """Return a number in [1, 2) and the n with which x is that times 2**n."""
    bits = np.float64(x).view(np.uint64)
    fraction = np.uint64((bits & _FRACTION_MASK) | _ONE_BITS).view(np.float64)
    binary = np.uint64((bits >> _FRACTION_BITS) | _TWO_52_BITS).view(np.float64) - (_TWO_52 + 1023.0)
    return fraction, binary
