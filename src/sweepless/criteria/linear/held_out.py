"""What the outputs of a linear model for held-out samples are worth, and what their errors leave open.

This is the one place where outputs become values: a score is a class with two methods. `judged` values many candidates
whose outputs may be off, each by a known bound; `settled` values one subset whose outputs are final.
"""

from __future__ import annotations

from typing import Literal, Protocol

import numpy as np

from sweepless._typing import Counts, Values
from sweepless.criteria.linear.smooth_fit import CLOSE
from sweepless.kernels.linear.newton import count_sure


class Judge(Protocol):
    """Values predictions for the held-out samples of one fold.

    Attributes
    ----------
    enough : float
        The error of a value with which a candidate need not be improved.
    """

    enough: float

    def judged(self, outputs: Values, errors: Values) -> tuple[Values, Values]:
        """Return values and bounds on their errors; outputs have the shape (candidates, outputs, samples)."""

    def settled(self, outputs: Values) -> float:
        """Return the value of outputs of the shape (outputs, samples): the definition."""


class Accuracy:
    """The share of samples classified correctly; a value is either proven or not."""

    enough = 0.0

    def __init__(self, truth: Counts, ties: Literal["class", "nan"]) -> None:
        self._truth, self._ties = truth, ties

    def judged(self, outputs: Values, errors: Values) -> tuple[Values, Values]:
        counts, is_sure = np.empty((2, len(outputs)))
        count_sure(outputs, errors, self._truth, CLOSE, counts, is_sure)
        return counts / len(self._truth), np.where(is_sure > 0.0, 0.0, np.inf)

    def settled(self, outputs: Values) -> float:
        counts, is_sure = np.empty((2, 1))
        count_sure(outputs[None], np.zeros((1, outputs.shape[1])), self._truth, CLOSE, counts, is_sure)
        return float(counts[0]) / len(self._truth) if is_sure[0] > 0.0 or self._ties == "class" else np.nan
