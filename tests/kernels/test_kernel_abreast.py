"""Candidates side by side against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless.kernels._lanes import WIDTH, aligned
from sweepless.kernels.neighbors.abreast import FEW, lay_abreast


@pytest.mark.parametrize("n_samples", [1, 5, 16, FEW, FEW + 1, 2 * FEW + 17])
@pytest.mark.parametrize("n_candidates", [1, 15, 16, 17, 40])
def test_candidates_lie_side_by_side(n_samples, n_candidates):
    draws = np.random.default_rng(n_samples)
    columns, middles = draws.normal(size=(50, n_samples)), draws.normal(size=n_candidates)
    places = draws.permutation(50)[:n_candidates]
    beside = aligned(n_samples, -(-n_candidates // WIDTH) * WIDTH)
    cut = n_samples // 3  # two threads share the samples
    for start, stop in ((cut, n_samples), (0, cut)):
        lay_abreast(columns, places, middles, aligned(WIDTH, FEW), beside, start, stop)
    expected = (columns[places] - middles[:, None]).astype(np.float32).T
    np.testing.assert_array_equal(beside[:, :n_candidates], expected)
    np.testing.assert_array_equal(
        beside[:, n_candidates:].T, np.tile(expected[:, 0], (beside.shape[1] - n_candidates, 1))
    )
