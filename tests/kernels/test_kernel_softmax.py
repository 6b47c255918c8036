"""Softmax draws from many: the same picks as from stored weights, the same law, the same guards."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chisquare

from sweepless import PortableRng
from sweepless.kernels.proposal import draw_by_blocks, softmax_weights
from sweepless.kernels.softmax import draw_by_softmax

UNLIKELY = 1e-3


@pytest.mark.parametrize("n_items", [1, 2, 255, 256, 257, 20_000])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("spread", [0.0, 0.3, 40.0])
def test_the_picks_are_those_from_stored_weights(n_items, sign, spread):
    draws = np.random.default_rng(n_items)
    scores = spread * draws.normal(size=n_items)
    uniforms = draws.random(min(n_items, 60))
    before = scores.copy()
    # Sums in another order differ in the last digits, so a pick may in principle; with these numbers none does.
    weights = softmax_weights(sign * scores, 0.7)
    expected = draw_by_blocks(weights, sign * scores, uniforms)
    assert draw_by_softmax(scores, sign, 0.7, uniforms).tolist() == expected.tolist()
    assert np.array_equal(scores, before)


def test_the_first_draw_follows_the_law():
    scores = np.repeat([0.0, 1.0, 2.0, -1.0], 300)
    rng = PortableRng(5)
    n_runs = 4000
    found = np.bincount([draw_by_softmax(scores, -1, 1.5, rng.uniforms(1))[0] // 300 for _ in range(n_runs)])
    law = np.exp(-np.array([0.0, 1.0, 2.0, -1.0]) / 1.5)
    assert chisquare(found, law / law.sum() * n_runs).pvalue > UNLIKELY


@pytest.mark.parametrize("uniform", [0.0, 0.5, 1 - 2**-53])
def test_every_item_can_be_drawn_and_the_infinitely_bad_are_not(uniform):
    scores = np.arange(600.0) * 10.0
    scores[[3, 500]] = -np.inf
    found = draw_by_softmax(scores, 1, 1.0, np.full(598, uniform))
    assert sorted(found.tolist()) == [k for k in range(600) if k not in (3, 500)]


def test_underflowed_weights_are_followed_by_the_greatest_preference():
    scores = np.full(1000, -900.0)
    scores[[5, 700, 300]] = [-800.0, -800.0, 0.0]
    assert draw_by_softmax(scores, 1, 1.0, np.full(4, 0.5)).tolist() == [300, 5, 700, 0]
