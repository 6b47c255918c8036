"""What keys of outputs promise, pair by pair."""

from __future__ import annotations

import numpy as np


def doubt(doubts, greater):
    return doubts[0] + doubts[1] * abs(greater) + doubts[2] * abs(greater * (1.0 - greater))


def broken(values, keys, limit, n_bits, doubts):
    """Return the pairs that are told apart by keys although they may have to be swapped, or are in the wrong order."""
    levels = keys.astype(np.int64) >> n_bits
    found = []
    for i in range(len(values)):
        for j in range(len(values)):
            is_told = levels[i] - levels[j] > limit
            if is_told and not values[i] - values[j] > max(doubt(doubts, values[i]), 0.0):
                found.append((i, j))
    return found


def shares(scores, coldness):
    """Return exp(score) divided by its sum over classes (rows)."""
    parts = np.exp((scores - scores.max(axis=0)) * coldness)
    return parts / parts.sum(axis=0)
