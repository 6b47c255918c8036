"""Areas under the ROC curve and average precisions, for many candidates at once."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Counts, Values
from sweepless.kernels._jit import index, inner, kernel, maker
from sweepless.kernels.scores import doubt

# How sure an order is: two outputs are too close, some are equal (of which rows may say more), or none is in doubt.
_CLOSE, _EQUAL, _SURE = range(3)

_LEAST_NORMAL = float(np.finfo(np.float64).tiny)


@kernel
def rank_tagged(
    ascending: Values,
    tags: Counts,
    mask: int,
    slack: float,
    codes: Counts,
    contests: Counts,
    sizes: Counts,
    doubts: Values,
    is_area: bool,
    above: Counts,
    spots: Counts,
    measures: Values,
) -> None:
    """Fill in the measure of every contest and candidate by one pass over the samples, if their outputs are apart.

    `ascending` holds, for every candidate and some classes (`codes`), the outputs of all samples. The last bits of an
    output, which `mask` covers, are the true class of its sample; `tags` are the same outputs read as integers. That
    moves differences of outputs by no more than `slack` times their sizes. Average precisions are those of a class
    above all others.

    The measures are NaN if another arithmetic might swap two samples of which only one is positive, and -1 if that, or
    whether two are equal, is not to be seen here. `above` is room for a row per class in `codes`, `spots` for the
    samples and one more.
    """
    n_samples = index(ascending.shape[2])
    for m in range(len(ascending)):
        bounds = doubts[m]
        # A doubt that grows faster than its output might reach past the next one.
        n_close, n_open = 0, int(not bounds[1] + bounds[2] < 1.0)
        for i in range(len(codes)):
            line, tag, code, pairs, total = ascending[m, i], tags[m, i], codes[i], above[i], 0.0
            n_open += np.isnan(line[n_samples - index(1)])  # what is no number comes last
            for t in range(index(1), n_samples):
                value, other = line[t], line[t - index(1)]
                gap, moved = value - other, slack * (abs(value) + abs(other)) + _LEAST_NORMAL
                bound, is_apart = doubt(bounds, value), gap > moved
                is_own, was_own = tag[t] & mask == code, tag[t - index(1)] & mask == code
                n_close += 1 if (is_own != was_own) & is_apart & (gap < bound - moved) else 0
                n_open += 1 if (is_own != was_own) & (not (is_apart & (gap > bound + moved))) else 0
                n_open += 1 if is_own & was_own & (gap == 0.0) & (not is_area) else 0  # equal ones share a precision
            for c in range(len(sizes)):
                pairs[c] = 0
            n_below = 0
            for t in range(n_samples):  # without a branch: whose sample is next cannot be predicted
                own = tag[t] & mask
                pairs[own] += n_below
                spots[n_below] = t
                n_below += own == code
            if not is_area:
                for k in range(n_below):
                    total += (k + 1) / (len(tag) - spots[n_below - 1 - k])
            measures[i, m] = total / sizes[code]
        for k in range(len(contests)):
            n_pairs, n_negative, n_positive = 0, 0, sizes[contests[k, 0]]
            for c in contests[k, 1:]:
                n_pairs += above[contests[k, 0] if len(codes) > 1 else 0, c]
                n_negative += sizes[c]
            if is_area:
                measures[k, m] = 2 * (n_positive * n_negative - n_pairs) / (2.0 * n_positive * n_negative)
            if n_open or n_close:
                measures[k, m] = np.nan if n_close else -1.0


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

    Both are NaN if another arithmetic might swap two samples of which only one is positive. Equal outputs are equal in
    any arithmetic up to `low`, from `high` on, and among samples with equal `rows`, if there are any; the output itself
    comes first in them. Both are negative if nothing but equal outputs is in doubt.
    """
    spot = np.zeros((2, bounds[-1]), dtype=np.int64)
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
                sure = min(sure, _bisect(positives, negatives, doubts[m], low, high, rows, below, above))
            areas[k, m] = precisions[k, m] = np.nan if sure == _CLOSE else -1.0
            if sure == _SURE:
                areas[k, m], precisions[k, m] = _measures(positives, below, above, n_negative)


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
    """Count the negatives below and above every positive; return whether rounding cannot change that."""
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
