"""Proposals: the reference's exactly, with its generator; the same law, with ours."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import chisquare

from sweepless.engine import PortableRng, ReferenceRng
from sweepless.errors import InputError
from sweepless.search import SoftmaxProposal, TopKProposal, UniformProposal
from sweepless.search.budget import BudgetFraction, checked_budget, granted
from sweepless.search.proposal import Pool
from sweepless.search.tuples import distinct_tuples
from sweepless.testing import check_proposal
from tests.reference.lcg import Lcg
from tests.reference.proposal import proposal as naive_proposal

UNLIKELY = 1e-3
PROPOSALS = [
    SoftmaxProposal(),
    SoftmaxProposal(floor_fraction=0.0),
    SoftmaxProposal(floor_fraction=1.0),
    SoftmaxProposal(floor_fraction=0.5, temperature=0.01, floor_ties="random"),
    UniformProposal(),
    TopKProposal(),
]


def score_vector(kind, size, draws):
    return {
        "ordinary": lambda: draws.normal(size=size),
        "tied": lambda: draws.integers(-2, 3, size) / 4,
        "constant": lambda: np.full(size, 0.25),
        "all but two equal": lambda: np.where(np.arange(size) < 2, 1.0, 0.0),
        "underflowing": lambda: draws.normal(size=size) * 10.0 ** draws.uniform(-3, 9, size),
    }[kind]()


@pytest.mark.parametrize("proposal", PROPOSALS, ids=repr)
def test_every_proposal_keeps_the_contract(proposal):
    check_proposal(proposal)


@pytest.mark.parametrize("kind", ["ordinary", "tied", "constant", "all but two equal", "underflowing"])
@pytest.mark.parametrize("sign", [1, -1])
def test_with_the_reference_generator_a_proposal_is_the_reference_proposal(kind, sign):
    draws = np.random.default_rng(sign + 1)
    for seed in range(120):
        size = int(draws.integers(2, 60))
        budget = int(draws.integers(1, size))
        fraction = float(draws.choice([0.0, 0.1, 0.2, 0.5, 1.0]))
        temperature = float(draws.choice([0.05, 1.0])) if seed % 5 == 0 else None
        features = np.sort(draws.choice(3 * size, size, replace=False)).astype(np.intp)
        exposure = draws.integers(0, 6, size)
        scores = score_vector(kind, size, draws)
        rng, lcg = ReferenceRng(seed), Lcg(seed)
        found = SoftmaxProposal(fraction, temperature)(Pool(features, exposure, scores, sign), budget, rng)
        expected = naive_proposal(
            features.tolist(),
            exposure.tolist(),
            scores.tolist(),
            budget,
            lcg.uniform,
            forward=sign > 0,
            floor_fraction=fraction,
            temperature=temperature,
        )
        assert found.tolist() == expected
        assert rng.output() == lcg.output(), "as many numbers must have been drawn"


@pytest.mark.parametrize("size", [4, 8, 12, 40])
def test_a_backward_temperature_is_taken_from_the_scores_not_from_their_negatives(size):
    # Where four divides the pool, order statistics of the negatives are other ones.
    scores = np.arange(size, dtype=float) ** 3
    expected = (scores[3 * size // 4] - scores[size // 4]) / 1.349
    negated = np.sort(-scores)
    assert SoftmaxProposal()._temperature(scores) == expected
    assert expected != (negated[3 * size // 4] - negated[size // 4]) / 1.349
    for seed in range(30):
        rng, lcg = ReferenceRng(seed), Lcg(seed)
        pool = Pool(np.arange(size), np.zeros(size, dtype=np.int64), scores, -1)
        found = SoftmaxProposal(floor_fraction=0.0)(pool, size // 2, rng).tolist()
        assert found == naive_proposal(
            list(range(size)),
            [0] * size,
            scores.tolist(),
            size // 2,
            lcg.uniform,
            forward=False,
            floor_fraction=0.0,
        )


@pytest.mark.parametrize(
    ("budget", "n_floor"),
    [(1, 0), (2, 0), (3, 1), (5, 1), (7, 1), (10, 2), (25, 5), (50, 10), (100, 20), (200, 40)],
)
def test_the_floor_has_the_published_sizes(budget, n_floor):
    assert SoftmaxProposal().n_floor(budget) == n_floor


@pytest.mark.parametrize(("budget", "n_floor", "sign"), [(100, 20, 1), (50, 10, -1)])
def test_the_default_budgets_split_into_twenty_and_eighty_and_ten_and_forty(budget, n_floor, sign):
    size = 500
    exposure = np.arange(size)[::-1] + 5  # the last features are the least exposed
    scores = -sign * 50.0 * (np.arange(size) >= 300)  # and the softmax does not want them
    scores[:300] += np.linspace(0, 1, 300)
    pool = Pool(np.arange(size), exposure, scores, sign)
    found = SoftmaxProposal(temperature=0.5)(pool, budget, PortableRng(1))
    assert np.all(found[:n_floor] >= size - 4 * n_floor)
    assert np.all(found[n_floor:] < 300)


def test_the_floor_is_uniform_among_the_four_times_u_least_exposed():
    pool = Pool(np.arange(30), np.repeat([0, 1, 2], 10), np.zeros(30), 1)
    rng = PortableRng(7)
    n_runs = 3000
    for ties, reachable in (("index", 12), ("random", 20)):
        found = np.zeros(30)
        for _ in range(n_runs):
            found[SoftmaxProposal(1.0, floor_ties=ties)(pool, 3, rng)] += 1
        assert set(np.flatnonzero(found)) == set(range(reachable))
        if ties == "index":  # three of twelve, each equally often
            assert chisquare(found[:12], np.full(12, n_runs * 3 / 12)).pvalue > UNLIKELY
        else:  # those of the last exposure share what the others leave
            assert chisquare(found[:10]).pvalue > UNLIKELY
            assert chisquare(found[10:20]).pvalue > UNLIKELY


def test_a_constant_pool_is_drawn_uniformly():
    pool = Pool(np.arange(6), np.zeros(6, dtype=np.int64), np.full(6, 3.0), 1)
    rng = PortableRng(8)
    found = Counter(int(SoftmaxProposal(0.0)(pool, 1, rng)[0]) for _ in range(3000))
    assert chisquare([found[f] for f in range(6)]).pvalue > UNLIKELY


@pytest.mark.parametrize("sign", [1, -1])
def test_the_softmax_prefers_great_scores_to_add_and_small_ones_to_remove(sign):
    scores = np.array([-1.0, -0.5, 0.0, 0.4, 1.0])
    pool = Pool(np.arange(5), np.zeros(5, dtype=np.int64), scores, sign)
    rng = PortableRng(9)
    n_runs = 5000
    found = Counter(int(SoftmaxProposal(0.0, temperature=0.7)(pool, 1, rng)[0]) for _ in range(n_runs))
    law = np.exp(sign * scores / 0.7)
    assert chisquare([found[f] for f in range(5)], law / law.sum() * n_runs).pvalue > UNLIKELY


def test_the_uniform_arm_ignores_scores_and_exposure():
    pool = Pool(np.arange(5), np.arange(5), np.arange(5) * 100.0, 1)
    rng = PortableRng(10)
    found = Counter(tuple(sorted(UniformProposal()(pool, 2, rng).tolist())) for _ in range(5000))
    assert chisquare([found[pair] for pair in combinations(range(5), 2)]).pvalue > UNLIKELY


def test_the_top_arm_takes_the_most_preferred_ties_to_the_lower_index():
    scores = np.array([0.0, 2.0, 1.0, 2.0, 0.0])
    for sign, expected in ((1, [13, 17, 15]), (-1, [11, 19, 15])):
        pool = Pool(np.array([11, 13, 15, 17, 19]), np.zeros(5, dtype=np.int64), scores, sign)
        assert TopKProposal()(pool, 3, PortableRng(0)).tolist() == expected


def test_tuples_are_drawn_in_proportion_to_the_product_of_their_weights():
    weights = np.array([1.0, 2.0, 3.0, 0.5])
    rng = PortableRng(11)
    n_runs = 8000
    pairs = list(combinations(range(4), 2))
    law = np.array([weights[a] * weights[b] for a, b in pairs])
    found = Counter(tuple(distinct_tuples([(1, None, weights)], 4, 2, rng)[0].tolist()) for _ in range(n_runs))
    assert chisquare([found[pair] for pair in pairs], law / law.sum() * n_runs).pvalue > UNLIKELY


def test_a_second_tuple_follows_the_same_law_among_those_left():
    weights = np.array([1.0, 2.0, 3.0, 0.5])
    rng = PortableRng(12)
    n_runs = 8000
    pairs = list(combinations(range(4), 2))
    first = np.array([weights[a] * weights[b] for a, b in pairs])
    first /= first.sum()
    law = [sum(first[j] * first[i] / (1 - first[j]) for j in range(6) if j != i) for i in range(6)]
    found = Counter(tuple(distinct_tuples([(2, None, weights)], 4, 2, rng)[1].tolist()) for _ in range(n_runs))
    assert chisquare([found[pair] for pair in pairs], np.array(law) * n_runs).pvalue > UNLIKELY


@pytest.mark.parametrize("tuple_size", [2, 3])
@pytest.mark.parametrize(
    "weights",
    [np.eye(9)[3], np.zeros(9), np.full(9, np.nan), 10.0 ** -np.arange(0.0, 270.0, 30.0), np.full(9, 5e-324)],
    ids=["one positive", "none positive", "nan", "steep", "denormal"],
)
def test_distinct_tuples_are_found_whatever_the_weights(weights, tuple_size):
    for rng in (PortableRng(13), ReferenceRng(13)):
        found = distinct_tuples([(2, np.array([0, 4, 5]), None), (25, None, weights)], 9, tuple_size, rng)
        assert found.shape == (27, tuple_size)
        assert np.all(np.diff(found, axis=1) > 0)
        assert len({tuple(row) for row in found.tolist()}) == 27


def test_all_tuples_but_one_can_be_asked_for():
    found = distinct_tuples([(35, None, np.arange(9.0))], 9, 2, PortableRng(14))
    assert len({tuple(row) for row in found.tolist()}) == 35


def test_tuples_of_a_proposal_name_features_of_the_pool():
    pool = Pool(np.arange(10) * 7, np.arange(10), np.linspace(-1, 1, 10), 1)
    for proposal in (SoftmaxProposal(), UniformProposal()):
        found = proposal.tuples(pool, 20, 3, PortableRng(15))
        assert found.shape == (20, 3)
        assert np.isin(found, pool.features).all()
    with pytest.raises(InputError, match="`tuple_size` must be 1 for TopKProposal, got 2"):
        TopKProposal().tuples(pool, 3, 2, PortableRng(0))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"floor_fraction": 1.1}, "`floor_fraction` must be from 0 to 1, got 1.1."),
        ({"floor_fraction": float("nan")}, "`floor_fraction` must be from 0 to 1, got nan."),
        ({"temperature": 0.0}, "`temperature` must be positive or None, got 0.0."),
        ({"temperature": float("nan")}, "`temperature` must be positive or None, got nan."),
        ({"floor_ties": "last"}, "`floor_ties` must be 'index', 'random' or None, got 'last'."),
    ],
)
def test_invalid_arguments_are_refused(arguments, message):
    with pytest.raises(InputError) as caught:
        SoftmaxProposal(**arguments)
    assert str(caught.value) == message


def test_a_budget_is_never_more_than_the_pool_and_a_fraction_never_nothing():
    assert [granted(100, pool) for pool in (1, 99, 100, 101)] == [1, 99, 100, 100]
    assert granted(None, 17) == 17
    assert [granted(BudgetFraction(0.2), pool) for pool in (1, 4, 5, 6, 10)] == [1, 1, 1, 2, 2]
    assert granted(BudgetFraction(1.0), 7) == 7


def test_the_fraction_of_the_paper_adds_up_to_its_total():
    assert sum(granted(BudgetFraction(0.2039), 500 - k) for k in range(20)) == 2010
    assert sum(granted(BudgetFraction(0.203), 500 - k) for k in range(20)) == 2002


@pytest.mark.parametrize("budget", [0, -3, 2.0, True, "many"])
def test_what_is_no_budget_is_refused(budget):
    with pytest.raises(
        InputError, match="`budget` must be a positive integer, a BudgetFraction, 'auto', 'paper' or None"
    ):
        checked_budget("budget", budget)


@pytest.mark.parametrize("fraction", [0.0, -0.1, 1.01, float("nan")])
def test_what_is_no_fraction_is_refused(fraction):
    with pytest.raises(InputError, match="a budget fraction must be above 0 and at most 1"):
        BudgetFraction(fraction)
