"""Exploration does not depend on the order of columns: what is visited and found is alike however they are arranged."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from sweepless import Dataset, run
from sweepless.criteria import FunctionCriterion
from sweepless.search import SoftmaxProposal
from tests.laws.landscapes import law

UNLIKELY = 1e-3


def worth(weights):
    """A criterion that adds up the weights of the members, a little less for each pair of neighbors in weight."""
    return FunctionCriterion(lambda members: float(np.sum(weights[members]) + 0.1 * np.std(weights[members])))


def blank(n_features):
    return Dataset(np.zeros((1, n_features)))


@law(20)
@given(st.integers(0, 999))
def test_a_full_budget_finds_the_same_features_in_any_order(seed):
    draws = np.random.default_rng(seed)
    weights, order = draws.normal(size=30), draws.permutation(30)
    for method in ("sSFS", "sSFFS", "sSBS"):
        found = run(method, worth(weights), blank(30), target=6, budget=None, backward_budget=None, seed=seed)
        again = run(method, worth(weights[order]), blank(30), target=6, budget=None, backward_budget=None, seed=seed)
        assert sorted(order[again.features].tolist()) == sorted(found.features.tolist())


@pytest.mark.parametrize("n_features", [400, 5000])  # the draws from many features are others than from few
def test_every_column_is_visited_equally_often(n_features):
    tried = np.zeros(n_features)
    n_runs = 150 if n_features == 400 else 40
    for seed in range(n_runs):
        result = run(
            "sSFS", worth(np.zeros(n_features)), blank(n_features), target=3, budget=20, warm_up=None, seed=seed
        )
        tried += result.tried
    parts = tried.reshape(10, -1).sum(axis=1)
    assert chisquare(parts).pvalue > UNLIKELY


@pytest.mark.parametrize("n_features", [400, 5000])
def test_useful_columns_are_found_as_well_at_the_end_as_at_the_beginning(n_features):
    weights = np.zeros(n_features)
    weights[: n_features // 20] = 1.0 + np.arange(n_features // 20) / n_features
    found = {}
    for end, arranged in (("first", weights), ("last", weights[::-1].copy())):
        runs = [
            run("sSFS", worth(arranged), blank(n_features), target=5, budget=20, warm_up=None, seed=seed)
            for seed in range(40)
        ]
        found[end] = np.array([np.count_nonzero(arranged[result.features]) for result in runs])
    spread = np.sqrt((found["first"].var() + found["last"].var()) / 40)
    assert abs(found["first"].mean() - found["last"].mean()) < 4.0 * spread
    assert 0.0 < found["first"].mean() < 5.0  # neither all nor nothing


def test_ties_by_index_do_depend_on_the_order():
    weights = np.zeros(400)
    weights[:20] = 1.0
    by_index = SoftmaxProposal(floor_ties="index", floor_fraction=1.0)
    for arranged, n_useful in ((weights, 5), (weights[::-1].copy(), 0)):
        result = run("sSFS", worth(arranged), blank(400), target=5, budget=5, warm_up=None, proposal=by_index)
        assert np.count_nonzero(arranged[result.features]) == n_useful
