"""How far losses of positive numbers may be off if their predictions are.

A prediction p may be off by a move m: it is within a factor of 1 + m/p, up or down, of the right one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from sweepless._typing import Values
from sweepless.criteria.scores import numbers
from sweepless.criteria.scores.base import Score
from sweepless.criteria.scores.numbers import Explained, Loss, MinusLoss
from sweepless.kernels.scores import gamma_deviances, poisson_deviances

Slack: TypeAlias = Callable[[Values, Values, Values], Values]
"""Takes the truth, predictions and their moves (candidate, sample), returns a bound for each candidate."""


def _squares(actual: Values, predicted: Values, moves: Values) -> Values:
    return np.asarray(np.sum((2.0 * np.abs(actual - predicted) + moves) * moves, axis=1))


def _absolutes(actual: Values, predicted: Values, moves: Values) -> Values:
    return np.asarray(np.sum(moves, axis=1))


def _root(actual: Values, predicted: Values, moves: Values) -> Values:
    return np.asarray(np.sqrt(np.mean(moves**2, axis=1)))


def _poisson(actual: Values, predicted: Values, moves: Values) -> Values:
    return np.asarray(2.0 * np.sum(moves * (1.0 + actual / predicted), axis=1))


def _gamma(actual: Values, predicted: Values, moves: Values) -> Values:
    return np.asarray(2.0 * np.sum(moves / predicted * (1.0 + actual / predicted), axis=1))


def _mean(slack: Slack) -> Slack:
    return lambda actual, predicted, moves: slack(actual, predicted, moves) / len(actual)


_SLACKS: dict[Loss, Slack] = {
    numbers.squares: _squares,
    numbers.mean_square: _mean(_squares),
    numbers.root_mean_square: _root,
    numbers.absolutes: _absolutes,
    numbers.mean_absolute: _mean(_absolutes),
    poisson_deviances: _poisson,
    numbers.mean_poisson_deviance: _mean(_poisson),
    gamma_deviances: _gamma,
    numbers.mean_gamma_deviance: _mean(_gamma),
}


def has_slack(score: Score) -> bool:
    """Tell whether it is known how far a score follows its predictions."""
    return isinstance(score, (MinusLoss, Explained)) and score.loss in _SLACKS


def slack_of(score: Score, actual: Values) -> Slack:
    """Return how far a score of these numbers may be off; those that are relative must not be constant."""
    assert isinstance(score, (MinusLoss, Explained))  # nosec B101 # only narrows the type
    slack = _SLACKS[score.loss]
    if isinstance(score, MinusLoss):
        return slack
    whole = score.whole(actual)
    return lambda truth, predicted, moves: slack(truth, predicted, moves) / whole
