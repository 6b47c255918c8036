"""What must hold when there are very many features: the same proposals, no copies, steps that stay quick."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import sweepless as sw
from sweepless import Direction
from sweepless.engine import PortableRng, ReferenceRng
from sweepless.engine.folds import FastFold, SequentialFold
from sweepless.search import SoftmaxProposal, TopKProposal, UniformProposal
from sweepless.search.proposal import Pool
from sweepless.search.step import Batch

PROPOSALS = [
    SoftmaxProposal(),
    SoftmaxProposal(floor_ties="random"),
    SoftmaxProposal(floor_ties="index"),
    SoftmaxProposal(floor_fraction=0.0, temperature=0.5),
    UniformProposal(),
    TopKProposal(),
]


def known(n_features, seed):
    draws = np.random.default_rng(seed)
    outside = np.sort(draws.choice(n_features, 37, replace=False)).astype(np.intp)
    return outside, draws.integers(0, 4, n_features), draws.normal(size=n_features)


@pytest.mark.parametrize("proposal", PROPOSALS, ids=repr)
@pytest.mark.parametrize("n_features", [300, 20_000])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_pool_of_all_but_a_few_is_proposed_from_like_the_list_of_the_rest(proposal, n_features, sign):
    for seed in range(4):
        outside, exposure, scores = known(n_features, seed)
        features = np.setdiff1d(np.arange(n_features), outside)
        listed = Pool(features, exposure[features], scores[features], sign)
        rest = Pool.but(outside, exposure, scores, sign)
        assert len(rest) == len(listed)
        for name in ("features", "exposure", "scores", "preference"):
            assert np.array_equal(getattr(rest, name), getattr(listed, name))
        for engine in (PortableRng, ReferenceRng):
            found = proposal(rest, 50, engine(seed))
            assert found.tolist() == proposal(listed, 50, engine(seed)).tolist()
        if not isinstance(proposal, TopKProposal):
            pairs = proposal.tuples(rest, 10, 2, PortableRng(seed))
            assert pairs.tolist() == proposal.tuples(listed, 10, 2, PortableRng(seed)).tolist()


def test_scores_that_must_not_be_written_to_are_not():
    outside, exposure, scores = known(20_000, 0)
    expected = SoftmaxProposal()(Pool.but(outside, exposure, scores, 1), 50, PortableRng(1))
    before = scores.copy()
    scores.setflags(write=False)
    found = SoftmaxProposal()(Pool.but(outside, exposure, scores, 1), 50, PortableRng(1))
    assert found.tolist() == expected.tolist()
    assert np.array_equal(scores, before)


@pytest.mark.parametrize("direction", list(Direction))
@pytest.mark.parametrize("n_inside", [0, 5, 400, 695, 700])
def test_fast_and_sequential_folds_agree_wherever_the_search_stands(direction, n_inside):
    draws = np.random.default_rng(n_inside)
    fast, slow = (sw.search.ContrastStatistics(30).fresh(700, way) for way in (FastFold(), SequentialFold()))
    for width in (1, 1, 2, 1, 3, 1):
        common = np.zeros(700, dtype=bool)
        common[draws.choice(700, n_inside, replace=False)] = True
        changed = np.array([draws.choice(700, width, replace=False) for _ in range(20)])
        batch = Batch(direction, common, changed, draws.normal(size=20))
        fast.learn(batch)
        slow.learn(batch)
        assert np.array_equal(fast.count_with, slow.count_with)
        assert np.array_equal(fast.count_without, slow.count_without)
        assert fast.scores == pytest.approx(slow.scores, rel=1e-9, abs=1e-9)


def test_a_search_among_a_hundred_thousand_sparse_features_finds_the_informative_ones():
    draws = np.random.default_rng(3)
    n_samples, n_features = 200, 100_000
    matrix = sparse.random(n_samples, n_features, 2e-4, "csr", random_state=np.random.default_rng(4))
    codes = np.arange(n_samples) % 2
    marked = matrix.tolil()
    informative = np.sort(draws.choice(n_features, 30, replace=False))
    for feature in informative:
        marked[np.flatnonzero((codes == feature % 2) & (draws.random(n_samples) < 0.7)), feature] = 1.0
    data = sw.Dataset(marked.tocsr(), codes)
    result = sw.run(
        "sSFFS",
        sw.criteria.MultinomialBhattacharyya(),
        data,
        target=8,
        seed=1,
        warm_up=sw.search.WarmUp(300, 2_000),
    )
    assert np.isin(result.features, informative).sum() >= 3  # chance finds none
