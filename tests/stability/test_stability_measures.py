"""Stability measures: the printed vectors, known identities, conventions."""

from __future__ import annotations

from itertools import combinations
from math import isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sweepless.errors import InputError
from sweepless.stability import (
    consistency,
    inter_consistency,
    inter_hamming_index,
    inter_tanimoto_index,
    inter_weighted_consistency,
    majority_agreement,
    nogueira_stability,
    normalized_hamming_index,
    relative_weighted_consistency,
    shannon_consistency,
    stability,
    tanimoto_index,
    weighted_consistency,
    weighted_consistency_bounds,
)

THREE = [{0, 1, 2}, {0, 1, 3, 4}, {0, 2, 3}]
NESTED = [range(1, 4), range(1, 5), range(1, 6)]

OF_ONE_SYSTEM = [
    consistency,
    weighted_consistency,
    shannon_consistency,
    tanimoto_index,
    lambda subsets: weighted_consistency_bounds(subsets, 6)[0],
    lambda subsets: weighted_consistency_bounds(subsets, 6)[1],
    lambda subsets: relative_weighted_consistency(subsets, 6),
    lambda subsets: majority_agreement(subsets, 6),
    lambda subsets: normalized_hamming_index(subsets, 6),
    lambda subsets: nogueira_stability(subsets, 6).value,
]
OF_TWO_SYSTEMS = [
    inter_consistency,
    inter_weighted_consistency,
    inter_tanimoto_index,
    lambda one, two: inter_hamming_index(one, two, 6),
]


def test_vectors_of_the_method():
    assert consistency(THREE) == pytest.approx(0.5)
    assert weighted_consistency(THREE) == pytest.approx(0.6)
    assert weighted_consistency_bounds(THREE, 6) == pytest.approx((0.4, 0.9))
    assert relative_weighted_consistency(THREE, 6) == pytest.approx(0.4)
    assert tanimoto_index(THREE) == pytest.approx(0.433333, abs=5e-7)
    assert normalized_hamming_index(THREE, 6) == pytest.approx(0.555556, abs=5e-7)
    assert shannon_consistency(THREE) == pytest.approx(0.678558, abs=5e-7)
    assert majority_agreement(THREE, 6) == pytest.approx(0.555556, abs=5e-7)


def test_vectors_of_nested_subsets():
    assert weighted_consistency(NESTED) == pytest.approx(0.833333, abs=5e-7)
    assert weighted_consistency_bounds(NESTED, 10) == pytest.approx((0.166667, 1.0), abs=5e-7)
    assert relative_weighted_consistency(NESTED, 10) == pytest.approx(0.8)


@pytest.mark.parametrize("measure", OF_ONE_SYSTEM)
def test_conventions_of_one_system(measure):
    assert measure([]) == 0.0
    assert measure([{1, 2}]) == 1.0
    assert measure([(), ()]) == 1.0  # nothing, twice
    assert measure([range(6), range(6), range(6)]) == pytest.approx(1.0)  # everything


@pytest.mark.parametrize("similarity", OF_TWO_SYSTEMS)
def test_conventions_of_two_systems(similarity):
    assert similarity([], [{1}]) == 0.0
    assert similarity([()], [()]) == 1.0
    assert similarity([{1, 2}, {1, 2}], [{1, 2}]) == 1.0
    assert similarity(THREE, NESTED[:1]) == pytest.approx(similarity(NESTED[:1], THREE))


def test_two_systems_by_hand():
    one, two = [{0, 1}, {0, 2}], [{0}, {0, 1}, {0, 1}]  # frequencies 1, 1/2, 1/2 and 1, 2/3, 0
    assert inter_consistency(one, two) == pytest.approx(1 - (0 + 1 / 6 + 1 / 2) / 3)
    weights = 1 + 2 / 3 + 1 / 2
    assert inter_weighted_consistency(one, two) == pytest.approx(1 - (2 / 3 * 1 / 6 + 1 / 2 * 1 / 2) / weights)
    assert inter_tanimoto_index(one, two) == pytest.approx((1 / 2 + 1 + 1 + 1 / 2 + 1 / 3 + 1 / 3) / 6)
    assert inter_hamming_index(one, two, 4) == pytest.approx(1 - (1 + 0 + 0 + 1 + 2 + 2) / 6 / 4)


