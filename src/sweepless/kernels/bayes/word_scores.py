"""Exact scores of multinomial naive Bayes: the terms of `bayes.multinomial`, summed on a grid in any order."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Counts, Values
from sweepless.kernels._jit import in_wide_vectors, index, inner, kernel, maker
from sweepless.kernels.bayes.exact_sums import Grid, add_exactly, next_sum


@maker
def add_features(
    high: Values, low: Values, sign: float, columns: Values, logs: Values, cells: Counts, grid: Grid
) -> None:
    """Add the terms of all these features to the sums of every class and sample, or take them away."""
    terms = np.empty(columns.shape[1])
    for f in range(len(columns)):
        for k in range(logs.shape[1]):
            start, stop = cells[k, 0], cells[k, -1]
            line = terms[: stop - start]
            for c in range(len(high)):
                _fill(line, columns[f, start:stop], logs[f, k, c])
                add_exactly(high[c, start:stop], low[c, start:stop], sign, line, grid)


@kernel
def score_neighbors(
    scores: Values,
    high: Values,
    low: Values,
    lengths: Values,
    sign: float,
    first: int,
    last: int,
    columns: Values,
    logs: Values,
    closing: Values,
    priors: Values,
    cells: Counts,
    grid: Grid,
) -> None:
    """Score the samples of the folds from `first` to before `last` with each candidate, or without it.

    `closing` is that of the changed subset.
    """
    in_wide_vectors()
    origin = cells[first, 0]
    for m in range(len(columns)):
        for k in range(first, last):
            start, stop = cells[k, 0], cells[k, -1]
            values, length = columns[m, start:stop], lengths[start:stop]
            for c in range(priors.shape[1]):
                found = scores[m, c, start - origin : stop - origin]
                coarse, fine = high[c, start:stop], low[c, start:stop]
                prior, weight, close = priors[k, c], logs[m, k, c], closing[m, k, c]
                for i in range(index(len(values))):
                    total = prior + next_sum(coarse[i], fine[i], sign, values[i] * weight, grid)
                    found[i] = total - (length[i] + sign * values[i]) * close


@inner
def _fill(terms: Values, values: Values, weight: float) -> None:
    for i in range(index(len(terms))):
        terms[i] = values[i] * weight
