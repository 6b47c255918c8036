"""A cheap criterion that proposes, a dear one that decides."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import NearestCentroid
from sklearn.tree import DecisionTreeRegressor

from sweepless import Dataset, Direction, SequentialSelector, run
from sweepless.criteria import FunctionCriterion, GaussianNB, RidgeCriterion
from sweepless.errors import InputError
from sweepless.search import SampledSteps, SoftmaxProposal
from sweepless.search.plan import plan
from sweepless.search.settings import SearchSettings

DRAWS = np.random.default_rng(2)
Y = np.arange(80) % 2
X = DRAWS.normal(size=(80, 40)) + 1.5 * Y[:, None] * (np.arange(40) % 13 == 12)  # columns 12, 25 and 38 matter
DATA = Dataset(X, Y)
TREE = DecisionTreeRegressor(max_depth=3, random_state=0)
SCREEN = RidgeCriterion(10.0, "loo", "class_r2")


def proposals(**options):
    """Return what is valued at every step of a search whose own criterion says nothing."""
    seen = []
    criterion = FunctionCriterion(lambda members: seen.append(members.tolist()) or float(len(members)))
    return seen, run("sSFS", criterion, DATA, target=3, budget=10, **options)


def test_candidates_are_the_best_of_the_screen_and_a_floor():
    seen, result = proposals(screen=SCREEN)
    assert result.anatomy.warm_up == 0 and len(seen) == 30  # nothing warms up
    singles = [members[0] for members in seen[:10]]
    values = SCREEN.bind(DATA).peek(Direction.ADD, np.arange(40))
    best = np.argsort(-values)
    assert set(best[:6]) <= set(singles)  # two of ten explore, and may take some of the best
    assert len(set(singles)) == 10
    assert result.anatomy.filter == 40 + 39 + 38


def test_the_screen_stands_where_the_search_stands():
    seen, result = proposals(screen=SCREEN, seed=3)
    here = result.trace[0].features
    cursor = SCREEN.bind(DATA)
    cursor.jump(here)
    pool = np.setdiff1d(np.arange(40), here)
    best = pool[np.argsort(-cursor.peek(Direction.ADD, pool))]
    second = {(set(members) - set(here.tolist())).pop() for members in seen[10:20]}
    assert set(best[:6].tolist()) <= second


def test_a_temperature_makes_it_a_softmax_again():
    cold = proposals(screen=SCREEN)[0]
    warm = proposals(screen=SCREEN, temperature=10.0)[0]
    assert cold != warm


def test_removals_are_proposed_by_what_is_left():
    seen = []
    criterion = FunctionCriterion(lambda members: seen.append(members) or -float(len(members)))
    run("sSBS", criterion, DATA, target=39, backward_budget=10, screen=SCREEN)
    gone = [np.setdiff1d(np.arange(40), members)[0] for members in seen]
    assert not {12, 25, 38} & set(gone[2:])  # but for the floor, what matters is not tried


def test_a_screen_is_a_criterion_of_sampled_steps():
    with pytest.raises(InputError, match="`screen` must be a screen object, got 3"):
        SampledSteps(screen=3)
    with pytest.raises(InputError, match="`screen` is not an option of SFS"):
        plan(SearchSettings(method="SFS", screen=SCREEN), 10)
    assert SampledSteps(screen=SCREEN).proposal == SoftmaxProposal()
    assert plan(SearchSettings(screen=SCREEN, target=3, warm_up="5@2"), 40).warm_up is not None  # who asks gets one


def test_selectors_take_auto_groups_and_criteria():
    options = {"method": "sSFS", "n_features_to_select": 2, "budget": 8, "cv": 3, "random_state": 0}
    selector = SequentialSelector(NearestCentroid(), screen="auto", **options).fit(X, Y)
    assert selector.anatomy_.warm_up == 0
    assert set(selector.get_support(indices=True)) <= {12, 25, 38}
    groups = [[12, 25], [0, 38]]
    grouped = SequentialSelector(NearestCentroid(), screen=GaussianNB(), feature_groups=groups, **options).fit(X, Y)
    assert grouped.n_features_ >= 2
    numbers = SequentialSelector(TREE, screen="auto", **options).fit(X, X[:, 3] + 0.1 * X[:, 5])
    assert 3 in numbers.get_support(indices=True)
    with pytest.raises(InputError, match="`screen` must be 'auto', a criterion or None, got 'ridge'"):
        SequentialSelector(NearestCentroid(), screen="ridge", **options).fit(X, Y)
    with pytest.raises(InputError, match="`screen` is an option of sampled methods"):
        SequentialSelector(NearestCentroid(), screen="auto", **options | {"method": "SFS", "budget": "auto"}).fit(X, Y)
