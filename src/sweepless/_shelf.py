"""Places for what is kept of some features, in an array that has room for so many."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Features


class Shelf:
    """Gives features places in the order of their coming; when there is no room left, all are forgotten."""

    def __init__(self, n_features: int, n_places: int) -> None:
        self.n_places = min(n_features, n_places)
        self._n_taken, self._place_of = 0, np.full(n_features, -1, dtype=np.intp)

    def places(self, features: Features) -> tuple[Features, Features]:
        """Return the places of different features, no more than there are places, and those that are new."""
        fresh = features[self._place_of[features] < 0]
        if self._n_taken + len(fresh) > self.n_places:
            fresh, self._n_taken = features, 0
            self._place_of[:] = -1
        self._place_of[fresh] = np.arange(self._n_taken, self._n_taken + len(fresh))
        self._n_taken += len(fresh)
        return self._place_of[features], fresh