subset = st.sets(st.integers(0, 11), max_size=12)
systems = st.lists(subset, min_size=2, max_size=6)


@given(systems)
def test_relative_consistency_stays_between_its_bounds(subsets):
    least, largest = weighted_consistency_bounds(subsets, 12)
    assert least - 1e-12 <= weighted_consistency(subsets) <= largest + 1e-12


@given(systems)
def test_pairwise_measures_equal_their_loops(subsets):
    pairs = list(combinations(subsets, 2))
    tanimoto = [len(a & b) / len(a | b) if a | b else 1.0 for a, b in pairs]
    hamming = [1 - len(a ^ b) / 12 for a, b in pairs]
    assert tanimoto_index(subsets) == pytest.approx(np.mean(tanimoto))
    assert normalized_hamming_index(subsets, 12) == pytest.approx(np.mean(hamming))


@given(st.lists(st.sets(st.integers(0, 19), min_size=5, max_size=5), min_size=2, max_size=4))
def test_subsets_of_one_size_obey_the_paper_identities(subsets):
    common = np.mean([len(a & b) for a, b in combinations(subsets, 2)])
    assert normalized_hamming_index(subsets, 21) == pytest.approx(1 - 2 * (5 - common) / 21)
    # 4 * 5 = 20 < 21 features: the bounds are 0 and 1
    assert relative_weighted_consistency(subsets, 21) == pytest.approx(common / 5)
    assert weighted_consistency(subsets) == pytest.approx(common / 5)
    kuncheva = (common * 21 - 25) / (5 * (21 - 5))
    assert nogueira_stability(subsets, 21).value == pytest.approx(kuncheva)


def test_nogueira_interval_agrees_with_the_jackknife():
    rng = np.random.default_rng(4)
    likely = rng.uniform(size=30) ** 2
    subsets = [np.flatnonzero(rng.uniform(size=30) < likely) for _ in range(60)]
    found = nogueira_stability(subsets, 30)
    left_out = [nogueira_stability(subsets[:k] + subsets[k + 1 :], 30).value for k in range(60)]
    deviation = np.sqrt(59 / 60 * np.sum((left_out - np.mean(left_out)) ** 2))
    assert (found.high - found.low) / 2 == pytest.approx(1.959964 * deviation, rel=0.05)
    assert found.high - found.value == pytest.approx(found.value - found.low)
    wider = nogueira_stability(subsets, 30, confidence=0.99)
    assert wider.high - wider.low == pytest.approx((found.high - found.low) * 2.575829 / 1.959964)


@settings(deadline=None, max_examples=5)
@given(st.integers(0, 1000))
def test_random_selections_have_a_nogueira_stability_near_zero(seed):
    rng = np.random.default_rng(seed)
    subsets = [rng.choice(200, size=rng.integers(5, 60), replace=False) for _ in range(40)]
    assert abs(nogueira_stability(subsets, 200).value) < 0.05


def test_one_run_has_no_interval():
    found = nogueira_stability([{1, 2}], 5)
    assert found.value == 1.0
    assert isnan(found.low)
    assert isnan(found.high)


def test_all_measures_at_once_and_masks():
    masks = [np.isin(np.arange(6), list(subset)) for subset in THREE]
    found = stability(THREE, 6)
    assert stability(masks, 6) == found
    assert (found.ati, found.cw_rel, found.anhi) == pytest.approx((0.433333, 0.4, 0.555556), abs=5e-7)
    assert found.nogueira == nogueira_stability(THREE, 6)


def test_impossible_input_is_named():
    with pytest.raises(InputError, match="`n_features` must be a positive number above every feature index, got 4"):
        normalized_hamming_index(THREE, 4)
    with pytest.raises(InputError, match="feature indices"):
        tanimoto_index([[0.5], [1.0]])
    with pytest.raises(InputError, match="feature indices"):
        tanimoto_index([[-1], [1]])
    with pytest.raises(InputError, match="`confidence` must lie between 0 and 1, got 1"):
        nogueira_stability(THREE, 6, confidence=1)
