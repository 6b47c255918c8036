"""Every feature stays reachable: the floor brings each one back, however badly it is scored (C102)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweepless import Dataset, Direction
from sweepless.criteria import FunctionCriterion
from sweepless.engine import PortableRng, ReferenceRng
from sweepless.search import SampledSteps, TopKProposal
from sweepless.search.walk import Walk
from tests.laws.landscapes import law


def exposures(direction, n_features, budget, n_calls, rng, proposal=None):
    """Ask again and again for a step that is never taken; return how often each candidate was tried."""
    # The first features look best by far, so that the scores alone would starve the last ones.
    criterion = FunctionCriterion(lambda members: float(np.sum(100.0 / (1 + members))))
    walk = Walk(criterion.bind(Dataset(np.zeros((1, n_features)))))
    walk.begin(np.arange(1 if direction.adds else n_features), valued=False)
    options = {} if proposal is None else {"proposal": proposal}
    operators = SampledSteps(budget, budget, **options).prepare(walk, rng)
    operator, _ = operators.towards(direction)
    for _ in range(n_calls):
        assert operator(walk) is not None
    return direction.exposure(operators.statistics)[direction.pool(walk.members)]


@pytest.mark.parametrize("engine", [PortableRng, ReferenceRng])
@pytest.mark.parametrize("direction", list(Direction))
@law(6)
@given(n_features=st.integers(15, 40), budget=st.integers(3, 10), seed=st.integers(0, 20))
def test_no_feature_starves_under_a_floor(engine, direction, n_features, budget, seed):
    n_floor = SampledSteps().proposal.n_floor(budget)
    rounds = 12
    n_calls = rounds * n_features // n_floor
    counts = exposures(direction, n_features, budget, n_calls, engine(seed))
    # The floor alone hands out rounds * n_features trials to the least tried; half a fair share is sure.
    assert counts.min() >= rounds // 2
    again = exposures(direction, n_features, budget, 2 * n_calls, engine(seed))
    assert again.min() >= rounds


def test_without_a_floor_features_do_starve():
    early, late = (exposures(Direction.ADD, 30, 5, n_calls, PortableRng(0), TopKProposal()) for n_calls in (200, 800))
    assert early.min() == late.min() < 10
