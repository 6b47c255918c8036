"""What the votes of k neighbors are worth: points in whole numbers, so that their sums are exact in any order."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Counts, Values
from sweepless.criteria.scoring import mean_accuracy

VOTE_SCORES = ("accuracy", "brier", "log_loss")
_LOG_UNIT = 2.0**32


class VoteScore:
    """Points for the votes around a sample, and the value of all points.

    Attributes
    ----------
    gains : int array of shape (2, n_neighbors + 1), or None
        What the number of votes for the own class is worth, and what the number of votes for each class is worth. None
        if a row is worth 1 if its class wins, else 0; one neighbor needs no more to know either loss.
    """

    def __init__(self, score: str, n_neighbors: int) -> None:
        counts = np.arange(n_neighbors + 1, dtype=np.int64)
        self._unit = 1.0
        self._table = np.zeros((2, n_neighbors + 1), dtype=np.int64)
        if score == "brier":  # the sum of (v / k - own)² over the classes, halved: in units of 1 / (2 k²)
            self._unit = 2.0 * n_neighbors**2
            self._table[0] = 2 * n_neighbors * counts - n_neighbors**2
            self._table[1] = -counts * counts
        if score == "log_loss":
            self._unit = _LOG_UNIT
            self._table[0] = np.rint(_LOG_UNIT * np.log(np.maximum(counts, 0.5) / n_neighbors)).astype(np.int64)
        self._wins_only = score != "accuracy" and n_neighbors == 1
        self.gains: Counts | None = None if score == "accuracy" or self._wins_only else self._table

    def values(self, points: Counts, sizes: Counts) -> Values:
        """Return J from the points on the account of every fold; an empty fold counts 0."""
        if self._wins_only:
            lost, won = self._table[0] + self._table[1, 1]
            points = points * (won - lost) + sizes * lost
        return np.asarray(mean_accuracy(points, sizes) / self._unit)
