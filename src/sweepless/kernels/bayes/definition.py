"""Cross-validated Gaussian naive Bayes of whole subsets.

The layout: samples are sorted by (fold, class), so that a cell (k, c) is a range of samples and a fold is a
range of cells. Every fold is tested by the model of all the other folds.

The definition: a score starts with the log prior; every member, in ascending order, adds a - b (x - mean)², where
a = -log(2 pi v) / 2, b = 1 / (2 v), v = class variance + epsilon, and epsilon is a share of the greatest variance
of a member over the training part. The first class with the greatest score wins. A training part in which no
member varies has epsilon 0; there a = b = 0, and the prior decides.

A call is close where the scores of a sample's own class and of the best other class differ by less than another
arithmetic, such as scikit-learn's, might change them: `closest_call` bounds this by sums over the members.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import Counts, Mask, Values
from sweepless.kernels._jit import index, inner, kernel, maker
from sweepless.kernels.bayes.moments import closest_call, is_close, largest_term, tabulate


@kernel
def add_terms(
    scores: Values, sign: float, column: Values, means: Values, heights: Values, slopes: Values, start: int, stop: int
) -> None:
    """Add (sign 1) or subtract (-1) one feature's terms to the scores of some samples of one fold."""
    for c in range(scores.shape[0]):
        mean, height, slope = means[c], heights[c], slopes[c]
        line = scores[c, start:stop]
        values = column[start:stop]
        for i in range(index(len(line))):
            apart = values[i] - mean
            line[i] += sign * (height - slope * (apart * apart))


@inner
def tally(mine: Values, others: Values, bound: float) -> tuple[int, int]:
    """Count the samples whose own class leads by more than the bound, and those for which neither side does."""
    n_right = 0
    n_wrong = 0
    for i in range(index(len(mine))):
        lead = mine[i] - others[i]
        n_right += lead > bound
        n_wrong += lead < -bound
    return n_right, len(mine) - n_right - n_wrong


@inner
def winner(scores: Values, priors: Values) -> int:
    """Return the first class with the greatest score among those trained on; -1 if there is none."""
    best = -1
    for c in range(len(priors)):
        if priors[c] > -np.inf and (best < 0 or scores[c] > scores[best]):
            best = c
    return best


@maker
def count_by_definition(
    columns: Values,
    extents: Values,
    means: Values,
    heights: Values,
    slopes: Values,
    priors: Values,
    cells: Counts,
    prior: float,
) -> tuple[Counts, bool]:
    """Count the correctly classified samples per fold for the subset whose columns, ascending, are given.

    Also tell whether a call was close.
    """
    n_classes = priors.shape[1]
    scores = np.empty((n_classes, columns.shape[1]))
    correct = np.zeros(len(priors), dtype=np.int64)
    has_close_call = False
    for k in range(len(priors)):
        start, stop = cells[k, 0], cells[k, n_classes]
        for c in range(n_classes):
            scores[c, start:stop] = priors[k, c]
        for f in range(len(columns)):
            add_terms(scores, 1.0, columns[f], means[f, k], heights[f, k], slopes[f, k], start, stop)
        doubts = terms = 0.0
        for f in range(len(columns)):
            term, doubt = largest_term(
                extents[f], means[f, k], heights[f, k], slopes[f, k], priors[k], columns.shape[1]
            )
            terms += term
            doubts += doubt
        close = closest_call(doubts, terms, prior, len(columns))
        for own in range(n_classes):
            for i in range(cells[k, own], cells[k, own + 1]):
                correct[k] += winner(scores[:, i], priors[k]) == own
                has_close_call |= is_close(scores[:, i], own, priors[k], close)
    return correct, has_close_call


@maker
def count_subsets(
    correct: Counts,
    has_close_call: Mask,
    epsilon: Values,
    rows: Counts,
    ends: Counts,
    var_smoothing: float,
    columns: Values,
    extents: Values,
    means: Values,
    variances: Values,
    spreads: Values,
    priors: Values,
    cells: Counts,
    prior: float,
) -> None:
    """Count by the definition for many subsets, mark those with a close call, and return epsilon of each fold.

    One table describes the features of all subsets; `rows` lists those of one subset after the other, each
    ascending, and `ends` holds the places where the subsets end.
    """
    start = 0
    for s in range(len(ends)):
        own = rows[start : ends[s]]
        start = ends[s]
        added = np.empty((len(own), len(priors)))
        for k in range(len(priors)):
            largest = 0.0
            for f in own:
                largest = max(largest, var_smoothing * spreads[f, k])
            epsilon[s, k] = largest
            for m in range(len(own)):
                added[m, k] = largest
        heights = np.empty((len(own), *priors.shape))
        slopes = np.empty((len(own), *priors.shape))
        tabulate(variances[own], added, heights, slopes)
        correct[s], has_close_call[s] = count_by_definition(
            columns[own], extents[own], means[own], heights, slopes, priors, cells, prior
        )
