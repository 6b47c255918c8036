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
    """Ask again and again for a step that is never taken; yield how often each candidate was tried after some calls."""
    # The first features look best by far, so that the scores alone would starve the last ones.
    criterion = FunctionCriterion(lambda members: float(np.sum(100.0 / (1 + members))))
    walk = Walk(criterion.bind(Dataset(np.zeros((1, n_features)))))
    walk.begin(np.arange(1 if direction.adds else n_features), valued=False)
    options = {} if proposal is None else {"proposal": proposal}
    operators = SampledSteps(budget, budget, **options).prepare(walk, rng)
    operator, _ = operators.towards(direction)
    pool = direction.pool(walk.members)
    for call in range(1, max(n_calls) + 1):
        assert operator(walk) is not None
        if call in n_calls:
            yield direction.exposure(operators.statistics)[pool].copy()


@pytest.mark.parametrize("engine", [PortableRng, ReferenceRng])
@pytest.mark.parametrize("direction", list(Direction))
@law(6)
@given(n_features=st.integers(15, 40), budget=st.integers(3, 10), seed=st.integers(0, 20))
def test_no_feature_starves_under_a_floor(engine, direction, n_features, budget, seed):
    n_floor = SampledSteps().proposal.n_floor(budget)
    rounds = 12
    n_calls = rounds * n_features // n_floor
    counts, later = exposures(direction, n_features, budget, (n_calls, 2 * n_calls), engine(seed))
    # The floor alone hands out rounds * n_features trials to the least tried; half a fair share is sure.
    assert counts.min() >= rounds // 2
    assert later.min() >= rounds


def test_without_a_floor_features_do_starve():
    early, late = exposures(Direction.ADD, 30, 5, (200, 800), PortableRng(0), TopKProposal())
    assert early.min() == late.min() < 10
