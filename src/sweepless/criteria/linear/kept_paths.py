"""The paths of all features, kept from sweep to sweep: a candidate then costs O(n), however many members there are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sweepless._typing import Features, Values
from sweepless.criteria.linear import kept
from sweepless.criteria.schur import Factor
from sweepless.kernels.linear.sweeps import LANES, sweep_paths, tiles_of


class KeptPaths(kept.Kept):
    """The columns and paths of all features in tiles."""

    @staticmethod
    def fit_memory(n_features: int, n_samples: int) -> bool:
        """Tell whether columns and paths stay within `MOST_BYTES`."""
        return 16 * n_features * n_samples <= kept.MOST_BYTES

    def __init__(self, n_features: int, n_samples: int, scaled: Callable[[Features], Values]) -> None:
        super().__init__(n_features, n_samples, scaled)
        self._paths = tiles_of(n_features, n_samples)

    def sweep(
        self, factor: Factor, rows: Values, leverages: Values, residuals: Values
    ) -> tuple[Values, Values, Values]:
        """Return sigma, steps (output, feature) and `left_out_squares` (sum, feature) of all features."""
        if not self.is_known:
            self.forget()
            if not len(rows):
                self._paths[:], self._sigma[:] = self._columns, 1.0
            for block in self._blocks if len(rows) else ():
                columns = kept.side_by_side(self._columns[block])
                change = factor.grow(rows @ columns)
                self._paths[block] = kept.in_tiles(columns - rows.T @ change.columns)
                sigma = np.where(change.is_sound, change.sigma, np.nan)  # not a number is never decided
                self._sigma[block] = sigma.reshape(-1, LANES)
        self.is_known = False  # should an interrupt leave them half done
        vectors = np.array(self._vectors).reshape(len(self._vectors), rows.shape[1])
        steps, sums = sweep_paths(
            self._columns, self._paths, self._sigma, vectors, np.array(self._scales), leverages, residuals
        )
        self._vectors, self._scales, self.is_known = [], [], True
        return self._features_of(self._sigma[:, None])[0], self._features_of(steps), self._features_of(sums)
