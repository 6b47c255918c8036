"""Score tests of many features at once: a slope and a curvature each, in one pass over their columns."""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray
from sweepless.kernels._jit import index, maker

_WIDTH = 1024  # features whose sums stay in the nearest cache


@maker
def slopes_and_curvatures(columns: AnyArray, slopes: AnyArray, curvatures: AnyArray) -> AnyArray:
    """Return the sums of slopes times values and of curvatures times squared values, in single precision.

    Columns have a sample per row, and samples are added in order, four in one go.
    """
    n_samples, n_features = columns.shape
    sums = np.zeros((2, n_features), dtype=np.float32)
    whole = n_samples - n_samples % 4
    for start in range(0, n_features, _WIDTH):
        stop = min(start + _WIDTH, n_features)
        for t in range(0, whole, 4):
            a, b, c, d = slopes[t], slopes[t + 1], slopes[t + 2], slopes[t + 3]
            e, f, g, h = curvatures[t], curvatures[t + 1], curvatures[t + 2], curvatures[t + 3]
            for k in range(index(start), index(stop)):
                w, x, y, z = columns[t, k], columns[t + 1, k], columns[t + 2, k], columns[t + 3, k]
                sums[0, k] += a * w + b * x + c * y + d * z
                sums[1, k] += e * w * w + f * x * x + g * y * y + h * z * z
        for t in range(whole, n_samples):
            for k in range(index(start), index(stop)):
                sums[0, k] += slopes[t] * columns[t, k]
                sums[1, k] += curvatures[t] * columns[t, k] * columns[t, k]
    return sums
