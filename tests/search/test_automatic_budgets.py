"""Budgets that nobody chose follow what a candidate costs as its criterion declares it, never a clock."""

from __future__ import annotations

from functools import partial
from math import inf

import numpy as np
import pytest

import sweepless as sw
from sweepless import criteria
from sweepless.criteria import Criterion, FunctionCriterion, Mean, Memoized, Penalized, Split, Units
from sweepless.criteria.discriminant.linear import LinearDiscriminant
from sweepless.criteria.discriminant.quadratic import QuadraticDiscriminant
from sweepless.criteria.fallback import Fallback
from sweepless.criteria.linear.least_squares import LeastSquares
from sweepless.search.budget import BudgetFraction, automatic_budget, in_words
from sweepless.search.plan import plan
from sweepless.search.settings import SearchSettings

CHEAP, DEAR = 1e3, 1e9


def planned(method="sSFFS", n_features=5000, operations=CHEAP, **settings):
    return plan(SearchSettings(method=method, **settings), n_features, lambda size: operations)


def budgets(*arguments, **settings):
    steps = planned(*arguments, **settings).method.steps
    return steps.budget, steps.backward_budget


def test_cheap_candidates_are_all_valued_and_dear_ones_sampled_as_in_the_paper():
    assert budgets(target=20) == (None, None)
    assert budgets(target=20, operations=DEAR) == (100, None)  # there are never more than 25 members to remove
    assert budgets(target=100, operations=DEAR) == budgets(target=100, operations=inf) == (100, 50)


def test_between_them_a_step_may_spend_a_fixed_number_of_operations():
    assert budgets(n_features=10**6, target=15, operations=1e5)[0] == 2500
    assert budgets(n_features=10**6, target=15, operations=2e5)[0] == 1250
    assert budgets(n_features=10**6, target=395, operations=1e5)[0] == 125  # 400 steps share what a search may spend
    assert budgets("sSBS", n_features=10_000, target=1, operations=1e3) == (500, 500)  # and so do 10,000


def test_the_costs_are_those_of_a_candidate_halfway():
    sizes = []

    def operations(size):
        sizes.append(size)
        return 1e5

    plan(SearchSettings(method="sSFS", target=40), 10_000, operations)
    assert set(sizes) == {20, 1}  # 1 is what a look at single features costs


def test_a_limit_of_evaluations_is_shared_out_among_the_steps():
    assert budgets("sSFS", target=10, max_evaluations=20_000)[0] == 1000
    assert budgets("sSFS", target=10, max_evaluations=500)[0] == 100
    assert budgets("sSFS", target=10, max_evaluations=10**9)[0] is None


def test_the_paper_s_budgets_are_one_word_away():
    assert budgets(target=200, budget="paper") == (100, 50)
    assert budgets(target=200, budget="paper", backward_budget=None) == (100, None)
    assert budgets(target=200, budget=7) == (7, None)
    assert budgets(target=200, budget="full", operations=inf) == (None, 50)
    assert budgets(target=200, rng="reference") == (100, 50)
    assert budgets(target=200, rng="reference", budget="auto") == (None, 50)


def test_a_method_brings_its_own_budgets():
    assert budgets(sw.METHODS["sSFFS"], target=200) == (100, 50)
    assert budgets(sw.METHODS["sSFFS"], target=200, budget="auto", backward_budget="auto") == (None, None)


@pytest.mark.parametrize(("method", "settings"), [("sSFS", {"tuple_size": 2}), ("sASFFS", {}), ("sG(l,r)", {})])
def test_tuples_are_sampled_as_in_the_paper(method, settings):
    assert budgets(method, target=20, **settings) == (100, 50)


def test_a_plan_and_a_prediction_say_what_the_budget_came_to():
    assert planned(target=20).budgets == "budget auto: 5,000 of 5,000 features per addition, all per removal"
    assert planned(target=99, budget=7, backward_budget=5).budgets == (
        "budget: 7 of 5,000 features per addition, 5 per removal"
    )
    assert planned("SFFS", target=9).budgets == "no budget"
    assert in_words("auto", BudgetFraction(0.5), BudgetFraction(0.2), 10) == (
        "budget auto: 5 of 10 features per addition, 0.2 of the members per removal"
    )
    data = sw.make_madelon(n_samples=100)
    operations = partial(criteria.GaussianNB().operations, data)
    predicted = sw.predict_cost("sSFS", 500, 5, operations=operations)
    assert predicted.budgets == "budget auto: 500 of 500 features per addition, all per removal"
    assert predicted.evaluations == sw.run("sSFS", criteria.GaussianNB(), data, target=5).n_evaluations == 2490
    assert sw.predict_cost("sSFS", 5000, 5).budgets.startswith("budget auto: 100 of 5,000")


def test_what_it_came_to_is_recorded_and_the_selector_says_it():
    data = sw.make_madelon(n_samples=80)
    result = sw.run("sSFFS", criteria.GaussianNB(), data, target=3)
    assert result.to_dict()["settings"]["budget"] == result.to_dict()["settings"]["backward_budget"] == "full"
    selector = sw.SequentialSelector(criteria.GaussianNB(), n_features_to_select=3, random_state=0)
    assert "budget auto: 500 of 500 features" in str(selector.estimate_cost(data.X, data.y))
    selector.fit(data.X, data.y)
    assert selector.coverage_.budgets == "budget auto: 500 of 500 features per addition, all per removal"
    assert selector.coverage_.share == 1.0


