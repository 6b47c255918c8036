"""Soft neighbors: every sample votes for its class with a weight that falls with the squared distance.

Everything that is added up lies on a grid, so that no sum is ever rounded and no order of adding matters:

- Columns come scaled by a power of two, so that the squared ranges of all features together stay below one. A squared
  difference is rounded to a multiple of 2**-52, and any sum or difference of such terms is exact.
- A weight is rounded to a multiple of 2**-40 and added up as an integer.

Samples are sorted by class, so that a class is a range of samples. A pair of samples is visited once: `squares` holds,
row after row, the squared distances of sample i to the samples behind it.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import Counts, Values
from sweepless.kernels._jit import index, inner, integer, kernel, maker
from sweepless.kernels.elementary import log_of

# Between 4096 and 4097 doubles are 2**-40 apart: their bits, less those of 4096, count the steps of the weights' grid.
# Integers hold the sum of 2**23 weights.
_FAR = 4096.0
_FAR_BITS = np.float64(_FAR).view(np.int64)


@inner
def _squared(difference: float) -> float:
    """Return the square, less than one, rounded to a multiple of 2**-52."""
    return (difference * difference + 1.0) - 1.0


@maker
def spreads_of(columns: Values) -> Values:
    """Return the variance of every column, on the grid of squared differences."""
    n_samples = columns.shape[1]
    found = np.empty(len(columns))
    for c in range(len(columns)):
        first = columns[c, 0]  # around which a far offset costs no digits
        total = 0.0
        for i in range(n_samples):
            total += columns[c, i] - first
        mean = total / n_samples
        total = 0.0
        for i in range(n_samples):
            difference = columns[c, i] - first - mean
            total += difference * difference
        found[c] = (total / n_samples + 1.0) - 1.0
    return found


@kernel
def shift_squares(squares: Values, columns: Values, sign: float, first: int, last: int) -> None:
    """Add (sign 1) or subtract (-1) the squared differences of some features in the rows from `first` to `last`."""
    n_samples = index(columns.shape[1])
    start = index(0)
    for i in range(index(first), index(last)):
        behind = i + index(1)
        length = n_samples - behind
        for c in range(len(columns)):
            here = columns[c, i]
            for k in range(length):
                squares[start + k] += sign * _squared(here - columns[c, behind + k])
        start += length


@kernel
def add_weights(
    squares: Values,
    first: int,
    last: int,
    columns: Values,
    sign: float,
    reaches: Values,
    n_squarings: int,
    codes: Counts,
    class_start: Counts,
    steps: Counts,
    sums: Counts,
) -> None:
    """Add the weights of all pairs of the rows from `first` to `last`, per candidate, class that votes and sample.

    A weight is 1 / (1 + squared distance * reach), squared `n_squarings` times, at most three. `steps` is working
    space.
    """
    n_samples = index(columns.shape[1])
    start = index(0)
    for i in range(index(first), index(last)):
        own = codes[i]
        behind = i + index(1)
        length = n_samples - behind
        for c in range(len(columns)):
            here, reach = columns[c, i], reaches[c]
            for k in range(length):
                square = squares[start + k] + sign * _squared(here - columns[c, behind + k])
                weight = 1.0 / (1.0 + square * reach)
                # Decided once for the whole loop: LLVM makes a loop without branches of each case.
                weight = weight * weight if n_squarings > 0 else weight
                weight = weight * weight if n_squarings > 1 else weight
                weight = weight * weight if n_squarings > 2 else weight
                step = np.float64(weight + _FAR).view(np.int64) - _FAR_BITS
                steps[k] = step
                sums[c, own, behind + k] += step
            for other in range(own, len(class_start) - 1):
                total = integer(0)
                for k in range(max(index(class_start[other]), behind) - behind, index(class_start[other + 1]) - behind):
                    total += steps[k]
                sums[c, other, i] += total
        start += length


@kernel
def score_shares(sums: Counts, codes: Counts, class_start: Counts, is_log: bool, values: Values) -> None:
    """Score the shares that the classes have of the weights around every sample, per candidate.

    A sample whose neighbors are all too far for any weight gets the class shares of the others.
    """
    n_samples, n_classes = len(codes), len(class_start) - 1
    for c in range(len(sums)):
        loss = 0.0
        for i in range(n_samples):
            own = codes[i]
            total = integer(0)
            for other in range(n_classes):
                total += sums[c, other, i]
            is_alone = total == 0
            whole = float(n_samples - 1) if is_alone else float(total)
            missed = 0.0
            for other in range(n_classes):
                size = class_start[other + 1] - class_start[other] - (other == own)
                share = float(size if is_alone else sums[c, other, i]) / whole
                if other != own:
                    missed += share * share
                elif is_log:
                    loss -= log_of(max(share, 1.0 / n_samples))
                else:
                    missed += (1.0 - share) * (1.0 - share)
            if not is_log:
                loss += 0.5 * missed
        values[c] = -loss / n_samples
