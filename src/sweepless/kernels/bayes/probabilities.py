"""Probabilities of naive Bayes, so that it can be told which of them any arithmetic would saturate."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Values
from sweepless.kernels._jit import index, maker
from sweepless.kernels.elementary import exp_of

_SATURATED = 2.0**-57  # what the other classes have together where a probability is rounded to one for sure
_NEARLY_ONE = 1.0 - 2.0**-53
_UNDERFLOWN = -746.0
_LEAST = 5e-324


@maker
def fill_probabilities(scores: Values, coldness: float, probabilities: Values, largest: Values) -> None:
    """Fill in exp(score) divided by its sum over classes, and the largest |best score| of every candidate.

    A probability is 0 or 1 only if it is so in any arithmetic; otherwise it is the next double.
    """
    n_classes, n_samples = scores.shape[1:]
    top, rest, total = np.empty(n_samples), np.empty(n_samples), np.empty(n_samples)
    for m in range(len(scores)):
        top[:] = -np.inf
        rest[:] = 0.0
        total[:] = 0.0
        for c in range(n_classes):
            line = scores[m, c]
            for i in range(index(n_samples)):
                top[i] = line[i] if line[i] > top[i] else top[i]
        for c in range(n_classes):
            line, found = scores[m, c], probabilities[m, c]
            for i in range(index(n_samples)):
                part = exp_of((line[i] - top[i]) * coldness)
                found[i] = part
                rest[i] += part if part < 1.0 else 0.0  # the greatest part is 1
                total[i] += 0.0 if part < 1.0 else 1.0
        for i in range(index(n_samples)):
            total[i] += rest[i]
        largest[m] = np.abs(top).max() if n_samples else 0.0
        for c in range(n_classes):
            line, found = scores[m, c], probabilities[m, c]
            for i in range(index(n_samples)):
                share = found[i] / total[i]
                nearly = 1.0 if rest[i] < _SATURATED else _NEARLY_ONE
                least = 0.0 if (line[i] - top[i]) * coldness <= _UNDERFLOWN else _LEAST
                share = nearly if share >= _NEARLY_ONE else share
                found[i] = share if share > least else least
