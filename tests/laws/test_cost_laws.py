"""The price is known before the run: exactly where the schedule alone decides, per step everywhere else."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweepless import METHODS, SearchSettings, predict_cost
from sweepless.search import WarmUp
from sweepless.search.cost import least_cost
from sweepless.search.methods import CLASSIC
from sweepless.search.plan import plan
from tests.laws.landscapes import arguments, budgets, landscapes, law, search

EXACT = [name for name, method in METHODS.items() if method.traits.is_fixed]
OPEN = [name for name, method in METHODS.items() if not method.traits.is_fixed]


def prediction(name: str, n_features: int, chosen: dict[str, Any]) -> Any:
    known = {option: value for option, value in chosen.items() if option not in ("start", "seed", "target")}
    return predict_cost(name, n_features, chosen.get("target"), **known)


def drawn(data: Any, name: str, n_features: int) -> dict[str, Any]:
    target = data.draw(st.none() | st.integers(1, n_features))
    if name == "BIF":
        return {"target": target}
    if name.startswith("DAF"):
        return {"target": target, "n_probes": data.draw(st.integers(1, 30)), "probe_sizes": (1, 3)}
    if name == "LFS":
        return {"target": target, "pool_size": data.draw(st.integers(1, 12))}
    if name == "FBED":
        return {"target": target, "n_returns": data.draw(st.integers(0, 2))}
    chosen = data.draw(arguments(name, n_features))
    if name not in CLASSIC:
        chosen |= data.draw(budgets()) | {"warm_up": data.draw(st.sampled_from([None, WarmUp(7, 2)]))}
    return chosen


@pytest.mark.parametrize("name", EXACT)
@law(20)
@given(ground=landscapes(), data=st.data())
def test_an_exact_prediction_is_what_the_run_pays(name, ground, data):
    chosen = drawn(data, name, ground.n_features)
    predicted = prediction(name, ground.n_features, chosen)
    result = search(name, ground, **chosen)
    assert predicted.evaluations == result.n_evaluations
    assert predicted.preparation == result.anatomy.warm_up + result.anatomy.ranking
    taken = {"forward": 0, "backward": 0}
    for step in result.trace:
        taken[step.direction] = max(taken[step.direction], step.n_proposed)
    assert taken == {"forward": predicted.forward_step, "backward": predicted.backward_step}


@pytest.mark.parametrize("name", OPEN)
@law(20)
@given(ground=landscapes(), data=st.data())
def test_no_step_costs_more_than_predicted(name, ground, data):
    chosen = drawn(data, name, ground.n_features)
    predicted = prediction(name, ground.n_features, chosen)
    assert predicted.evaluations is None
    result = search(name, ground, **chosen)
    bound = {"forward": predicted.forward_step, "backward": predicted.backward_step, "recall": 0}
    for step in result.trace:
        assert step.n_proposed <= bound[step.direction]
    assert result.anatomy.warm_up == predicted.preparation


@law(60)
@given(ground=landscapes(), data=st.data())
def test_a_search_that_may_end_early_costs_at_most_what_is_counted_before(ground, data):
    chosen = drawn(data, "FBED", ground.n_features)
    planned = plan(SearchSettings(method="FBED", **chosen), ground.n_features)
    assert planned.method.traits.bound == "at most "
    assert search("FBED", ground, **chosen).n_evaluations <= least_cost(planned).total()


@law(20)
@given(st.integers(2, 60), st.data())
def test_a_greater_budget_never_costs_less_on_the_same_straight_way(n_features, data):
    target = data.draw(st.integers(1, n_features))
    budgets = (3, 5, 9, 20, None)
    prices = [predict_cost("sSFS", n_features, target, budget=y, warm_up=None).evaluations for y in budgets]
    assert prices == sorted(prices)
    assert prices[-1] == predict_cost("SFS", n_features, target).evaluations
