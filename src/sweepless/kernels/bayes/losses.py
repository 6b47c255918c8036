"""What the scores of a naive Bayes model are worth: accuracy, log loss or Brier score.

Probabilities are exp(score) divided by their sum over the classes that were trained on. Every sum runs over classes in
ascending order and then over samples in the order of their cells, so equal scores have equal values.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import Counts, Values
from sweepless.kernels._jit import index, inner, maker
from sweepless.kernels.bayes.definition import winner
from sweepless.kernels.elementary import exp_of, log_of

ACCURACY, LOG_LOSS, BRIER = 0, 1, 2
LARGEST_LOSS = float(-np.log(np.finfo(np.float64).eps))  # a probability counts as at least this epsilon
_BLOCK = 512  # samples at a time


@maker
def sum_values(totals: Values, scores: Values, coldness: float, priors: Values, cells: Counts, kind: int) -> None:
    """Sum the values of all samples, per subset and fold; `coldness` multiplies scores."""
    n_classes = priors.shape[1]
    top, own_part, others, squares = np.empty(_BLOCK), np.empty(_BLOCK), np.empty(_BLOCK), np.empty(_BLOCK)
    for m in range(len(scores)):
        for k in range(len(priors)):
            totals[m, k] = 0.0
            for own in range(n_classes):
                is_trained = priors[k, own] > -np.inf
                for start in range(cells[k, own], cells[k, own + 1], _BLOCK):
                    stop = min(start + _BLOCK, cells[k, own + 1])
                    parts = (
                        top[: stop - start],
                        own_part[: stop - start],
                        others[: stop - start],
                        squares[: stop - start],
                    )
                    if kind == ACCURACY:
                        totals[m, k] += _count_right(scores[m], start, stop, own, priors[k])
                        continue
                    _share(scores[m], start, stop, own, priors[k], coldness, *parts)
                    if kind == LOG_LOSS:
                        totals[m, k] -= _log_losses(scores[m, own, start:stop], coldness, *parts[:3], is_trained)
                    else:
                        totals[m, k] -= _squared_errors(*parts[1:])


@inner
def _share(
    scores: Values,
    start: int,
    stop: int,
    own: int,
    priors: Values,
    coldness: float,
    top: Values,
    own_part: Values,
    others: Values,
    squares: Values,
) -> None:
    """Set the greatest score, and exp(score - greatest) of the own class, summed over the others, and squared there."""
    top[:] = -np.inf
    own_part[:] = 0.0
    others[:] = 0.0
    squares[:] = 0.0
    for c in range(len(priors)):
        if priors[c] > -np.inf:
            line = scores[c, start:stop]  # contiguous, so that loops vectorize
            for i in range(index(len(top))):
                top[i] = line[i] if line[i] > top[i] else top[i]
    for c in range(len(priors)):
        if priors[c] > -np.inf:
            line = scores[c, start:stop]
            if c == own:
                for i in range(index(len(top))):
                    own_part[i] = exp_of((line[i] - top[i]) * coldness)
            else:
                for i in range(index(len(top))):
                    part = exp_of((line[i] - top[i]) * coldness)
                    others[i] += part
                    squares[i] += part * part


@inner
def _count_right(scores: Values, start: int, stop: int, own: int, priors: Values) -> int:
    count = 0
    for i in range(start, stop):
        count += winner(scores[:, i], priors) == own
    return count


@inner
def _log_losses(
    mine: Values, coldness: float, top: Values, own_part: Values, others: Values, is_trained: bool
) -> float:
    total = 0.0
    if not is_trained:
        return LARGEST_LOSS * len(mine)
    for i in range(index(len(mine))):
        others[i] = log_of(own_part[i] + others[i]) - (mine[i] - top[i]) * coldness
    for i in range(len(mine)):
        total += min(others[i], LARGEST_LOSS)
    return total


@inner
def _squared_errors(own_part: Values, others: Values, squares: Values) -> float:
    """Sum (1 - p)² of the own class and p² of the others; without any class trained on, 1 for each sample."""
    total = 0.0
    for i in range(len(others)):
        whole = own_part[i] + others[i]
        total += (others[i] * others[i] + squares[i]) / (whole * whole) if whole > 0.0 else 1.0
    return total
