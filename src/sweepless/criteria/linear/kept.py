"""What is kept of all features from sweep to sweep, and how far moves may have carried it from the truth.

With P the matrix that leaves of a column what members do not explain, the path of a feature x is Px and its complement
x'Px. One feature more or less changes P by a multiple of vv', where v is that feature's own path, computed anew: paths
change by multiples of v, and complements by the square of v'x. As the products v'x are also computed anew, errors add
up and never grow on their own. `drift` bounds their sum.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sweepless._typing import Features, Values
from sweepless.criteria.schur import Change, Factor
from sweepless.kernels.linear.sweeps import LANES, tiles_of

MOST_BYTES = 2**29
"""How much memory may be kept; beyond it nothing is."""
_MOST_PENDING = 32  # many moves without a sweep: what is kept is cheaper from scratch
_BLOCK = 64  # tiles that are made at once


class Kept:
    """The columns of all features in tiles (tile, sample, feature), and moves that have not yet been applied.

    Parameters
    ----------
    n_features, n_samples : int
    scaled : callable
        Returns the scaled columns of some features, one per row.

    Attributes
    ----------
    is_known : bool
        Whether anything is kept.
    drift : float
        A bound on the norm of the error that paths have inherited, and on that of complements.
    """

    def __init__(self, n_features: int, n_samples: int, scaled: Callable[[Features], Values]) -> None:
        self._n_features, self._columns = n_features, tiles_of(n_features, n_samples)
        n_tiles = len(self._columns)
        self._blocks = [slice(start, min(start + _BLOCK, n_tiles)) for start in range(0, n_tiles, _BLOCK)]
        for block in self._blocks:
            features = np.arange(LANES * block.start, min(LANES * block.stop, n_features))
            whole, rest = divmod(len(features), LANES)
            columns = scaled(features)
            tiles = columns[: LANES * whole].reshape(whole, LANES, n_samples)
            self._columns[block.start : block.start + whole] = tiles.swapaxes(1, 2)
            if rest:
                self._columns[-1, :, :rest] = columns[LANES * whole :].T
        self._sigma = np.ones((n_tiles, LANES))
        self.forget()

    def forget(self) -> None:
        """Drop what is kept; the next sweep makes it from scratch."""
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

    def _features_of(self, tiles: Values) -> Values:
        """Return what tiles hold of all features, feature by feature."""
        return np.ascontiguousarray(side_by_side(tiles)[:, : self._n_features])


def side_by_side(tiles: Values) -> Values:
    """Turn (tile, row, feature) into (row, feature)."""
    return tiles.swapaxes(0, 1).reshape(tiles.shape[1], -1)


def in_tiles(rows: Values) -> Values:
    """Turn (row, feature) into (tile, row, feature)."""
    return rows.reshape(len(rows), -1, LANES).swapaxes(0, 1)
