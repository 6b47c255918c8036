"""Places for what is kept of some features, in an array that has room for so many."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Features, Mask


class Shelf:
    """Gives features places in the order of their coming; when there is no room left, all are forgotten."""

    def __init__(self, n_features: int, n_places: int) -> None:
        self.n_places = min(n_features, n_places)
        self._n_taken, self._place_of = 0, np.full(n_features, -1, dtype=np.intp)

    def places(self, features: Features) -> tuple[Features, Mask]:
        """Return the places of different features, no more than there are places, and which of them are new."""
        is_fresh = self._place_of[features] < 0
        if self._n_taken + np.count_nonzero(is_fresh) > self.n_places:
            is_fresh[:], self._n_taken = True, 0
            self._place_of[:] = -1
        last = self._n_taken + int(np.count_nonzero(is_fresh))
        self._place_of[features[is_fresh]] = np.arange(self._n_taken, last)
        self._n_taken = last
        return self._place_of[features], is_fresh
