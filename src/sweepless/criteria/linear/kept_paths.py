"""The paths of all features, kept from sweep to sweep: a candidate then costs O(n), however many members there are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sweepless._typing import Features, Values
from sweepless.criteria.linear import kept
from sweepless.criteria.schur import Factor
from sweepless.kernels.linear.left_out import WIDTH, sweep_paths

_TILE = 2**15  # numbers in a tile: half of it and its twin fill a usual second-level cache


class KeptPaths(kept.Kept):
    """The columns and paths of all features in tiles: (tile, sample, feature).

    Parameters
    ----------
    n_features, n_samples : int
    scaled : callable
        Returns the scaled columns of some features, one per row.
    """

    @staticmethod
    def fit_memory(n_features: int, n_samples: int) -> bool:
        """Tell whether columns and paths stay within `MOST_BYTES`."""
        return 16 * n_features * n_samples <= kept.MOST_BYTES

    def __init__(self, n_features: int, n_samples: int, scaled: Callable[[Features], Values]) -> None:
        width = int(np.clip(_TILE // n_samples // 8 * 8, 16, WIDTH))
        starts = range(0, n_features, width)
        self._n_features = n_features
        self._columns = np.zeros((len(starts), n_samples, width))
        for tile, start in zip(self._columns, starts, strict=True):
            features = np.arange(start, min(start + width, n_features))
            tile[:, : len(features)] = scaled(features).T
        self._paths = np.empty_like(self._columns)
        self._sigma = np.ones((len(starts), width))
        super().__init__()

    def sweep(
        self, factor: Factor, rows: Values, leverages: Values, residuals: Values
    ) -> tuple[Values, Values, Values]:
        """Return sigma, steps (output, feature) and `left_out_squares` (sum, feature) of all features."""
        if not self.is_known:
            self.forget()
            for tile, path, sigma in zip(self._columns, self._paths, self._sigma, strict=True):
                change = factor.grow(rows @ tile)
                np.subtract(tile, rows.T @ change.columns, out=path)
                sigma[:] = np.where(change.is_sound, change.sigma, np.nan)  # not a number is never decided
        self.is_known = False  # should an interrupt leave them half done
        vectors = np.array(self._vectors).reshape(len(self._vectors), rows.shape[1])
        steps, sums = sweep_paths(
            self._columns, self._paths, self._sigma, vectors, np.array(self._scales), leverages, residuals
        )
        self._vectors, self._scales, self.is_known = [], [], True
        return self._by_feature(self._sigma[:, None])[0], self._by_feature(steps), self._by_feature(sums)

    def _by_feature(self, tiles: Values) -> Values:
        """Put (tile, row, feature) side by side: (row, feature)."""
        return np.concatenate(list(tiles), axis=1)[:, : self._n_features]
