"""The probability of the second of two classes as scikit-learn computes it, so that its complement has the same digits.

Of a small complement few digits are right, and which they are is decided by two roundings that can be followed. With
the greater score s and r = log(1 + exp(-distance of the scores)), the logarithm of the greater probability is computed
as s - (s + r): this is r rounded to a multiple of the spacing of doubles there, whatever the last digits of s are. Only
if r is too near the middle of two multiples, it cannot be told. The exponential is left to NumPy, as there.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import Values
from sweepless.kernels._jit import index, kernel
from sweepless.kernels.elementary import exp_of, log_of

_NEAR_ZERO = 2.0**-50  # where s is hardly greater than r, the last digits of both are rounded
_EXPONENT = np.int64(0x7FF0000000000000)
_UNSURE = 2.0**-49  # what a score may be off by, as a share of it


@kernel
def fill_second_logarithms(scores: Values, slack: float, logarithms: Values, errors: Values) -> None:
    """Fill in log p of the second class for every candidate and sample, and what it may be off by.

    That is nothing but the spacing where a rounding cannot be told; errors of the scores do not count. Their r may
    differ from ours by `slack`.
    """
    for m in range(len(scores)):
        first, second, found, error = scores[m, 0], scores[m, 1], logarithms[m], errors[m]
        for i in range(index(scores.shape[2])):
            top = first[i] if first[i] > second[i] else second[i]
            part = exp_of(-abs(first[i] - second[i]))
            whole = 1.0 + part
            rest = log_of(whole) + (part - (whole - 1.0)) / whole  # with what the sum has rounded off
            total = top + rest
            rounded = total - top
            found[i] = (second[i] - top) - rounded
            spacing = np.int64(np.float64(total).view(np.int64) & _EXPONENT).view(np.float64) * 2.0**-52
            nearest = 0.5 * spacing - abs(rest - rounded)  # to the middle
            error[i] = spacing if nearest <= slack + _UNSURE * (1.0 + abs(top)) * rest else 0.0
            error[i] = _NEAR_ZERO if rest > 0.25 * abs(top) else error[i]
