"""Probabilities of two classes by their margin, and the magnitudes of the scores that probabilities depend on."""

from __future__ import annotations

from sweepless._typing import Counts, Values
from sweepless.kernels._jit import kernel
from sweepless.kernels.elementary import exp_of


@kernel
def share_by_margin(scores: Values, shares: Values) -> None:
    """Give the second class the logistic function of its lead, and the first one what is left of one.

    Scores and shares are of shape (candidate, class, sample).
    """
    for m in range(len(scores)):
        for t in range(scores.shape[2]):
            margin = scores[m, 1, t] - scores[m, 0, t]
            part = exp_of(-abs(margin))
            shares[m, 1, t] = (1.0 if margin >= 0.0 else part) / (1.0 + part)
            shares[m, 0, t] = 1.0 - shares[m, 1, t]


@kernel
def sum_magnitudes(scores: Values, truth: Counts, sums: Values) -> None:
    """Sum |score of the true class| + |greatest score| over the samples of every candidate."""
    for m in range(len(scores)):
        total = 0.0
        for t in range(len(truth)):
            top = scores[m, 0, t]
            for c in range(1, scores.shape[1]):
                top = scores[m, c, t] if scores[m, c, t] > top else top
            total += abs(scores[m, truth[t], t]) + abs(top)
        sums[m] = total
