"""Exact scores of Gaussian naive Bayes: the terms of `bayes.definition`, summed on a grid in any order.

Left out one by one, the samples of a class make a fold of their own: in it, the other classes are described by all
their samples, and the class itself by all but the one at hand. With n samples, mean m and a sum S of squared
deviations, leaving out x leaves a mean at a distance of (x - m) n / (n - 1) from x, and S - (x - m)² n / (n - 1).
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import Counts, Values
from sweepless.kernels._jit import index, inner, maker
from sweepless.kernels.bayes.exact_sums import Grid, add_exactly, sum_exactly
from sweepless.kernels.bayes.moments import NO_VARIANCE, parabola
from sweepless.kernels.elementary import log_of


@maker
def add_features(
    high: Values,
    low: Values,
    sign: float,
    columns: Values,
    means: Values,
    variances: Values,
    epsilon: Values,
    cells: Counts,
    leaves_one_out: bool,
    grid: Grid,
) -> None:
    """Add the terms of all these features to the sums of every class and sample, or take them away."""
    terms = np.empty(columns.shape[1])
    for f in range(len(columns)):
        for k in range(len(epsilon)):
            for c in range(len(high)):
                start, stop = cells[k, 0], cells[k, -1]
                line = terms[: stop - start]
                _fill(
                    line,
                    columns[f, start:stop],
                    means[f, k, c],
                    variances[f, k, c],
                    epsilon[k],
                    leaves_one_out and c == k,
                )
                add_exactly(high[c, start:stop], low[c, start:stop], sign, line, grid)


@maker
def score_neighbors(
    scores: Values,
    high: Values,
    low: Values,
    standing: Values,
    sign: float,
    slots: Counts,
    first: int,
    last: int,
    epsilon: Values,
    columns: Values,
    means: Values,
    variances: Values,
    members: Values,
    member_means: Values,
    member_variances: Values,
    priors: Values,
    cells: Counts,
    leaves_one_out: bool,
    grid: Grid,
) -> None:
    """Score the samples of the folds from `first` to before `last` with each candidate, or without it.

    `slots` are places among the members, and `standing` is epsilon of the members. A candidate that changes it changes
    every term: the sums are then made anew.
    """
    terms = np.empty(columns.shape[1])
    own_high, own_low = np.empty(columns.shape[1]), np.empty(columns.shape[1])
    origin = cells[first, 0]
    for m in range(len(columns)):
        for k in range(first, last):
            start, stop = cells[k, 0], cells[k, -1]
            line = terms[: stop - start]
            for c in range(priors.shape[1]):
                alone = leaves_one_out and c == k
                sum_high, sum_low = high[c, start:stop], low[c, start:stop]
                if epsilon[m, k] != standing[k]:
                    sum_high, sum_low = own_high[: stop - start], own_low[: stop - start]
                    sum_high[:] = 0.0
                    sum_low[:] = 0.0
                    for f in range(len(members)):
                        _fill(
                            line, members[f, start:stop], member_means[f, k, c], member_variances[f, k, c],
                            epsilon[m, k], alone,
                        )  # fmt: skip
                        add_exactly(sum_high, sum_low, 1.0, line, grid)
                _fill(line, columns[m, start:stop], means[m, k, c], variances[m, k, c], epsilon[m, k], alone)
                found = scores[m, c, start - origin : stop - origin]
                sum_exactly(found, priors[k, c], sum_high, sum_low, sign, line, grid)


@inner
def _fill(terms: Values, values: Values, mean: float, variance: float, epsilon: float, alone: bool) -> None:
    """Set the terms of one class; `alone` if all these samples are of this class and each is left out of it."""
    if not alone:
        height, slope = parabola(variance + epsilon)
        for i in range(index(len(terms))):
            apart = values[i] - mean
            terms[i] = height - slope * (apart * apart)
        return
    n_left = len(terms) - 1.0
    if n_left == 0.0:
        terms[:] = 0.0  # nothing is left of the class, which has no prior
        return
    share = len(terms) / n_left
    for i in range(index(len(terms))):
        apart = values[i] - mean
        square = apart * apart * share
        left = max(variance * share - square / n_left, 0.0) + epsilon
        safe = max(left, NO_VARIANCE)
        term = -0.5 * log_of(2.0 * np.pi * safe) - 0.5 * (square * share) / safe
        terms[i] = term if left >= NO_VARIANCE else 0.0
