"""Softmax draws from many: the same picks as from stored weights, the same law, the same guards."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chisquare

from sweepless.engine import PortableRng
from sweepless.kernels._jit import maker
from sweepless.kernels.elementary import exp_of
from sweepless.kernels.sampling.proposal import draw_by_blocks, softmax_weights
from sweepless.kernels.sampling.rough import draw_surely
from sweepless.kernels.sampling.softmax import draw_by_softmax

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
    assert draw_by_softmax(sign * scores, 0.7, uniforms).tolist() == expected.tolist()
    assert np.array_equal(scores, before)


def test_the_first_draw_follows_the_law():
    scores = np.repeat([0.0, 1.0, 2.0, -1.0], 300)
    rng = PortableRng(5)
    n_runs = 4000
    found = np.bincount([draw_by_softmax(-scores, 1.5, rng.uniforms(1))[0] // 300 for _ in range(n_runs)])
    law = np.exp(-np.array([0.0, 1.0, 2.0, -1.0]) / 1.5)
    assert chisquare(found, law / law.sum() * n_runs).pvalue > UNLIKELY


@pytest.mark.parametrize("uniform", [0.0, 0.5, 1 - 2**-53])
def test_every_item_can_be_drawn_and_the_infinitely_bad_are_not(uniform):
    scores = np.arange(600.0) * 10.0
    scores[[3, 500]] = -np.inf
    found = draw_by_softmax(scores, 1.0, np.full(598, uniform))
    assert sorted(found.tolist()) == [k for k in range(600) if k not in (3, 500)]


def test_underflowed_weights_are_followed_by_the_greatest_preference():
    scores = np.full(1000, -2000.0)
    scores[[5, 700, 300]] = [-900.0, -1000.0, 0.0]
    assert draw_by_softmax(scores, 1.0, np.full(4, 0.5)).tolist()[:3] == [300, 5, 700]


def test_equal_preferences_are_drawn_uniformly_where_all_weights_have_underflowed():
    scores = np.repeat([0.0, -1.0], [3, 1000])
    rng = PortableRng(6)
    found = np.zeros(1003)
    for _ in range(2000):
        drawn = draw_by_softmax(scores, 1e-9, rng.uniforms(13))
        assert set(drawn[:3].tolist()) == {0, 1, 2}
        found[drawn[3:]] += 1
    assert chisquare(found[3:].reshape(10, 100).sum(axis=1)).pvalue > UNLIKELY


def halved(weights):
    """Sum 256 weights by adding the second half to the first until one is left."""
    while len(weights) > 1:
        half = len(weights) // 2
        weights = weights[:half] + weights[half:]
    return float(weights[0])


def drawn_in_blocks(scores, sign, temperature, uniforms):
    """The definition to the last bit: blocks of 256, summed in halves, in groups of 64, everything anew each time."""
    preference = np.full(-(-len(scores) // 256) * 256, -np.inf)
    preference[: len(scores)] = sign * scores
    top, drawn = preference.max(), []
    for uniform in uniforms:
        if exp_of((preference.max() - top) * min(1.0 / temperature, 1e308)) == 0.0:
            top = preference.max()
        weights = np.array([exp_of(x) for x in (preference - top) * min(1.0 / temperature, 1e308)])
        sums = np.array([halved(block) for block in weights.reshape(-1, 256)])
        groups = [sums[at : at + 64] for at in range(0, len(sums), 64)]
        totals = [ordered_sum(group) for group in groups]
        goal = uniform * ordered_sum(totals)
        group, below = walk(totals, goal, 0.0)
        block, below = walk(groups[group], goal, below)
        block += 64 * group
        place, _ = walk(weights[256 * block : 256 * (block + 1)], goal, below)
        drawn.append(256 * block + place)
        preference[drawn[-1]] = -np.inf
    return drawn


def ordered_sum(values):
    total = 0.0
    for value in values:
        total += float(value)
    return total


def walk(sums, goal, below):
    place, before = -1, below
    for k, value in enumerate(sums):
        if value > 0.0:
            place, before = k, below
            below += float(value)
            if below > goal:
                break
    return place, before


@pytest.mark.parametrize("n_items", [3, 256, 700, 20_000])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("temperature", [0.01, 0.7])
def test_sums_are_taken_in_halves_to_the_last_bit(n_items, sign, temperature):
    draws = np.random.default_rng(n_items)
    scores = draws.normal(size=n_items)
    uniforms = draws.random(min(n_items, 4))
    assert draw_by_softmax(sign * scores, temperature, uniforms).tolist() == drawn_in_blocks(
        scores, sign, temperature, uniforms
    )


@maker
def rough_draws(scores, temperature, uniforms, drawn, before):
    return draw_surely(scores, temperature, uniforms, drawn, before)


def drawn_roughly(scores, temperature, uniforms):
    drawn, before = np.empty(len(uniforms), dtype=np.intp), np.empty(len(uniforms))
    noted = scores.copy()
    n_drawn = rough_draws(noted, temperature, uniforms, drawn, before)
    drawn, before = drawn[:n_drawn], before[:n_drawn]
    assert np.array_equal(before, scores[drawn])
    assert sorted(drawn.tolist()) == np.flatnonzero(noted != scores).tolist()
    return drawn.tolist()


@pytest.mark.parametrize("n_items", [1, 7, 255, 256, 257, 5000, 16_384, 20_000])
@pytest.mark.parametrize("spread", [0.0, 1.0, 50.0, 1e4])
def test_what_rough_weights_decide_is_what_exact_ones_do(n_items, spread):
    draws = np.random.default_rng(n_items)
    scores = spread * draws.normal(size=n_items) + 1e6
    scores[draws.random(n_items) < 0.01] = -np.inf
    uniforms = draws.random(min(n_items // 2, 5))
    expected = drawn_in_blocks(scores, 1, 0.7, uniforms)
    found = drawn_roughly(scores, 0.7, uniforms)
    assert found == expected[: len(found)]
    assert spread > 1.0 or len(found) == len(uniforms)
    assert draw_by_softmax(scores, 0.7, uniforms).tolist() == expected


@pytest.mark.parametrize("shift", [0.0, 1e-15, -1e-15, 1e-11, -1e-11, 1e-9, -1e-9])
def test_shares_at_the_end_of_a_weight_are_left_to_exact_ones(shift):
    draws = np.random.default_rng(3)
    scores = draws.normal(size=600)
    weights = np.array([exp_of(x) for x in scores - scores.max()])
    ends = np.cumsum(weights) / weights.sum()
    for place in (0, 1, 255, 256, 300, 511, 598, 599):
        uniform = np.array([min(max(ends[place] + shift, 0.0), 1 - 2**-53)])
        expected = drawn_in_blocks(scores, 1, 1.0, uniform)
        assert drawn_roughly(scores, 1.0, uniform) in ([], expected)
        assert abs(shift) > 1e-10 or drawn_roughly(scores, 1.0, uniform) == []
        assert draw_by_softmax(scores, 1.0, uniform).tolist() == expected


@pytest.mark.parametrize("temperature", [1e-9, 1e-3, 1e-200, 1e300])
def test_rough_weights_decide_nothing_where_they_would_over_or_underflow(temperature):
    scores = np.arange(1000.0)
    scores[0] = 2000.0
    uniforms = np.full(30, 0.3)
    for arranged in (scores, scores[::-1].copy(), np.roll(scores, 7)):
        found = drawn_roughly(arranged, temperature, uniforms)
        expected = draw_by_softmax(arranged, temperature, uniforms).tolist()
        assert found == expected[: len(found)]
        if temperature < 1.0:
            assert expected == np.argsort(-arranged)[:30].tolist()
            assert len(found) <= 1
