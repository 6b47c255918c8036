"""Candidates side by side: the values that a sample has in all of them follow one another, as vectors need it."""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Values
from sweepless.kernels._jit import index, kernel

_FEW = 16  # samples whose values of all candidates share the first cache


@kernel
def lay_abreast(columns: Values, middles: Values, beside: AnyArray) -> None:
    """Write the centered values of some candidates side by side; what is left over repeats the first of them."""
    n_samples, width, n_candidates = len(beside), index(beside.shape[1]), index(len(columns))
    for first in range(0, n_samples, _FEW):
        start, stop = index(first), index(min(first + _FEW, n_samples))
        for lane in range(width):
            c = lane if lane < n_candidates else index(0)
            for i in range(start, stop):
                beside[i, lane] = np.float32(columns[c, i] - middles[c])
