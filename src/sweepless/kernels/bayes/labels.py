"""Confusion tables of scores: who wins, counted where it is found."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Counts, Mask, Values
from sweepless.kernels._jit import in_wide_vectors, index, kernel


@kernel
def count_labels(
    scores: Values,
    starts: Counts,
    calls: Values,
    is_settled: Mask,
    pads: Values,
    labels: Counts,
    tables: Counts,
    is_sure: Mask,
) -> None:
    """Count per candidate, true class and winner, the first class with the greatest score; the table is zero before.

    The samples of a true class begin at `starts`. A candidate is sure if no two best scores of a sample differ by as
    little as its `calls`, but for samples that are settled, if these are given. `pads` and `labels` hold a number for
    every sample, the pads two.
    """
    in_wide_vectors()
    n_classes, n_samples = scores.shape[1:]
    best, second = pads[0], pads[1]
    for m in range(len(scores)):
        values = scores[m, 0]
        for t in range(index(n_samples)):
            best[t] = values[t]
            second[t] = -np.inf
            labels[t] = 0
        for c in range(1, n_classes):
            values = scores[m, c]
            for t in range(index(n_samples)):  # loaded before they are chosen, so that no branch is left to mispredict
                value, top, next_best, label = values[t], best[t], second[t], labels[t]
                less = value if value < top else top
                labels[t] = c if value > top else label
                second[t] = less if less > next_best else next_best
                best[t] = value if value > top else top
        n_close = 0
        for t in range(index(n_samples)):
            n_close += not best[t] - second[t] > calls[m]
        if n_close > 0 and is_settled.shape[1] > 0:
            for t in range(n_samples):
                n_close -= is_settled[m, t] and not best[t] - second[t] > calls[m]
        is_sure[m] = n_close == 0
        for own in range(n_classes):
            for c in range(n_classes):
                n_here = 0
                for t in range(index(starts[own]), index(starts[own + 1])):
                    n_here += labels[t] == c
                tables[m, own, c] = n_here
