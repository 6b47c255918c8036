"""The complements of all features, kept from sweep to sweep: one product with each move brings them up to date."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sweepless._typing import Features, Values
from sweepless.criteria.linear import kept
from sweepless.criteria.schur import Factor

_BLOCK = 2**18  # numbers that are scaled, or solved for, at a time


class KeptNorms(kept.Kept):
    """The scaled columns of all features, a sample per row, and what members leave of their squared norms.

    Parameters
    ----------
    n_features, n_samples : int
    scaled : callable
        Returns the scaled columns of some features, one per row.
    """

    @staticmethod
    def fit_memory(n_features: int, n_samples: int) -> bool:
        """Tell whether the columns stay within `MOST_BYTES`."""
        return 8 * n_features * n_samples <= kept.MOST_BYTES

    def __init__(self, n_features: int, n_samples: int, scaled: Callable[[Features], Values]) -> None:
        width = max(1, _BLOCK // n_samples)
        self._parts = [slice(start, min(start + width, n_features)) for start in range(0, n_features, width)]
        self._columns = np.empty((n_samples, n_features))
        for part in self._parts:
            self._columns[:, part] = scaled(np.arange(part.start, part.stop)).T
        self._sigma = np.empty(n_features)
        super().__init__()

    def sweep(self, factor: Factor, rows: Values, residual: Values) -> tuple[Values, Values]:
        """Return sigma of all features, and the products of their columns with the residual."""
        if not self.is_known:
            self.forget()
            for part in self._parts:
                change = factor.grow(rows @ self._columns[:, part])
                self._sigma[part] = np.where(change.is_sound, change.sigma, np.nan)  # not a number is never decided
        self.is_known = False  # should an interrupt leave them half done
        for vector, scale in zip(self._vectors, self._scales, strict=True):
            self._sigma -= scale * (vector @ self._columns) ** 2
        self._vectors, self._scales, self.is_known = [], [], True
        return self._sigma.copy(), residual @ self._columns
