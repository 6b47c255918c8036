"""Candidates side by side: the values that a sample has in all of them follow one another, as vectors need it."""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Features, Values
from sweepless.kernels._jit import index, kernel
from sweepless.kernels._lanes import WIDTH
from sweepless.kernels._sixteens import transpose

FEW = 64  # samples whose values of sixteen candidates share the first cache


@kernel
def lay_abreast(
    columns: Values, places: Features, middles: Values, pad: AnyArray, beside: AnyArray, start: int, stop: int
) -> None:
    """Write some samples' centered values of the candidates at some places side by side; the first one fills up.

    Sixteen at a time, and through a pad, where sixteen samples of them are transposed at once: writing one value here
    and one there takes three times as long.
    """
    n_lanes, width = index(beside.shape[1]), index(WIDTH)
    for lane in range(index(0), n_lanes, width):
        for first in range(index(start), index(stop), index(FEW)):
            n_some = min(index(stop) - first, index(FEW))
            n_whole = n_some - n_some % width
            for k in range(width):
                candidate = lane + k if lane + k < index(len(places)) else index(0)
                at, middle = index(places[candidate]), middles[candidate]
                for i in range(n_some):
                    pad[k, i] = np.float32(columns[at, first + i] - middle)
            for i in range(index(0), n_whole, width):
                transpose(pad, index(0), i, beside, first + i, lane)
            for i in range(n_whole, n_some):
                for k in range(width):
                    beside[first + i, lane + k] = pad[k, i]
