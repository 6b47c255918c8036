"""Areas under the ROC curve and average precisions from one order of all samples, if no two outputs are nearly equal.

The lowest bits of an output are replaced by the true class, so that NumPy sorts both at once, as fast as numbers alone.
That moves an output by less than is asked for as a distance from others; what is nearer is left to `ranks`.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import Counts, Mask, Values
from sweepless.kernels._jit import index, inner, kernel
from sweepless.kernels.scores import doubt

OPEN = -2.0  # a value that is left to `ranks`
_TINY = 1e-300  # far more than the class moves a zero by
_STEEPEST = 0.25  # doubts that grow faster may be larger far away than twice what they are here


@kernel
def mark_classes(outputs: Values, truth: Counts, codes: Counts, mask: int, marked: Values) -> None:
    """Fill in the outputs of these classes with the true class of every sample in the bits of the mask."""
    for m in range(len(outputs)):
        for row in range(len(codes)):
            line, found = outputs[m, codes[row]], marked[m, row]
            for t in range(index(len(truth))):
                bits = (np.float64(line[t]).view(np.int64) & ~mask) | truth[t]
                found[t] = np.int64(bits).view(np.float64)


@kernel
def count_orders(
    ordered: Values,
    codes: Counts,
    contests: Counts,
    rows: Counts,
    is_negative: Counts,
    doubts: Values,
    mask: int,
    is_area: bool,
    is_open: Mask,
    places: Counts,
    measures: Values,
) -> None:
    """Fill in the area, or the average precision, of every contest and candidate from marked outputs, ascending.

    It is `OPEN` where it may hang on outputs that are nearly equal. The rows are those of `codes`, and `rows` tells by
    which of them a contest is decided; `is_negative` is 1 for the other classes of a contest. `places` are two pads
    with a number for every sample and one more.
    """
    for m in range(len(ordered)):
        for row in range(len(codes)):
            is_open[row] = _is_open(ordered[m, row], codes[row], doubts[m], mask)
        for k in range(len(contests)):
            line, code = ordered[m, rows[k]], contests[k, 0]
            if is_open[rows[k]]:
                measures[k, m] = OPEN
            elif is_area:
                measures[k, m] = _area(line, code, is_negative[k], mask)
            else:
                measures[k, m] = _precision(line, code, is_negative[k], mask, places[0], places[1])


@inner
def _area(line: Values, code: int, is_negative: Counts, mask: int) -> float:
    n_positive, n_negative, n_below = np.int64(0), np.int64(0), np.int64(0)
    for i in range(index(len(line))):  # without a branch: whose turn it is cannot be predicted
        own = np.float64(line[i]).view(np.int64) & mask
        is_own = np.int64(own == code)
        n_positive += is_own
        n_below += is_own * n_negative
        n_negative += is_negative[index(own)]
    return 2 * n_below / (2.0 * n_positive * n_negative)


@inner
def _precision(line: Values, code: int, is_negative: Counts, mask: int, above: Counts, places: Counts) -> float:
    n_positive, n_negative = index(0), 0
    for i in range(len(line) - 1, -1, -1):
        own = np.float64(line[i]).view(np.int64) & mask
        above[n_positive] = n_negative
        places[n_positive] = i
        n_positive += index(own == code)
        n_negative += is_negative[index(own)]
    n_tied, total = 0, 0.0
    for i in range(n_positive):
        n_tied += i > 0 and above[i] > 0 and line[places[i]] == line[places[i - 1]]
        total += (i + 1.0) / (i + 1.0 + above[i])
    return total / n_positive if n_tied == 0 else OPEN  # groups of equal outputs count as one


@inner
def _is_open(line: Values, code: int, doubts: Values, mask: int) -> bool:
    """Tell whether another arithmetic, or marking them, may swap two samples of which only one is of the class.

    Two that follow each other are compared, so the nearest are.
    """
    slack = (mask + 1) * 2.0**-49
    n_near = 0
    for i in range(index(1), index(len(line))):
        value, before = line[i], line[i - index(1)]
        is_own = (np.float64(value).view(np.int64) & mask) == code
        was_own = (np.float64(before).view(np.int64) & mask) == code
        bound = 2.0 * doubt(doubts, value)
        bound = (bound if bound > 0.0 else 0.0) + slack * abs(value) + _TINY
        n_near += (is_own != was_own) & (not value - before > bound)
    return n_near > 0 or np.isnan(line[-1]) or not doubts[1] + doubts[2] <= _STEEPEST
