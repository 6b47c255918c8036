"""The numbers that the paper and its rules give: prices, budgets, floors, cost models."""

from __future__ import annotations

import pytest

from sweepless import predict_cost, run
from sweepless.search import BudgetFraction, SampledSteps, WarmUp
from sweepless.search.budget import granted
from sweepless.search.cost_model import PAPER_COSTS
from tests.search.toys import RUGGED, blank


@pytest.mark.parametrize(
    "method, n_features, target, options, evaluations",
    [
        ("SFS", 500, 20, {}, 9_810),
        ("SFS", 5000, 35, {}, 174_405),
        ("SFS", 5000, 1000, {}, 4_500_500),
        ("sSFS", 500, 20, {"budget": 100, "warm_up": WarmUp(200, 10)}, 2_200),
        ("sSFS", 500, 20, {"budget": 100, "warm_up": WarmUp(1000, 10)}, 3_000),
        ("sSFS", 10**6, 50, {"budget": 100, "warm_up": None}, 5_000),
        ("sSFS", 500, 20, {"budget": BudgetFraction(0.2039), "warm_up": None}, 2_010),
        ("sSFS", 500, 20, {"budget": BudgetFraction(0.203), "warm_up": None}, 2_002),
        ("sSBS", 1000, 900, {"backward_budget": 50, "warm_up": None}, 5_000),
        ("SBS", 500, 20, {}, (500 * 501 - 20 * 21) // 2),
        ("BIF", 500, 100, {}, 501),
        ("DAF0", 500, 20, {"n_probes": 10_000}, 10_001),
        ("LFS", 5000, 20, {"pool_size": 100}, 5000 + 20 * 100 - 190),
    ],
)
def test_the_price_of_a_search_is_known_before_it_runs(method, n_features, target, options, evaluations):
    assert predict_cost(method, n_features, target, **options).evaluations == evaluations


def test_predictions_hold_when_the_search_is_run():
    assert run("sSFS", RUGGED, blank(500), target=20, warm_up=WarmUp(200, 10)).n_evaluations == 2_200
    assert run("SFS", RUGGED, blank(500), target=20).n_evaluations == 9_810


def test_the_defaults_of_the_paper():
    steps = SampledSteps()
    assert (steps.budget, steps.backward_budget, steps.proposal.floor_fraction) == (100, 50, 0.2)
    assert steps.statistics.horizon == 100 and steps.proposal.temperature is None
    assert steps.proposal.n_floor(100) == 20 and steps.proposal.n_floor(50) == 10
    predicted = predict_cost("sSFFS", 500, 20, budget="paper")
    assert (predicted.forward_step, predicted.backward_step) == (100, 25)  # removals from at most 25 members
    assert predict_cost("sSFFS", 500, 100).backward_step == 50
    assert predict_cost("sOS", 10_000, 100, budget="paper").swing(3) == 3 * 150


@pytest.mark.parametrize(
    "budget, floor",
    [(1, 0), (2, 0), (3, 1), (5, 1), (7, 1), (10, 2), (25, 5), (50, 10), (100, 20), (200, 40)],
)
def test_the_floor_is_the_nearest_integer(budget, floor):
    assert SampledSteps().proposal.n_floor(budget) == floor


@pytest.mark.parametrize(
    "budget, pool, value",
    [(100, 500, 100), (100, 100, 100), (100, 99, 99), (None, 500, 500), (BudgetFraction(0.2), 500, 100)]
    + [(BudgetFraction(0.2), 499, 100), (BudgetFraction(0.001), 5, 1), (BudgetFraction(1.0), 5, 5)],
)
def test_a_budget_grants_at_most_the_pool(budget, pool, value):
    assert granted(budget, pool) == value


@pytest.mark.parametrize("budget", [BudgetFraction(0.3), 4])
def test_a_fraction_is_for_additions_only_unless_asked(budget):
    result = run("sSFFS", RUGGED, blank(30), target=6, budget=budget)
    backward = [step for step in result.trace if step.direction == "backward"]
    assert all(step.n_proposed == step.size + 1 for step in backward)
    sizes = {step.size: step.n_proposed for step in result.trace if step.direction == "forward"}
    assert sizes[1] == (9 if budget != 4 else 4)


def test_cost_models_give_the_minutes_of_the_paper():
    model = PAPER_COSTS["madelon"]
    assert model.milliseconds(10_000, 10_000 * 25.5) / 60_000 == pytest.approx(2.68, abs=0.005)
    assert model.milliseconds(501, 501) / 60_000 == pytest.approx(0.0348, abs=0.00005)
    reuters = PAPER_COSTS["reuters"]
    assert reuters.milliseconds(810_000, 810_000 * 250) / 1000 == pytest.approx(106, abs=0.5)
    assert PAPER_COSTS["gisette"].milliseconds(1, 100) == pytest.approx(20.79)


def test_a_result_knows_its_modelled_cost():
    result = run("SFS", RUGGED, blank(10), target=2)
    model = PAPER_COSTS["madelon"]
    assert result.cost(model) == pytest.approx(19 * 3.6797 + (10 + 2 * 9) * 0.48717)
