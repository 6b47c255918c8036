"""The complements of all features, kept from sweep to sweep: one product with each move brings them up to date."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Values
from sweepless.criteria.linear import kept
from sweepless.criteria.schur import Factor
from sweepless.kernels.linear.sweeps import LANES, multiply_tiles


class KeptNorms(kept.Kept):
    """The columns of all features in tiles, and what members leave of their squared norms."""

    @staticmethod
    def fit_memory(n_features: int, n_samples: int) -> bool:
        """Tell whether the columns stay within `MOST_BYTES`."""
        return 8 * n_features * n_samples <= kept.MOST_BYTES

    def sweep(self, factor: Factor, rows: Values, residual: Values) -> tuple[Values, Values]:
        """Return sigma of all features, and the products of their columns with the residual."""
        if not self.is_known:
            self.forget()
            for block in self._blocks:
                change = factor.grow(rows @ kept.side_by_side(self._columns[block]))
                sigma = np.where(change.is_sound, change.sigma, np.nan)  # not a number is never decided
                self._sigma[block] = sigma.reshape(-1, LANES)
        self.is_known = False  # should an interrupt leave them half done
        products = multiply_tiles(self._columns, np.array([residual, *self._vectors]))
        for k, scale in enumerate(self._scales, start=1):
            self._sigma -= scale * products[:, k] ** 2
        self._vectors, self._scales, self.is_known = [], [], True
        return self._features_of(self._sigma[:, None])[0], self._features_of(products[:, :1])[0]
