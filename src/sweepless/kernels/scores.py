"""Tables and sums from which scores are made, for many candidates at once.

Everything is added up sample by sample, so that a candidate has the same value in every batch.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import Counts, Mask, Values
from sweepless.kernels._jit import index, inner, kernel, maker
from sweepless.kernels.elementary import log_of

_LEAST_NORMAL = float(np.finfo(np.float64).tiny)  # `log_of` takes no less


@kernel
def confusion_tables(predicted: Counts, truth: Counts, tables: Counts) -> None:
    """Count per candidate, true class and predicted class."""
    for m in range(len(predicted)):
        for t in range(len(truth)):
            tables[m, truth[t], predicted[m, t]] += 1


@maker
def row_sums(rows: Values) -> Values:
    """Sum every row in order."""
    sums = np.zeros(len(rows))
    for m in range(len(rows)):
        total = 0.0
        for x in rows[m]:
            total += x
        sums[m] = total
    return sums


@kernel
def sum_squares(actual: Values, predicted: Values, sums: Values) -> None:
    """Sum the squared errors of every row in order; four rows at a time do not wait for one another."""
    n_rows, n_samples = index(len(predicted)), index(len(actual))
    for first in range(index(0), n_rows, index(4)):
        last = n_rows - index(1)
        two, three, four = min(first + index(1), last), min(first + index(2), last), min(first + index(3), last)
        sum_one = sum_two = sum_three = sum_four = 0.0
        for t in range(n_samples):
            error_one, error_two = actual[t] - predicted[first, t], actual[t] - predicted[two, t]
            error_three, error_four = actual[t] - predicted[three, t], actual[t] - predicted[four, t]
            sum_one += error_one * error_one
            sum_two += error_two * error_two
            sum_three += error_three * error_three
            sum_four += error_four * error_four
        sums[first], sums[two], sums[three], sums[four] = sum_one, sum_two, sum_three, sum_four


@inner
def doubt(doubts: Values, greater: float) -> float:
    """Return how near to the greater of two outputs the other one may be without being swapped for sure."""
    bound: float = doubts[0] + doubts[1] * abs(greater) + doubts[2] * abs(greater * (1.0 - greater))
    return bound


@kernel
def count_top(
    outputs: Values,
    truth: Counts,
    k: int,
    doubts: Values,
    low: float,
    high: float,
    hits: Values,
) -> None:
    """Count the samples whose class is among the `k` greatest outputs, of equal ones the highest; NaN if unsure."""
    for m in range(len(outputs)):
        hits[m] = 0.0
        for t in range(len(truth)):
            mine = outputs[m, truth[t], t]
            n_above, n_open = 0, 0
            for c in range(outputs.shape[1]):
                other = outputs[m, c, t]
                if c == truth[t]:
                    continue
                if other == mine and not low < mine < high:
                    n_above += c > truth[t]
                elif abs(other - mine) > doubt(doubts[m], max(mine, other)):
                    n_above += other > mine
                else:
                    n_open += 1
            if n_above < k <= n_above + n_open:
                hits[m] = np.nan
            hits[m] += n_above < k


@kernel
def sum_log_losses(probabilities: Values, truth: Counts, losses: Values) -> None:
    """Sum -log p of the true classes, p from epsilon to 1 - epsilon."""
    least = 2.0**-52
    for m in range(len(probabilities)):
        total = 0.0
        for t in range(len(truth)):
            total -= log_of(min(max(probabilities[m, truth[t], t], least), 1.0 - least))
        losses[m] = total


@kernel
def sum_squared_losses(probabilities: Values, truth: Counts, losses: Values) -> None:
    """Sum the squared differences between probabilities and indicators over all classes."""
    for m in range(len(probabilities)):
        total = 0.0
        for t in range(len(truth)):
            for c in range(probabilities.shape[1]):
                miss = probabilities[m, c, t] - (c == truth[t])
                total += miss * miss
        losses[m] = total


@maker
def squared_logarithms(actual: Values, predicted: Values) -> Values:
    """Sum (log(1 + actual) - log(1 + predicted))² for every row of predictions; NaN if a number is negative."""
    sums = np.zeros(len(predicted))
    for m in range(len(predicted)):
        total = 0.0
        for t in range(len(actual)):
            if not (actual[t] >= 0.0 and predicted[m, t] >= 0.0):
                total = np.nan
                break
            apart = log_of(1.0 + actual[t]) - log_of(1.0 + predicted[m, t])
            total += apart * apart
        sums[m] = total
    return sums


@maker
def poisson_deviances(actual: Values, predicted: Values) -> Values:
    """Sum the Poisson deviances of every row of predictions; NaN if one is not positive, or a number is negative."""
    sums = np.zeros(len(predicted))
    for m in range(len(predicted)):
        for t in range(len(actual)):
            y, p = actual[t], predicted[m, t]
            ratio = y / p if y > 0.0 else 1.0
            if not (y >= 0.0 and 0.0 < p < np.inf and _LEAST_NORMAL <= ratio < np.inf):
                sums[m] = np.nan
                break
            sums[m] += 2.0 * (y * log_of(ratio) - y + p)
    return sums


@maker
def gamma_deviances(actual: Values, predicted: Values) -> Values:
    """Sum the gamma deviances of every row of predictions; NaN if a number is not positive."""
    sums = np.zeros(len(predicted))
    for m in range(len(predicted)):
        for t in range(len(actual)):
            y, p = actual[t], predicted[m, t]
            ratio = p / y
            if not (y > 0.0 and 0.0 < p < np.inf and _LEAST_NORMAL <= ratio < np.inf):
                sums[m] = np.nan
                break
            sums[m] += 2.0 * (log_of(ratio) + y / p - 1.0)
    return sums


@maker
def elect(outputs: Values, doubts: Values, is_settled: Mask, labels: Counts, is_sure: Mask) -> None:
    """Find the first class with the greatest output; a single output stands for two classes, positive for the second.

    A candidate is sure if no two best outputs of a sample differ by as little as another arithmetic may change, but for
    samples that are settled, if these are given.
    """
    n_outputs, n_samples = outputs.shape[1:]
    best, second, zeros = np.empty(n_samples), np.empty(n_samples), np.zeros(n_samples)
    for m in range(len(outputs)):
        line = labels[m]
        line[:] = 0
        best[:] = zeros if n_outputs == 1 else outputs[m, 0]
        second[:] = -np.inf
        for c in range(min(1, n_outputs - 1), n_outputs):
            code, values = max(c, 1), outputs[m, c]
            for t in range(index(n_samples)):  # loaded before they are chosen, so that no branch is left to mispredict
                value, top, next_best, label = values[t], best[t], second[t], line[t]
                less = value if value < top else top
                line[t] = code if value > top else label
                second[t] = less if less > next_best else next_best
                best[t] = value if value > top else top
        n_close = 0
        for t in range(index(n_samples)):
            n_close += not best[t] - second[t] > doubt(doubts[m], best[t])
        if n_close > 0 and is_settled.shape[1] > 0:
            for t in range(n_samples):
                n_close -= is_settled[m, t] and not best[t] - second[t] > doubt(doubts[m], best[t])
        is_sure[m] = n_close == 0
