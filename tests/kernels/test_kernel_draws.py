"""Drawing without replacement: the law of every draw, and the guards where weights give out."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import chisquare

from sweepless.engine import PortableRng
from sweepless.kernels.sampling.proposal import draw_by_blocks, draw_by_walk, shuffle_prefix, softmax_weights

DRAWS = [draw_by_walk, draw_by_blocks]
UNLIKELY = 1e-3  # the seeds are fixed: a test passes always or never


def marginal_laws(weights, n_draws):
    """The exact law of the item at each of the first draws."""
    laws = np.zeros((n_draws, len(weights)))
    total = weights.sum()
    for sequence in permutations(range(len(weights)), n_draws):
        probability, left = 1.0, total
        for item in sequence:
            probability *= weights[item] / left
            left -= weights[item]
        for place, item in enumerate(sequence):
            laws[place, item] += probability
    return laws


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("n_items", [5, 20, 40])  # 20 and 40 make more than one block
def test_every_draw_follows_the_law_of_sequential_drawing(draw, n_items):
    rng = PortableRng(n_items)
    weights = np.linspace(1.0, 4.0, n_items) ** 2
    n_draws, n_runs = (3, 6000) if n_items == 5 else (2, 20000)
    laws = marginal_laws(weights, n_draws)
    found = np.array([draw(weights, weights, rng.uniforms(n_draws)) for _ in range(n_runs)])
    for place, law in enumerate(laws):
        observed = np.bincount(found[:, place], minlength=n_items)
        assert chisquare(observed, law * n_runs).pvalue > UNLIKELY


def test_blocks_and_walk_include_every_set_equally_often():
    weights = np.array([0.5, 1.0, 2.0, 4.0, 0.1])
    n_runs = 6000
    law = Counter()
    for a, b, c in permutations(range(5), 3):
        left = weights.sum()
        probability = weights[a] / left
        left -= weights[a]
        probability *= weights[b] / left
        left -= weights[b]
        law[frozenset((a, b, c))] += probability * weights[c] / left
    for seed, draw in enumerate(DRAWS):
        rng = PortableRng(seed)
        found = Counter(frozenset(draw(weights, weights, rng.uniforms(3)).tolist()) for _ in range(n_runs))
        assert chisquare([found[s] for s in law], [law[s] * n_runs for s in law]).pvalue > UNLIKELY


@pytest.mark.parametrize("n_items", [1, 2, 15, 16, 17, 33, 300])
def test_blocks_and_walk_agree_draw_by_draw_where_sums_are_exact(n_items):
    draws = np.random.default_rng(n_items)
    for _ in range(20):
        weights = draws.integers(0, 5, n_items).astype(float)
        preference = draws.normal(size=n_items)
        uniforms = draws.random(draws.integers(1, n_items + 1))
        by_walk = draw_by_walk(weights, preference, uniforms)
        assert draw_by_blocks(weights, preference, uniforms).tolist() == by_walk.tolist()


@pytest.mark.parametrize("draw", DRAWS)
def test_underflowed_weights_are_followed_by_the_greatest_preference(draw):
    weights = np.array([0.0, 1.0, 0.0, 0.0, 5e-324])
    preference = np.array([-900.0, 0.0, -800.0, -800.0, -744.0])
    assert draw(weights, preference, np.full(5, 0.5)).tolist() == [1, 4, 2, 3, 0]


def test_the_last_of_equal_preferences_are_drawn_by_blocks_and_taken_in_order_by_the_walk():
    weights = np.repeat([1.0, 0.0], [2, 40])
    preference = np.repeat([0.0, -800.0, -900.0], [2, 1, 39])
    rng = PortableRng(9)
    found = np.zeros(42)
    for _ in range(3000):
        assert draw_by_walk(weights, preference, rng.uniforms(6))[2:].tolist() == [2, 3, 4, 5]
        drawn = draw_by_blocks(weights, preference, rng.uniforms(6))
        assert set(drawn[:2].tolist()) == {0, 1}
        assert drawn[2] == 2
        found[drawn[3:]] += 1
    assert chisquare(found[3:]).pvalue > UNLIKELY


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("weights", [np.zeros(30), np.full(30, np.nan), 10.0 ** -np.arange(0.0, 300.0, 10.0)])
@pytest.mark.parametrize("uniform", [0.0, 1 - 2**-53])
def test_all_items_can_be_drawn_whatever_the_weights(draw, weights, uniform):
    found = draw(weights, np.arange(30.0), np.full(30, uniform))
    assert sorted(found.tolist()) == list(range(30))


@pytest.mark.parametrize("draw", DRAWS)
def test_drawing_leaves_weights_and_preferences_alone(draw):
    weights, preference = np.arange(20.0), np.arange(20.0)
    draw(weights, preference, np.full(10, 0.3))
    assert weights.tolist() == preference.tolist() == list(range(20))


def test_a_shuffled_prefix_is_a_uniform_sample_in_uniform_order():
    rng = PortableRng(3)
    n_runs = 12000
    found = Counter()
    for _ in range(n_runs):
        items = np.arange(4)
        shuffle_prefix(items, rng.uniforms(2))
        assert sorted(items.tolist()) == [0, 1, 2, 3]
        found[tuple(items[:2].tolist())] += 1
    assert len(found) == 12
    assert chisquare(list(found.values())).pvalue > UNLIKELY


@pytest.mark.parametrize("n_items", [1, 3, 7, 1000, 2**20 + 1])
def test_the_greatest_uniform_does_not_leave_the_array(n_items):
    items = np.arange(n_items)
    shuffle_prefix(items, np.array([1 - 2**-53]))
    assert items[0] == n_items - 1


def test_softmax_weights_are_relative_to_the_greatest_preference():
    weights = softmax_weights(np.array([1000.0, 1001.0, 0.0]), 2.0)
    assert weights == pytest.approx([np.exp(-0.5), 1.0, np.exp(-500.5)], rel=1e-12)
