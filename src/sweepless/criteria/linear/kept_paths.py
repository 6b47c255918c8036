"""The paths of all features, kept from sweep to sweep: a candidate then costs O(n), however many members there are.

With P the matrix that leaves of a column what members do not explain, the path of a feature x is Px. One feature more
or less changes P by a multiple of vv', where v is that feature's own path, computed anew: a path then changes by a
multiple of v, and its complement x'Px by a square. As the products v'x are also computed anew, errors add up and never
grow on their own. `drift` bounds their sum.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sweepless._typing import Features, Values
from sweepless.criteria.schur import Change, Factor
from sweepless.kernels.linear.left_out import WIDTH, sweep_paths

MOST_BYTES = 2**29
"""How much memory columns and paths of all features may take; beyond it nothing is kept."""
_TILE = 2**15  # numbers in a tile: half of it and its twin fill a usual second-level cache
_MOST_PENDING = 32  # many moves without a sweep: paths from scratch are cheaper


class KeptPaths:
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
        return 16 * n_features * n_samples <= MOST_BYTES

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
        self.forget()

    def forget(self) -> None:
        """Drop the paths; the next sweep makes them from scratch."""
        self.is_known = False
        self._vectors: list[Values] = []
        self._scales: list[float] = []
        self.drift = 0.0

    def follow(self, factor: Factor, change: Change, vector: Values) -> None:
        """Remember the one move of a change: its vector is the path of the moved feature."""
        if not self.is_known or not change.is_sound[0] or len(self._vectors) == _MOST_PENDING:
            self.forget()
            return
        sigma = float(change.sigma[0])
        slant = float(change.reach[0]) / np.sqrt(sigma)
        # The vector is off by (‖B‖½ + 1) reach, relative to root sigma, on both sides of vv'; sigma by reach².
        self.drift += 2.0 * factor.spectral_noise * (2.0 * (np.sqrt(factor.norm) + 1.0) * slant + slant**2)
        self._vectors.append(vector)
        self._scales.append(change.sign / sigma)

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
