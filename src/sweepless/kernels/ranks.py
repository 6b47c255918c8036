"""Areas under the ROC curve and average precisions, for many candidates at once."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Counts, Values
from sweepless.kernels._jit import index, inner, kernel, maker
from sweepless.kernels.scores import doubt

# How sure an order is: two outputs are too close, some are equal (of which rows may say more), or none is in doubt.
_CLOSE, _EQUAL, _SURE = range(3)


@maker
def count_ranks(
    ascending: Values,
    bounds: Counts,
    contests: Counts,
    doubts: Values,
    low: float,
    high: float,
    rows: Values,
    areas: Values,
    precisions: Values,
) -> None:
    """Fill in the area under the ROC curve and the average precision of every contest and candidate.

    `ascending` holds the outputs of every candidate and class, ascending within each true class; these begin at
    `bounds`. The first of a contest is the positive class, the others are the negative ones.

    Both are NaN if another arithmetic might swap two samples of which only one is positive, the precision also if it
    might make two positive ones equal. Equal outputs are equal in any arithmetic up to `low`, from `high` on, and among
    samples with equal `rows`, if there are any; the output itself comes first in them. A measure is negative if nothing
    but equal outputs is in doubt.
    """
    spot = np.zeros((3, bounds[-1]), dtype=np.int64)
    for m in range(len(ascending)):
        for k in range(len(contests)):
            code, n_negative, sure = contests[k, 0], 0, _SURE
            positives = ascending[m, code, bounds[code] : bounds[code + 1]]
            below, above = spot[0, : len(positives)], spot[1, : len(positives)]
            below[:] = 0
            above[:] = 0
            for other in contests[k, 1:]:
                negatives = ascending[m, code, bounds[other] : bounds[other + 1]]
                n_negative += len(negatives)
                if not _merge(positives, negatives, doubts[m], spot[2], below, above):
                    sure = min(sure, _bisect(positives, negatives, doubts[m], low, high, rows, below, above))
            areas[k, m] = precisions[k, m] = np.nan if sure == _CLOSE else -1.0
            if sure == _SURE:
                areas[k, m], precisions[k, m] = _measures(positives, below, above, n_negative)
                sure = _are_apart(positives, below, n_negative, doubts[m], low, high, rows)
                if sure != _SURE:
                    precisions[k, m] = np.nan if sure == _CLOSE else -1.0


@inner
def _measures(positives: Values, below: Counts, above: Counts, n_negative: int) -> tuple[float, float]:
    """Return both measures from the numbers of negative samples below and above every positive one."""
    n_positive, doubled, precision = len(positives), 0, 0.0
    for i in range(n_positive):
        doubled += below[i] + n_negative - above[i]
    first = n_positive
    while first > 0:  # group by group of equal outputs, from the top
        last = first - 1
        first = last
        while first > 0 and positives[first - 1] == positives[last]:
            first -= 1
        n_right = n_positive - first
        precision += (last - first + 1) * (n_right / (n_right + n_negative - below[last]))
    return doubled / (2.0 * n_positive * n_negative), precision / n_positive


@inner
def _are_apart(
    positives: Values, below: Counts, n_negative: int, doubts: Values, low: float, high: float, rows: Values
) -> int:
    """Return how sure it is which positive samples are equal: equal ones share a precision, if a negative is above."""
    sure = _SURE
    for i in range(1, len(positives)):
        value, gap = positives[i], positives[i] - positives[i - 1]
        if below[i] == n_negative or gap > max(doubt(doubts, value), 0.0):
            continue
        if gap > 0.0:
            return _CLOSE
        if low < value < high and not _are_alike(rows, value):
            sure = _EQUAL
    return sure


@inner
def _merge(positives: Values, negatives: Values, doubts: Values, passed: Counts, below: Counts, above: Counts) -> bool:
    """Count the negatives below and above every positive, if none is as near as to be swapped, or equal.

    Two that follow each other in the common order are compared, so the nearest are. No branch: nobody can predict it.
    """
    n_positive, n_negative = index(len(positives)), index(len(negatives))
    i, j, n_near = index(0), index(0), 0
    if n_positive > 0 and n_negative > 0:  # what is no number comes last
        n_near += np.isnan(positives[-1]) or np.isnan(negatives[-1])
    while i < n_positive and j < n_negative:
        value, other = positives[i], negatives[j]
        is_less = other < value
        bound = doubt(doubts, value if is_less else other)
        n_near += not abs(value - other) > (bound if bound > 0.0 else 0.0)
        passed[i] = j
        i += index(not is_less)
        j += index(is_less)
    for k in range(i, n_positive):
        passed[k] = n_negative
    if n_near:
        return False
    for k in range(n_positive):
        below[k] += passed[k]
        above[k] += n_negative - passed[k]
    return True


@inner
def _bisect(
    positives: Values,
    negatives: Values,
    doubts: Values,
    low: float,
    high: float,
    rows: Values,
    below: Counts,
    above: Counts,
) -> int:
    """Do the same where some are equal; return whether rounding cannot change it."""
    last, n_negative, sure = len(positives) - 1, len(negatives), _SURE
    if np.isnan(positives[last]) or np.isnan(negatives[-1]):
        return _CLOSE
    while last >= 0:  # group by group of equal outputs, from the top
        value = positives[last]
        start = _number_below(negatives, value)
        stop = start
        while stop < n_negative and negatives[stop] == value:
            stop += 1
        is_far = start == 0 or value - negatives[start - 1] > doubt(doubts, value)
        is_far &= stop == n_negative or negatives[stop] - value > doubt(doubts, negatives[stop])
        if not is_far:
            return _CLOSE
        if start < stop and low < value < high and not _are_alike(rows, value):
            sure = _EQUAL
        while last >= 0 and positives[last] == value:
            below[last] += start
            above[last] += n_negative - stop
            last -= 1
    return sure


@inner
def _number_below(ascending: Values, value: float) -> int:
    """Count the smaller ones by bisection, without a branch: the side cannot be predicted."""
    first, length = 0, len(ascending)
    while length > 1:
        half = length // 2
        first = first + half if ascending[first + half - 1] < value else first
        length -= half
    return int(first + (ascending[first] < value))


@inner
def _are_alike(rows: Values, value: float) -> bool:
    """Tell whether there are rows, and all that begin with this output are equal."""
    first = -1
    for t in range(len(rows)):
        if rows[t, 0] != value:
            continue
        if first < 0:
            first = t
        for j in range(rows.shape[1]):
            if rows[t, j] != rows[first, j]:
                return False
    return first >= 0


@kernel
def count_levels(shares: Values, truth: Counts, n_votes: int, table: Counts) -> None:
    """Count how often a class has a number of votes: per candidate, class, true class and number."""
    for m in range(len(shares)):
        for c in range(shares.shape[1]):
            line, found = shares[m, c], table[m, c]
            for t in range(len(truth)):
                found[truth[t], int(line[t] * n_votes + 0.5)] += 1


@kernel
def rank_levels(table: Counts, contests: Counts, areas: Values, precisions: Values) -> None:
    """Do the same as `count_ranks` from numbers of votes: per candidate, class, true class and number."""
    for m in range(len(table)):
        for k in range(len(contests)):
            code = contests[k, 0]
            n_right, n_wrong, doubled, precision = 0, 0, 0, 0.0
            for votes in range(table.shape[3] - 1, -1, -1):
                n_here, n_others = table[m, code, code, votes], 0
                for other in contests[k, 1:]:
                    n_others += table[m, code, other, votes]
                doubled += n_others * (2 * n_right + n_here)
                n_right += n_here
                n_wrong += n_others
                if n_here:
                    precision += n_here * (n_right / (n_right + n_wrong))
            areas[k, m] = doubled / (2.0 * n_right * n_wrong)
            precisions[k, m] = precision / n_right
