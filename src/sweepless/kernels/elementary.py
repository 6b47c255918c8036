"""exp and log without a branch or a call, so that loops over them vectorize.

Only sums, products, one division and moves of bits: the same double for the same argument in every
loop, on every machine and in every width of vector. log is within one unit in the last place, exp within two.
"""

from __future__ import annotations

from decimal import Decimal

import numpy as np

from sweepless.kernels._jit import fma, kernel

_FRACTION_BITS = np.uint64(52)
_EXPONENT_BIAS = np.uint64(1023)
_TWO_52 = 2.0**52
_TWO_52_BITS = np.float64(_TWO_52).view(np.uint64)
_ONE_BITS = np.float64(1.0).view(np.uint64)
# Added to the bits of x, it turns the exponent field into that of x / sqrt(1/2), so the reduced argument is around 1.
_LOG_OFFSET = _ONE_BITS - np.float64(np.sqrt(0.5)).view(np.uint64)
# log 2 in two parts; the high one ends in zeros, so that its product with an exponent is exact.
_LN2 = Decimal("0.693147180559945309417232121458176568075500134")
_LN2_HIGH = float(np.rint(float(_LN2) * 2.0**32) / 2.0**32)
_LN2_LOW = float(_LN2 - Decimal(_LN2_HIGH))
_LOG2_E = 1.4426950408889634


@kernel
def log_of(x: float) -> float:
    """Return log x of a positive normal number: x = 2**exponent * reduced, log reduced = 2 artanh s."""
    bits = np.float64(x).view(np.uint64)
    biased = (bits + _LOG_OFFSET) >> _FRACTION_BITS
    exponent = np.uint64(biased | _TWO_52_BITS).view(np.float64) - (_TWO_52 + 1023.0)
    reduced = np.uint64(bits - ((biased - _EXPONENT_BIAS) << _FRACTION_BITS)).view(np.float64)
    f = reduced - 1.0
    s = f / (2.0 + f)
    z = s * s
    z2 = z * z
    z4 = z2 * z2
    # The series of artanh to the 21st power, in parts that do not wait for one another; |s| <= 0.172.
    a = fma(z2, fma(z, 1.0 / 9.0, 1.0 / 7.0), fma(z, 1.0 / 5.0, 1.0 / 3.0))
    b = fma(z2, fma(z, 1.0 / 17.0, 1.0 / 15.0), fma(z, 1.0 / 13.0, 1.0 / 11.0))
    series = fma(z4, fma(z4, fma(z, 1.0 / 21.0, 1.0 / 19.0), b), a)
    # 2 s = f - s f: f is exact, so only the small rest is rounded.
    rest = fma(s, 2.0 * z * series, -s * f)
    value: float = fma(exponent, _LN2_HIGH, f + fma(exponent, _LN2_LOW, rest))
    return value


@kernel
def exp_of(x: float) -> float:
    """Return exp x of a number that is not positive; minus infinity gives zero."""
    x = max(x, -746.0)  # anything below exp(-745.13), half the smallest positive number, rounds to zero
    n = np.rint(x * _LOG2_E)
    r = fma(n, -_LN2_LOW, fma(n, -_LN2_HIGH, x))
    # Taylor to the 13th power, in parts that do not wait for one another; |r| <= log(2) / 2.
    r2 = r * r
    r4 = r2 * r2
    a = fma(r2, fma(r, 1.0 / 6.0, 0.5), 1.0 + r)
    b = fma(r2, fma(r, 1.0 / 5040.0, 1.0 / 720.0), fma(r, 1.0 / 120.0, 1.0 / 24.0))
    c = fma(r2, fma(r, 1.0 / 39916800.0, 1.0 / 3628800.0), fma(r, 1.0 / 362880.0, 1.0 / 40320.0))
    d = fma(r, 1.0 / 6227020800.0, 1.0 / 479001600.0)
    series = fma(r4, fma(r4, fma(r4, d, c), b), a)
    # 2**n in two factors, so that subnormal results are right, too.
    power: float = np.uint64(np.float64(n + (_TWO_52 + 1087.0)).view(np.uint64) << _FRACTION_BITS).view(np.float64)
    value: float = series * power * 2.0**-64
    return value