def test_the_first_addition_looks_at_every_feature_where_that_costs_less_than_the_search():
    assert planned(target=20, n_features=3000, operations=DEAR).warm_up.looks
    assert not planned(target=20, n_features=4000, operations=DEAR).warm_up.looks  # 25 steps of 125 cost less
    assert not planned(target=20, n_features=3000, operations=DEAR, budget=100).warm_up.looks  # a number is exact
    assert planned(target=20, n_features=3000, operations=DEAR, prior=np.zeros(3000)).warm_up is None
    assert not planned(target=20, n_features=3000, operations=DEAR, max_evaluations=5000).warm_up.looks
    criterion = FunctionCriterion(lambda members: float(np.sum(1.0 / (2.0 + members))))
    data = sw.Dataset(np.zeros((1, 300)))
    result = sw.run("sSFS", criterion, data, target=4)
    assert [step.n_proposed for step in result.trace] == [300, 100, 100, 100]
    assert result.n_tried == 300
    assert sw.predict_cost("sSFS", 300, 4, prior=None).evaluations == result.n_evaluations


def test_a_look_at_which_all_tie_is_taken_again():
    criterion = FunctionCriterion(lambda members: float(len(members) > 1) * float(members.sum()))
    result = sw.run("sSFS", criterion, sw.Dataset(np.zeros((1, 300))), target=4)
    assert [step.n_proposed for step in result.trace] == [300, 299, 100, 100]
    assert 299 in result.trace[1].features


def small(n_samples=40, n_classes=2):
    draws = np.random.default_rng(0)
    return sw.Dataset(draws.integers(0, 4, (n_samples, 6)).astype(float), np.arange(n_samples) % n_classes)


NATIVE = [
    criteria.KNN(),
    criteria.KNN(5),
    criteria.KNNRegression(),
    criteria.GaussianNB(),
    criteria.MultinomialNB(),
    criteria.RidgeCriterion(),
    criteria.RidgeCriterion(folds=3, score="accuracy"),
    LeastSquares(),
    criteria.GaussianBhattacharyya(),
    criteria.GaussianDivergence(),
    criteria.GeneralizedMahalanobis(),
    criteria.WilksLambda(),
    criteria.InformationCriterion(),
    criteria.ScoreTest(),
    LinearDiscriminant(),
    LinearDiscriminant("eigen", 0.5),
    QuadraticDiscriminant(),
    QuadraticDiscriminant("eigen", "auto"),
    criteria.CFS(),
    criteria.JointMutualInformation(),
    criteria.SVM(),
]


@pytest.mark.parametrize("criterion", NATIVE, ids=str)
def test_native_criteria_declare_operations_that_grow_with_the_data(criterion):
    few, many = criterion.operations(small(), 3), criterion.operations(small(4000), 3)
    assert 100 < few < many < inf
    assert criterion.operations(small(), 30) >= few
    assert Memoized(criterion).operations(small(), 3) == Penalized(criterion, 0.1).operations(small(), 3) == few
    assert Mean([criterion, criterion]).operations(small(), 3) == 2 * few
    assert Units(criterion, [[0], [2]]).operations(small(), 3) == few
    assert Units(criterion, [[0], [2, 3]]).operations(small(), 3) == inf
    dear = FunctionCriterion(lambda members: 0.0)
    assert Fallback(criterion, dear).operations(small(), 3) == few
    assert Fallback(criterion, dear, (4,)).operations(small(), 3) == inf


def test_classes_and_folds_are_part_of_what_is_declared():
    for criterion in (criteria.MultinomialBhattacharyya(), criteria.GaussianNB(), criteria.MultinomialNB()):
        assert criterion.operations(small(n_classes=8), 3) > criterion.operations(small(), 3)
    assert LeastSquares(folds=8).operations(small(), 3) == 4 * LeastSquares(folds=2).operations(small(), 3)
    half = criteria.KNN(folds=Split(range(20), range(20, 40)))
    assert 2 * half.operations(small(), 3) == criteria.KNN().operations(small(), 3)


def test_who_says_nothing_is_taken_to_be_dear():
    class Silent(Criterion):
        def bind(self, data):
            raise NotImplementedError

    assert Silent().operations(small(), 3) == inf
    assert automatic_budget(100, 5000, inf, 20) == 100


def test_words_of_text_are_found_among_thousands():
    draws = np.random.default_rng(5)
    n_samples, n_words, n_classes = 300, 20_000, 4
    y = np.arange(n_samples) % n_classes
    topics = np.sort(draws.choice(n_words, 40, replace=False))
    counts = draws.poisson(0.002, (n_samples, n_words)).astype(float)
    for k, word in enumerate(topics):
        counts[y == k % n_classes, word] += draws.poisson(0.4, np.count_nonzero(y == k % n_classes))
    result = sw.run("sSFS", criteria.MultinomialNB(), sw.Dataset(counts, y), target=12, seed=1)
    assert np.isin(result.features, topics).sum() >= 10
