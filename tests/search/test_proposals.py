"""Which candidates are proposed, against a plain reading of the rules."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sweepless.engine import PortableRng, ReferenceRng
from sweepless.search import SoftmaxProposal, TopKProposal, UniformProposal
from sweepless.search.proposal import Pool

law = settings(max_examples=60, deadline=None, derandomize=True, database=None)


def naive_softmax(features, counts, scores, sign, budget, rho, tau, rng):
    """Floor and softmax draws one after the other, from Python lists."""
    n_floor = math.floor(rho * budget + 0.5)
    places = list(range(len(features)))
    n_least = min(len(features), 4 * n_floor)
    least = sorted(places, key=lambda k: (counts[k], k))[:n_least] if n_least < len(features) else places
    least = list(least)
    for k in range(n_floor):
        other = k + math.floor(float(rng.uniforms(1)[0]) * (n_least - k))
        least[k], least[other] = least[other], least[k]
    proposed = least[:n_floor]
    rest = [k for k in places if k not in proposed]
    ordered = sorted(scores[k] for k in rest)
    if tau is None:
        tau = (ordered[3 * len(rest) // 4] - ordered[len(rest) // 4]) / 1.349
        tau = tau if tau > 1e-9 else 1e-9
    top = max(sign * scores[k] for k in rest)
    weights = {k: math.exp((sign * scores[k] - top) / tau) for k in rest}
    total = sum(weights.values())
    for _ in range(budget - n_floor):
        mark, cumulative, chosen = float(rng.uniforms(1)[0]) * total, 0.0, None
        if total > 0 and any(weights.values()):
            for k, weight in weights.items():
                cumulative += weight
                if weight > 0:
                    chosen = k
                    if cumulative > mark:
                        break
        else:
            chosen = max(weights, key=lambda k: (sign * scores[k], -k))
        proposed.append(chosen)
        total -= weights.pop(chosen)
    return [features[k] for k in proposed]


@st.composite
def pools(draw):
    n_candidates = draw(st.integers(4, 60))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    spread = draw(st.sampled_from([0.0, 0.3, 3.0]))
    return Pool(
        features=np.sort(rng.choice(200, n_candidates, replace=False)),
        exposure=rng.integers(0, draw(st.integers(1, 6)), n_candidates),
        scores=spread * rng.standard_normal(n_candidates),
        sign=draw(st.sampled_from([1, -1])),
    )


@law
@given(
    pools(),
    st.sampled_from([0.0, 0.2, 0.5, 1.0]),
    st.sampled_from([None, 0.5]),
    st.integers(0, 99),
    st.data(),
)
def test_the_softmax_proposal_draws_as_the_reference_does(pool, rho, tau, seed, data):
    budget = data.draw(st.integers(1, len(pool) - 1))
    ours = SoftmaxProposal(rho, tau)(pool, budget, ReferenceRng(seed))
    naive = naive_softmax(
        pool.features.tolist(),
        pool.exposure.tolist(),
        pool.scores.tolist(),
        pool.sign,
        budget,
        rho,
        tau,
        ReferenceRng(seed),
    )
    assert ours.tolist() == naive


@law
@given(pools(), st.integers(0, 99), st.data())
def test_a_proposal_is_budget_distinct_candidates_of_the_pool(pool, seed, data):
    budget = data.draw(st.integers(1, len(pool) - 1))
    for proposal in (
        SoftmaxProposal(),
        SoftmaxProposal(floor_ties="random"),
        UniformProposal(),
        TopKProposal(),
    ):
        for rng in (PortableRng(seed), ReferenceRng(seed)):
            proposed = proposal(pool, budget, rng).tolist()
            assert len(set(proposed)) == budget
            assert set(proposed) <= set(pool.features.tolist())


@law
@given(pools(), st.sampled_from(["index", "random"]), st.integers(0, 99))
def test_the_floor_comes_first_and_from_the_least_tried(pool, ties, seed):
    budget = max(3, len(pool) // 4)
    n_floor = SoftmaxProposal().n_floor(budget)
    floor = SoftmaxProposal(floor_ties=ties)(pool, budget, PortableRng(seed))[:n_floor]
    worst_allowed = np.sort(pool.exposure)[min(4 * n_floor, len(pool)) - 1]
    assert all(pool.exposure[np.searchsorted(pool.features, feature)] <= worst_allowed for feature in floor)


@law
@given(pools(), st.data())
def test_the_top_k_are_the_most_preferred_ties_to_the_lower_index(pool, data):
    budget = data.draw(st.integers(1, len(pool) - 1))
    order = sorted(range(len(pool)), key=lambda k: (-pool.sign * pool.scores[k], k))[:budget]
    assert TopKProposal()(pool, budget, PortableRng(0)).tolist() == pool.features[order].tolist()


@pytest.mark.parametrize("engine", [PortableRng, ReferenceRng])
@pytest.mark.parametrize("proposal", [UniformProposal(), SoftmaxProposal(floor_fraction=0.0)])
def test_equal_scores_are_drawn_uniformly(engine, proposal):
    pool = Pool(np.arange(10), np.zeros(10, dtype=np.int64), np.zeros(10), 1)
    rng = engine(4)
    counts = np.bincount(np.concatenate([proposal(pool, 3, rng) for _ in range(3000)]), minlength=10)
    assert np.all(np.abs(counts - 900) < 5 * math.sqrt(900 * 0.7))


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("engine", [PortableRng, ReferenceRng])
def test_a_first_draw_has_the_probability_of_its_softmax_weight(engine, sign):
    scores = np.array([0.0, 1.0, 2.0, -1.0])
    pool = Pool(np.arange(4), np.zeros(4, dtype=np.int64), scores, sign)
    rng = engine(6)
    proposal = SoftmaxProposal(0.0, temperature=1.5)
    shares = np.bincount([proposal(pool, 1, rng)[0] for _ in range(6000)], minlength=4) / 6000
    weights = np.exp(sign * scores / 1.5)
    assert shares == pytest.approx(weights / weights.sum(), abs=0.03)


def test_removals_take_the_temperature_from_scores_not_from_their_negatives():
    """With a pool that 4 divides, the order statistics of -s are not those of s."""
    scores = np.array([0.0, 1.0, 10.0, 100.0])
    assert SoftmaxProposal()._temperature(scores) == (100.0 - 1.0) / 1.349
    assert SoftmaxProposal()._temperature(-scores) == (0.0 - -10.0) / 1.349
