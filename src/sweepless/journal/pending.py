"""What a run was told and the file does not hold yet."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Features, Values


class Pending:
    """Values that wait to be written, and the features that were asked for."""

    def __init__(self) -> None:
        self.n_values = 0
        self._values: list[Values] = []
        self._candidates: list[Features] = []

    def add(self, values: Values) -> None:
        self._values.append(values.copy())
        self.n_values += len(values)

    def ask(self, candidates: Features) -> None:
        self._candidates.append(candidates)

    def taken_values(self) -> Values:
        """Hand the values over."""
        values, self._values, self.n_values = self._values, [], 0
        return values[0] if len(values) == 1 else np.concatenate([np.empty(0), *values])

    def taken_candidates(self) -> list[Features]:
        """Hand over the features that were asked for since the last time."""
        candidates, self._candidates = self._candidates, []
        return candidates
