"""The paths of all features, kept from sweep to sweep: a candidate then costs O(n), however many members there are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sweepless._typing import Features, Values
from sweepless.criteria.linear import kept
from sweepless.criteria.schur import Factor
from sweepless.kernels.linear.sweeps import LANES, sweep_paths

_BLOCK = 64  # tiles that are made at once


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
        self._n_features, n_tiles = n_features, -(-n_features // LANES)
        self._columns = np.zeros((n_tiles, n_samples, LANES))
        self._blocks = [slice(start, min(start + _BLOCK, n_tiles)) for start in range(0, n_tiles, _BLOCK)]
        for block in self._blocks:
            features = np.arange(LANES * block.start, min(LANES * block.stop, n_features))
            columns = np.zeros((n_samples, LANES * (block.stop - block.start)))
            columns[:, : len(features)] = scaled(features).T
            self._columns[block] = _in_tiles(columns)
        self._paths = np.empty_like(self._columns)
        self._sigma = np.ones((n_tiles, LANES))
        super().__init__()

    def sweep(
        self, factor: Factor, rows: Values, leverages: Values, residuals: Values
    ) -> tuple[Values, Values, Values]:
        """Return sigma, steps (output, feature) and `left_out_squares` (sum, feature) of all features."""
        if not self.is_known:
            self.forget()
            for block in self._blocks:
                columns = _side_by_side(self._columns[block])
                change = factor.grow(rows @ columns)
                self._paths[block] = _in_tiles(columns - rows.T @ change.columns)
                sigma = np.where(change.is_sound, change.sigma, np.nan)  # not a number is never decided
                self._sigma[block] = sigma.reshape(-1, LANES)
        self.is_known = False  # should an interrupt leave them half done
        vectors = np.array(self._vectors).reshape(len(self._vectors), rows.shape[1])
        steps, sums = sweep_paths(
            self._columns, self._paths, self._sigma, vectors, np.array(self._scales), leverages, residuals
        )
        self._vectors, self._scales, self.is_known = [], [], True
        found = self._sigma[:, None], steps, sums
        sigma, steps, sums = (_side_by_side(each)[:, : self._n_features] for each in found)
        return sigma[0], steps, sums


def _side_by_side(tiles: Values) -> Values:
    """Turn (tile, row, feature) into (row, feature)."""
    return tiles.swapaxes(0, 1).reshape(tiles.shape[1], -1)


def _in_tiles(rows: Values) -> Values:
    """Turn (row, feature) into (tile, row, feature)."""
    return rows.reshape(len(rows), -1, LANES).swapaxes(0, 1)
