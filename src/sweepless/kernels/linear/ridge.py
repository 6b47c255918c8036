"""Ridge regression on folds: predictions from scratch, and those of many neighbors at once."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Counts, Values
from sweepless.kernels._jit import index, inner, kernel, maker
from sweepless.kernels.factor import add_gram, factorize, solve_transposed, solve_upper


@maker
def scaled(columns: Values, moments: Values, scales: Values) -> Values:
    """Return the centered columns times their scales; a scale of 0 makes zeros."""
    found = np.zeros(columns.shape)
    for k in range(len(columns)):
        mean, rest, scale = moments[k, 0], moments[k, 1], scales[k]
        if scale != 0.0:
            for t in range(columns.shape[1]):
                found[k, t] = (columns[k, t] - mean - rest) * scale
    return found


@maker
def fold_predictions(
    columns: Values,
    targets: Values,
    means: Values,
    scales: Values,
    target_means: Values,
    floor: Values,
    start: int,
    stop: int,
) -> Values:
    """Return predictions for the samples from `start` to `stop` by a fit to all others: the definition."""
    size, n_samples = columns.shape
    rows = np.empty((n_samples, size))
    for k in range(size):
        for t in range(n_samples):
            rows[t, k] = (columns[k, t] - means[k]) * scales[k]
    upper = np.zeros((size, size))
    add_gram(rows, 0, start, upper)
    add_gram(rows, stop, n_samples, upper)
    for k in range(size):
        upper[k, k] = 1.0
    factorize(upper, floor)
    weights = np.zeros((size, len(targets)))
    for t in range(n_samples):
        if t < start or t >= stop:
            for k in range(size):
                for c in range(len(targets)):
                    weights[k, c] += rows[t, k] * (targets[c, t] - target_means[c])
    solve_transposed(upper, weights)
    solve_upper(upper, weights)
    found = np.empty((len(targets), stop - start))
    for c in range(len(targets)):
        for t in range(start, stop):
            total = target_means[c]
            for k in range(size):
                total += rows[t, k] * weights[k, c]
            found[c, t - start] = total
    return found


@maker
def training_moments(columns: Values, starts: Counts) -> tuple[Values, Values, Values]:
    """Return fold means, and means and centered squares over all other folds: (fold, column) each.

    Squares are sums of terms that are not negative, so no digit cancels where a fold holds nearly all of the
    variation; a column that is constant outside a fold has square 0 there exactly.
    """
    n_folds = len(starts) - 1
    n_columns, n_samples = columns.shape
    means = np.zeros((n_folds, n_columns))
    outer_means = np.zeros((n_folds, n_columns))
    squares = np.zeros((n_folds, n_columns))
    inner = np.zeros((n_folds, n_columns))
    low, high = np.full((n_folds, n_columns), np.inf), np.full((n_folds, n_columns), -np.inf)
    rows = np.ascontiguousarray(columns.T)  # all columns are summed side by side: a single sum waits for itself
    for f in range(n_folds):
        mean, square, least, most = means[f], inner[f], low[f], high[f]
        for row in rows[starts[f] : starts[f + 1]]:
            for k in range(index(n_columns)):
                mean[k] += row[k]
                least[k] = row[k] if row[k] < least[k] else least[k]
                most[k] = row[k] if row[k] > most[k] else most[k]
        mean /= max(1, starts[f + 1] - starts[f])
        for row in rows[starts[f] : starts[f + 1]]:
            for k in range(index(n_columns)):
                square[k] += (row[k] - mean[k]) ** 2
    for k in range(n_columns):
        for f in range(n_folds):
            total, lowest, highest = 0.0, np.inf, -np.inf
            for g in range(n_folds):
                if g != f:
                    total += (starts[g + 1] - starts[g]) * means[g, k]
                    lowest, highest = min(lowest, low[g, k]), max(highest, high[g, k])
            outer_means[f, k] = total / (n_samples - (starts[f + 1] - starts[f]))
            if lowest < highest:
                for g in range(n_folds):
                    if g != f:
                        gap = means[g, k] - outer_means[f, k]
                        squares[f, k] += inner[g, k] + (starts[g + 1] - starts[g]) * gap * gap
    return means, outer_means, squares


@inner
def ranked(best: float, second: float, winner: int, value: float, c: int, n_outputs: int) -> tuple[float, float, int]:
    """Take one more output into account: return the greatest one, the second, and the class of the greatest.

    A single output stands for two classes: it is positive for the second.
    """
    if n_outputs == 1:
        return abs(value), 0.0, int(value > 0.0)
    if value > best:
        return value, best, c
    return best, max(second, value), winner


@kernel
def sum_of_squares(values: Values) -> float:
    """Return the sum of squares, added up in order."""
    total = 0.0
    for x in values:
        total += x * x
    return total


@kernel
def enter_paths(columns: Values, start: int, centers: Values, scales: Values, paths: Values) -> None:
    """Subtract what the members explain of scaled columns, given in `paths`, from them; one fold, in place."""
    for k in range(len(paths)):
        path, center, scale = paths[k], centers[k], scales[k]
        column = columns[k, start : start + len(path)]
        for t in range(index(len(path))):
            path[t] = (column[t] - center) * scale - path[t]


@maker
def fold_correct(predicted: Values, moves: Values, paths: Values, truth: Counts) -> tuple[Counts, Values]:
    """Count the samples of a fold that each neighbor classifies correctly, and return the smallest lead of a winner.

    A neighbor's predictions are `predicted` (output, sample) plus its moves (one per output) along its path.
    """
    n_neighbors, n_samples = paths.shape
    n_outputs = len(predicted)
    correct = np.zeros(n_neighbors, dtype=np.int64)
    leads = np.full(n_neighbors, np.inf)
    for k in range(n_neighbors):
        for t in range(n_samples):
            best, second, winner = -np.inf, -np.inf, 0
            for c in range(n_outputs):
                value = predicted[c, t] + moves[k, c] * paths[k, t]
                best, second, winner = ranked(best, second, winner, value, c, n_outputs)
            leads[k] = min(leads[k], best - second)
            correct[k] += winner == truth[t]
    return correct, leads
