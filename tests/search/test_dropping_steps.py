"""Early dropping: who does not improve is not valued again until nobody else is left."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.naive_bayes import GaussianNB

from sweepless import METHODS, Dataset, SequentialSelector, run
from sweepless.criteria import EstimatorCriterion, FunctionCriterion
from sweepless.search import DroppingSteps, StopReason
from tests.search.toys import RUGGED, Counting, blank


def weighed(*weights):
    """Every feature adds its weight."""
    return lambda members: float(sum(weights[member] for member in members))


def sizes_valued(calls):
    return [len(members) for members in calls]


@pytest.mark.parametrize("n_returns, third", [(0, 0), (1, 3), (5, 3)])
def test_who_does_not_improve_is_valued_again_only_on_return(n_returns, third):
    counting = Counting(weighed(5, 4, 0, 0, -1))
    result = run("FBED", counting.criterion, blank(5), n_returns=n_returns)
    assert sizes_valued(counting.calls) == [1] * 5 + [2] * 4 + [3] * third + [1] * 2
    assert (result.anatomy.forward, result.anatomy.backward) == (9 + third, 2)
    assert result.features.tolist() == [0, 1]
    assert result.stop_reason is StopReason.COMPLETED


def test_who_failed_at_the_same_subset_is_not_valued_twice():
    counting = Counting(lambda members: 1.0)
    result = run("FBED", counting.criterion, blank(6), n_returns=3)
    assert sizes_valued(counting.calls) == [1] * 6 + [2] * 5
    assert result.n_evaluations == 11


def test_partners_are_found_on_return():
    def together(members):  # 3 is worth something only after 1, which is found after 3 was dropped
        return 4.0 * (0 in members) + 2.0 * (1 in members) + (1 in members and 3 in members)

    found = {k: run("FBED", FunctionCriterion(together), blank(5), n_returns=k).features.tolist() for k in (0, 1)}
    assert found == {0: [0, 1], 1: [0, 1, 3]}


def test_a_gain_must_exceed_the_least():
    criterion = FunctionCriterion(weighed(5, 4, 2, 1))
    assert [run("FBED", criterion, blank(4), min_gain=gain).size for gain in (0, 0.5, 1, 2, 4)] == [4, 4, 3, 2, 1]


def test_what_others_made_needless_is_removed():
    def covered(members):  # 0 is the best alone, and adds nothing to 1 and 2 together
        return 4.0 if {1, 2} <= set(members) else 2.0 * (0 in members) + 0.5 * len(members)

    result = run("FBED", FunctionCriterion(covered), blank(3))
    assert [(step.direction, step.features.tolist()) for step in result.trace][-1] == ("backward", [0])
    assert (result.features.tolist(), result.value) == ([1, 2], 4.0)


def test_the_target_is_the_end_of_the_way_up():
    result = run("FBED", FunctionCriterion(weighed(5, 4, 3, 2)), blank(4), target=2)
    assert (result.features.tolist(), result.stop_reason) == ([0, 1], StopReason.TARGET)
    assert result.n_evaluations == 4 + 3 + 2


@pytest.mark.parametrize("name", ["SFS", "SFFS", "SFRS", "ASFFS", "G(l,r)", "OS", "DOS"])
def test_any_search_may_drop_and_comes_to_its_end(name):
    dropping = replace(METHODS[name], steps=DroppingSteps())
    target = 3 if METHODS[name].traits.needs_target else None
    result = run(dropping, RUGGED, blank(9), target=target, max_evaluations=50_000)
    assert result.stop_reason in (StopReason.TARGET, StopReason.COMPLETED)
    for record in result.archive.values():
        assert record.value == RUGGED.function(record.features)


def test_raced_candidates_are_dropped_and_what_is_recorded_are_values():
    X, y = load_wine(return_X_y=True)
    criterion, data = EstimatorCriterion(GaussianNB(), cv=5), Dataset(X, y)
    result = run("FBED", criterion, data)
    assert result.anatomy.spared > 0
    assert result.n_evaluations < run("SFS", criterion, data, target=max(result.archive)).n_evaluations
    cursor = criterion.bind(data)
    for record in result.archive.values():
        assert record.value == cursor.evaluate(record.features)


def test_a_selector_says_that_its_estimate_is_the_most():
    X, y = load_wine(return_X_y=True)
    selector = SequentialSelector(GaussianNB(), method="FBED", n_features_to_select=4, cv=3, native=False)
    estimate = selector.estimate_cost(X, y)
    assert estimate.is_most and not estimate.is_exact
    assert str(estimate).startswith("at most ")
    assert selector.fit(X, y).anatomy_.total <= estimate.evaluations
    assert np.count_nonzero(selector.get_support()) <= 4
