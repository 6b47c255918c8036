"""Candidates side by side: the values that a sample has in all of them follow one another, as vectors need it."""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Features, Values
from sweepless.kernels._jit import index, kernel

_FEW = 32  # samples whose values of all candidates share the first cache


@kernel
def lay_abreast(columns: Values, places: Features, middles: Values, beside: AnyArray) -> None:
    """Write the centered values of the candidates at some places side by side; what is left over repeats the first.

    Four at a time, since writing one value here and one there takes twice as long.
    """
    n_samples, width, last = len(beside), index(beside.shape[1]), index(len(places) - 1)
    one, two, three = index(1), index(2), index(3)
    for first in range(0, n_samples, _FEW):
        start, stop = index(first), index(min(first + _FEW, n_samples))
        for lane in range(index(0), width, index(4)):
            a = lane if lane <= last else index(0)
            b = lane + one if lane + one <= last else index(0)
            c = lane + two if lane + two <= last else index(0)
            d = lane + three if lane + three <= last else index(0)
            at_a, at_b, at_c, at_d = index(places[a]), index(places[b]), index(places[c]), index(places[d])
            middle_a, middle_b, middle_c, middle_d = middles[a], middles[b], middles[c], middles[d]
            for i in range(start, stop):
                beside[i, lane] = np.float32(columns[at_a, i] - middle_a)
                beside[i, lane + one] = np.float32(columns[at_b, i] - middle_b)
                beside[i, lane + two] = np.float32(columns[at_c, i] - middle_c)
                beside[i, lane + three] = np.float32(columns[at_d, i] - middle_d)
