"""Radial basis kernels for the neighbors of a subset: exp(-gamma d²), rounded.

The definition: squared differences are summed in double over ascending features, and the exponential is rounded.
Between training samples it is rounded to float32, as libsvm itself does, so that its solver takes the same steps to the
same machine; any other rounding would lead to another machine within the solver's tolerance. Entries of test samples
are rounded to a multiple of `GRID`. The filter uses base ± (x_i - x_j)² instead; an entry that the given error might
carry across a rounding boundary is computed by the definition.
"""

from __future__ import annotations

import math

import numpy as np

from sweepless._typing import Counts, Values
from sweepless.kernels._jit import index, inner, kernel, maker

GRID = 2.0**-40
_FARTHEST = 1e300  # keeps infinite distances from meeting a gamma of zero


@kernel
def shift_squares(base: Values, column: Values, sign: float) -> None:
    """Add (sign 1) or subtract (-1) one feature's squared differences everywhere."""
    for i in range(len(column)):
        here = column[i]
        line = base[i]
        for j in range(index(len(column))):
            difference = here - column[j]
            line[j] += sign * (difference * difference)


@maker
def radial(
    base: Values,
    sign: float,
    slot: int,
    column: Values,
    members: Values,
    gamma: float,
    error: float,
    train: Counts,
    test: Counts,
) -> Values:
    """Return the kernel of the trained samples, then of the tested ones, with the trained ones.

    Sign 0 ignores the candidate.
    """
    n_train = len(train)
    found = np.empty((n_train + len(test), n_train))
    for r in range(len(found)):
        i = train[r] if r < n_train else test[r - n_train]
        for s in range(min(r + 1, n_train)):
            j = train[s]
            difference = column[i] - column[j]
            squared = max(base[i, j] + sign * (difference * difference), 0.0)
            value = math.exp(-gamma * min(squared, _FARTHEST))
            low, high = _rounded(value - error, r < n_train), _rounded(value + error, r < n_train)
            if low != high:
                low = _rounded(math.exp(-gamma * _squared(members, column, i, j, slot, sign)), r < n_train)
            found[r, s] = low
            if r < n_train:
                found[s, r] = low
    return found


@inner
def _rounded(value: float, is_trained: bool) -> float:
    return float(np.float32(value)) if is_trained else np.rint(value / GRID) * GRID


@inner
def _squared(members: Values, column: Values, i: int, j: int, slot: int, sign: float) -> float:
    """Return the squared distance by the definition, with the candidate in its place or without it."""
    total = 0.0
    for f in range(len(members) + 1):
        if f == slot and sign > 0.0:
            difference = column[i] - column[j]
            total += difference * difference
        if f < len(members) and not (f == slot and sign < 0.0):
            difference = members[f, i] - members[f, j]
            total += difference * difference
    return min(total, _FARTHEST)
