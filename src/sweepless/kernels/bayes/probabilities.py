"""Probabilities of naive Bayes, so that it can be told which of them any arithmetic would saturate."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Counts, Values
from sweepless.kernels._jit import in_wide_vectors, index, inner, kernel, maker
from sweepless.kernels.elementary import exp_of, log_of

SATURATED = 2.0**-57  # what the other classes have together where a probability is rounded to one for sure
_NEARLY_ONE = 1.0 - 2.0**-53
_UNDERFLOWN = -746.0
_LEAST = 5e-324
_BUT_SIGN = np.int64(2**63 - 1)
_LOG_LEAST, _LOG_MOST = np.log(2.0**-52), np.log(1.0 - 2.0**-52)  # a log loss counts no other probabilities


@maker
def fill_probabilities(scores: Values, coldness: float, probabilities: Values, largest: Values) -> None:
    """Fill in exp(score) divided by its sum over classes, and the largest |best score| of every candidate.

    A probability is 0 or 1 only if it is so in any arithmetic; otherwise it is the next double.
    """
    n_classes, n_samples = scores.shape[1:]
    top, rest, total = np.empty(n_samples), np.empty(n_samples), np.empty(n_samples)
    for m in range(len(scores)):
        largest[m] = _weigh(scores[m], coldness, probabilities[m], top, rest, total)
        for c in range(n_classes):
            line, found = scores[m, c], probabilities[m, c]
            for i in range(index(n_samples)):
                found[i] = _share(found[i], (line[i] - top[i]) * coldness, rest[i], total[i])


@kernel
def sum_log_losses(
    scores: Values,
    coldness: float,
    starts: Counts,
    n_firsts: int,
    pads: Values,
    logs: Values,
    shares: Values,
    losses: Values,
    extremes: Values,
) -> None:
    """Sum -log p of the true classes, each p between eps and 1 - eps; samples of a class begin at `starts`.

    `extremes` are, for every candidate, the largest |best score| and the sum of 1 / p² over the first samples but for
    those without any p in any arithmetic. There is one pad for each class, and three more; `logs` and `shares` are zero
    before, of four candidates: sums that go from sample to sample, whatever the batch, then wait less for one another.
    """
    in_wide_vectors()
    n_classes, n_samples = scores.shape[1:]
    parts, top, rest, total = pads[:n_classes], pads[n_classes], pads[n_classes + 1], pads[n_classes + 2]
    for m in range(len(scores)):
        extremes[m, 0] = _weigh(scores[m], coldness, parts, top, rest, total)
        log, squares = logs[m % 4], shares[m % 4]
        for c in range(n_classes):
            line = scores[m, c]
            for i in range(index(starts[c]), index(starts[c + 1])):
                found = (line[i] - top[i]) * coldness - log_of(total[i])
                found = found if found > _LOG_LEAST else _LOG_LEAST
                log[i] = found if found < _LOG_MOST else _LOG_MOST
        line = parts[0]
        for i in range(index(n_firsts)):
            inverse = total[i] / line[i]
            squares[i] = inverse * inverse if inverse <= 1.0 / SATURATED else 0.0
        if m % 4 == 3 or m + 1 == len(scores):
            found = _sum_four(logs, n_samples)
            squares = _sum_four(shares, n_firsts)
            for k in range(m % 4 + 1):
                losses[m - m % 4 + k] = -found[k]
                extremes[m - m % 4 + k, 1] = squares[k]


@inner
def _sum_four(rows: Values, stop: int) -> tuple[float, float, float, float]:
    """Sum four rows, each from its beginning."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for i in range(stop):
        a += rows[0, i]
        b += rows[1, i]
        c += rows[2, i]
        d += rows[3, i]
    return a, b, c, d


@inner
def _weigh(scores: Values, coldness: float, parts: Values, top: Values, rest: Values, total: Values) -> float:
    """Set the greatest score of every sample, exp(score - greatest), its sum over other classes and over all.

    Return the largest |greatest score|.
    """
    in_wide_vectors()
    n_samples = len(top)
    if len(scores) == 2:
        return _weigh_two(scores[0], scores[1], coldness, parts, top, rest, total)
    for i in range(index(n_samples)):
        top[i] = -np.inf
        rest[i] = 0.0
        total[i] = 0.0
    for c in range(len(scores)):
        line = scores[c]
        for i in range(index(n_samples)):
            top[i] = line[i] if line[i] > top[i] else top[i]
    for c in range(len(scores)):
        line, found = scores[c], parts[c]
        for i in range(index(n_samples)):
            part = exp_of((line[i] - top[i]) * coldness)
            found[i] = part
            rest[i] += part if part < 1.0 else 0.0  # the greatest part is 1
            total[i] += 0.0 if part < 1.0 else 1.0
    largest = np.int64(0)  # by their bits, numbers that are not negative have the same order, and integers vectorize
    for i in range(index(n_samples)):
        total[i] += rest[i]
        bits = np.float64(top[i]).view(np.int64) & _BUT_SIGN
        largest = bits if bits > largest else largest
    return np.int64(largest).view(np.float64)


@inner
def _weigh_two(
    first: Values, second: Values, coldness: float, parts: Values, top: Values, rest: Values, total: Values
) -> float:
    """Do the same for two classes, of which the greater has the part 1: the same bits by half of the exponentials."""
    in_wide_vectors()
    one, other, largest = parts[0], parts[1], np.int64(0)
    for i in range(index(len(top))):
        a, b = first[i], second[i]
        most = a if a > b else b
        part = exp_of(((a if a < b else b) - most) * coldness)
        one[i] = part if a < b else 1.0
        other[i] = part if b < a else 1.0
        top[i] = most
        rest[i] = part if part < 1.0 else 0.0
        total[i] = 1.0 + part
        bits = np.float64(most).view(np.int64) & _BUT_SIGN
        largest = bits if bits > largest else largest
    return np.int64(largest).view(np.float64)


@inner
def _share(part: float, apart: float, rest: float, total: float) -> float:
    """Return a probability from exp(apart), where apart is how far a score is from the greatest."""
    share = part / total
    nearly = 1.0 if rest < SATURATED else _NEARLY_ONE
    least = 0.0 if apart <= _UNDERFLOWN else _LEAST
    share = nearly if share >= _NEARLY_ONE else share
    return share if share > least else least
