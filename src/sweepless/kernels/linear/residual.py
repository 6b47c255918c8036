"""Residuals with twice the digits, so that what is left of a target that is nearly explained is still exact."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Values
from sweepless.kernels._jit import fma, index, maker


@maker
def residual_of(target: Values, weights: Values, rows: Values) -> Values:
    """Return the target minus the weighted rows, rounded once at the end."""
    high, low = target.copy(), np.zeros(len(target))
    for k in range(len(rows)):
        weight, row = -weights[k], rows[k]
        for t in range(index(len(target))):
            term = weight * row[t]
            total = high[t] + term
            part = total - high[t]
            low[t] += ((high[t] - (total - part)) + (term - part)) + fma(weight, row[t], -term)
            high[t] = total
    return high + low
