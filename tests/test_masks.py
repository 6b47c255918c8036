"""Marked positions are those that NumPy lists, wherever in a long mask they are."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless._masks import _RARE, _SHORT, marked


@pytest.mark.parametrize("n_items", [0, 1, _SHORT, _SHORT + 1, 20 * _SHORT + 17, 100 * _RARE])
@pytest.mark.parametrize("share", [0.0, 1e-5, 0.01, 0.5, 1.0])
def test_marked_positions(n_items, share):
    mask = np.random.default_rng(n_items).random(n_items) < share
    mask[: 1 if share else 0] = mask[n_items - 1 if share else n_items :] = True
    assert marked(mask).tolist() == np.flatnonzero(mask).tolist()
    assert marked(mask).dtype == np.intp
