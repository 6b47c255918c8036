"""Probabilities of naive Bayes, so that it can be told which of them any arithmetic would saturate."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Values
from sweepless.kernels._jit import index, kernel
from sweepless.kernels.elementary import exp_of

_SATURATED = 2.0**-57  # what the other classes have together where a probability is rounded to one for sure
_NEARLY_ONE = 1.0 - 2.0**-53
_UNDERFLOWN = -746.0
_LEAST = 5e-324


@kernel
def fill_probabilities(scores: Values, coldness: float, probabilities: Values, largest: Values) -> None:
    """Fill in exp(score) divided by its sum over classes, and the largest |best score| of every candidate.

    A probability is 0 or 1 only if it is so in any arithmetic; otherwise it is the next double.
    """
    n_classes, n_samples = scores.shape[1:]
    top = np.empty(n_samples)
    for m in range(len(scores)):
        top[:] = -np.inf
        for c in range(n_classes):
            line = scores[m, c]
            for i in range(index(n_samples)):
                top[i] = line[i] if line[i] > top[i] else top[i]
        for c in range(n_classes):
            line, found = scores[m, c], probabilities[m, c]
            for i in range(index(n_samples)):
                found[i] = exp_of((line[i] - top[i]) * coldness)
        largest[m] = 0.0
        for i in range(n_samples):
            largest[m] = max(largest[m], abs(top[i]))
            rest, n_top = 0.0, 0
            for c in range(n_classes):
                part = probabilities[m, c, i]
                rest += part if part < 1.0 else 0.0
                n_top += part == 1.0
            total = rest + n_top
            for c in range(n_classes):
                share = probabilities[m, c, i] / total
                if share >= _NEARLY_ONE:
                    share = 1.0 if rest < _SATURATED and n_top == 1 else _NEARLY_ONE
                elif share == 0.0 and (scores[m, c, i] - top[i]) * coldness > _UNDERFLOWN:
                    share = _LEAST
                probabilities[m, c, i] = share
