"""What the outputs of a model with a log link are worth as predictions, and how far errors carry that value.

An output z within e of the right one gives a prediction exp(z) within exp(z) (exp(e) - 1) of the right one.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import Values
from sweepless.criteria.linear.held_out import Rows
from sweepless.criteria.scores.base import BoundScore, Score
from sweepless.criteria.scores.slack import slack_of
from sweepless.kernels.linear.losses import powers

_ENOUGH = 2.0**-33  # an error that crosses a boundary of the grid in one of a hundred cases
_WANTED = 2.0**-35  # a mean error of outputs with which most values have this error or a lesser one
_MOST = 2.0**-31  # an error beyond which a fit from scratch may have no value, and
_LARGEST = 2.0**-28  # the error beyond which it has none: a fourth of the grid
_ROUNDING = 2.0**-46  # of outputs, exponentials and sums


class HeldOutNumbers:
    """Values outputs for the held-out samples of one fold.

    Parameters
    ----------
    score : Score
        One of numbers, whose slack is known.
    truth : array
    unit : float
        The scale of the score.
    """

    def __init__(self, score: Score, truth: Values, unit: float) -> None:
        self._score, self._truth, self._unit = BoundScore(score, truth, np.empty(0)), truth, unit
        self._slack = slack_of(score, truth)
        self.enough = _ENOUGH * unit

    def summarized(self, errors: Values) -> Values:
        """Return what matters of the errors of all samples: all of them."""
        return errors

    def wanted(self, outputs: Values) -> float:
        """Return the error with which neighbors may be proven."""
        return _WANTED

    def slopes(self, outputs: Values) -> Values | None:
        """Return nothing: how values fall with outputs is not known."""
        return None

    def judged(self, outputs: Values, errors: Values, rows: Rows, *, foresees: bool) -> tuple[Values, Values]:
        """Return the values of candidates whose outputs (candidate, 1, sample) may be off, and their errors."""
        values, doubts = self._valued(outputs[:, 0], errors)
        return values, np.where(doubts <= _MOST * self._unit, doubts, np.inf)

    def settled(self, outputs: Values, errors: Values, rows: Rows) -> float:
        """Return the value of final outputs (1, sample), NaN if it may be off by more than the grid allows."""
        values, doubts = self._valued(outputs, errors[None])
        return float(values[0]) if doubts[0] <= _LARGEST * self._unit else np.nan

    def _valued(self, outputs: Values, errors: Values) -> tuple[Values, Values]:
        with np.errstate(all="ignore"):  # what overflows is not proven
            predicted = powers(np.ascontiguousarray(outputs))
            moves = predicted * np.expm1(errors + _ROUNDING * (1.0 + np.abs(outputs)))
            values = self._score(predicted)
            doubts = self._slack(self._truth, predicted, moves) + _ROUNDING * (self._unit + np.abs(values))
        return values, doubts
