"""Arguments that cannot be meant are refused in one sentence: which, allowed, got."""

from __future__ import annotations

import pytest

from sweepless import METHODS, run
from sweepless.criteria import KNN
from sweepless.errors import InputError
from sweepless.search import (
    BudgetFraction,
    ContrastStatistics,
    CostModel,
    DependencySteps,
    Frozen,
    SampledSteps,
    SoftmaxProposal,
    TopKProposal,
    UniformProposal,
    WarmUp,
)
from sweepless.search.methods import CLASSIC
from sweepless.search.plan import plan, schedule_options, step_options
from sweepless.search.settings import SearchSettings
from tests.search.toys import RISING, RUGGED, blank

REFUSED = [
    ("SFSS", {}, "`method` must be one of .*SFFS"),
    (7, {}, "`method` must be a name or a Method, got 7"),
    ("SFFS", {"budget": 5}, "`budget` is not an option of SFFS; its options are: tuple_size"),
    ("sOS", {"options": {"depth": 5}, "target": 2}, "its options are: .*backward_budget.*max_depth, reuse_ends"),
    ("BIF", {"tuple_size": 2}, "its options are: measure, ties"),
    ("SFS", {"target": 9}, "`target` must be an integer from 1 to 8, got 9"),
    ("SFS", {"target": 0}, "`target` .* got 0"),
    ("SFS", {"target": -1}, "`target` .* got -1"),
    ("SFS", {"target": 2.0}, "`target` .* got 2.0"),
    ("SFS", {"target": True}, "`target` .* got True"),
    ("OS", {}, "OS needs a `target`"),
    ("sOS", {}, "sOS needs a `target`"),
    ("ASFFS", {}, "ASFFS needs a `target`"),
    ("(l,r)", {}, "needs a `target`"),
    ("SFFS", {"overshoot": -1}, "`overshoot` must be an integer of at least 0, got -1"),
    ("SFFS", {"overshoot": 1.5}, "`overshoot` .* got 1.5"),
    ("sSFS", {"budget": 0}, "`budget` must be a positive integer, a BudgetFraction, 'auto', 'paper' or None, got 0"),
    ("sSFS", {"budget": -3}, "`budget` .* got -3"),
    ("sSFS", {"budget": 10.0}, "a budget fraction must be above 0 and at most 1, got 10.0"),
    ("sSFS", {"budget": True}, "`budget` .* got True"),
    ("sSFS", {"backward_budget": 0}, "`backward_budget` .* got 0"),
    ("sSFS", {"warm_up": WarmUp(5, 9)}, "at most 8 features"),
    ("sSFS", {"warm_up": "200"}, "`warm_up` must be 'auto', 'M@R', a WarmUp or None, got '200'"),
    ("sSFS", {"proposal": TopKProposal}, "`proposal` .* got <class"),
    ("sSFS", {"statistics": "raw"}, "`statistics` .* got 'raw'"),
    ("sSFS", {"statistics": Frozen(), "warm_up": None}, "frozen statistics must have a warm-up"),
    ("sSFS", {"floor_fraction": 1.5}, "`floor_fraction` must be from 0 to 1, got 1.5"),
    ("sSFS", {"temperature": 0.0}, "`temperature` must be positive or None, got 0.0"),
    ("sSFS", {"horizon": 2.5}, "`horizon` must be an integer of at least 0, got 2.5"),
    (
        "sSFS",
        {"proposal": UniformProposal(), "temperature": 1.0},
        "`temperature` belongs to the softmax proposal",
    ),
    ("SFS", {"tuple_size": 0}, "`tuple_size` must be an integer of at least 1, got 0"),
    ("SFS", {"tuple_size": 2, "target": 3}, "reachable in steps of 2 from 0 features, got 3"),
    ("SBS", {"tuple_size": 3, "target": 4}, "reachable in steps of 3 from 8 features, got 4"),
    ("(l,r)", {"l": 2, "r": 2, "target": 3}, "two different non-negative integers, got l=2, r=2"),
    ("(l,r)", {"l": -1, "target": 3}, "`l` must be an integer of at least 0, got -1"),
    ("OS", {"max_depth": 1.5, "target": 3}, "`max_depth` must be an integer of at least 0, got 1.5"),
    ("OS", {"max_depth": True, "target": 3}, "`max_depth`"),
    ("SBS", {"max_size": 4}, "`max_size` applies only to searches that grow, and SBS does not"),
    ("sSBFS", {"max_size": 4}, "`max_size` applies only to searches that grow"),
    ("(l,r)", {"l": 1, "r": 2, "target": 3, "max_size": 4}, "`max_size`"),
    ("SFS", {"start": [0, 8]}, "`start` must be feature indices from 0 to 7"),
    ("SFS", {"start": [-1]}, "`start` must be feature indices"),
    ("SFS", {"start": []}, "`start` must be feature indices"),
    ("SFS", {"start": [0.5]}, "`start` must be feature indices"),
    ("SFS", {"start": "best"}, "one of scores, ranking, random, got 'best'"),
    ("SFS", {"start": "random"}, "`start='random'` needs a `target`"),
    ("OS", {"start": "scores", "target": 3}, "needs a sampled method"),
    ("OS", {"start": [1, 2], "target": 3}, "`start` must hold the 3 features of the target size, got 2"),
    ("SFS", {"start": [0, 1, 2], "target": 2}, "`start` must not lie beyond the final size of 2 features"),
    ("SBFS", {"start": [0, 1], "target": 4, "overshoot": 1}, "`start` must not lie beyond the final size of 3"),
    ("SFS", {"seed": -1}, "`seed`"),
    ("SFS", {"rng": "numpy"}, "`rng` must be one of portable, reference, got 'numpy'"),
    ("LFS", {"pool_size": 0}, "`pool_size` must be an integer of at least 1, got 0"),
    ("FBED", {"n_returns": -1}, "`n_returns` must be an integer of at least 0, got -1"),
    ("FBED", {"min_gain": -0.1}, "`min_gain` must be a finite number of at least 0, got -0.1"),
    ("BIF", {"ties": "random"}, "`ties` of a ranking must be 'low' or 'high', got 'random'"),
    ("DAF0", {"n_probes": 0}, "`n_probes` must be a positive integer, got 0"),
    ("DAF0", {"max_cost": 5.0}, "either `n_probes` or `max_cost`, not both"),
    ("DAF0", {"n_probes": None}, "either `n_probes` or `max_cost`"),
    ("DAF0", {"n_probes": None, "max_cost": 5.0}, "`max_cost` needs a `cost_model`"),
    (
        "DAF0",
        {"n_probes": None, "max_cost": 0.0, "cost_model": CostModel(1, 1)},
        "`max_cost` must be a positive",
    ),
    ("DAF0", {"probe_sizes": (3, 2)}, "`probe_sizes`"),
]


@pytest.mark.parametrize("method, arguments, message", REFUSED)
def test_a_wrong_argument_is_refused(method, arguments, message):
    with pytest.raises(InputError, match=message) as error:
        run(method, RUGGED, blank(8), **arguments)
    assert str(error.value).endswith(".")


def test_the_criterion_and_the_data_are_checked():
    with pytest.raises(InputError, match="`criterion` must be a Criterion"):
        run("SFS", len, blank(3))
    with pytest.raises(InputError, match="`data` must be a Dataset"):
        run("SFS", RISING, [[1, 2]])


def test_a_measure_must_be_one_that_the_criterion_offers():
    with pytest.raises(InputError, match=r"`measure` must be one that .* offers, got 'beauty'"):
        run("BIF", RISING, blank(3), measure="beauty")


@pytest.mark.parametrize("fraction", [0.0, -0.1, 1.1])
def test_budget_fractions_are_shares(fraction):
    with pytest.raises(InputError, match="fraction"):
        BudgetFraction(fraction)


def test_a_cost_model_must_cost_something():
    with pytest.raises(InputError, match="cost"):
        CostModel(0.0, 0.0)


def test_a_budget_too_small_for_the_floor_is_allowed_with_a_warning():
    with pytest.warns(UserWarning, match="budget of 2 leaves no room"):
        SampledSteps(budget=2)


def test_a_warm_up_probe_of_all_features_is_cut_by_one():
    result = run("sSFS", RUGGED, blank(8), warm_up=WarmUp(5, 8), target=1)
    assert result.anatomy.warm_up == 5
    assert result.anatomy.sizes == 5 * 7 + 8


def test_a_mirrored_warm_up_probes_what_is_missing():
    result = run("sSBS", RUGGED, blank(8), warm_up=WarmUp(5, 2, mirror=True), target=7)
    assert result.anatomy.sizes == 5 * 6 + 8 * 7


@pytest.mark.parametrize("name", CLASSIC)
def test_twins_differ_in_their_steps_only(name):
    classic, twin = METHODS[name], METHODS[f"s{name}"]
    assert twin.schedule is classic.schedule and twin.direction is classic.direction
    assert schedule_options(twin) == schedule_options(classic)
    assert set(step_options(classic)) < set(step_options(twin))


def test_shorthands_reach_the_parts_of_sampled_steps():
    method = plan(SearchSettings(method="sSFS", floor_fraction=0.5, temperature=2.0, horizon=7), 8).method
    assert method.steps.proposal == SoftmaxProposal(0.5, 2.0)
    assert method.steps.statistics.horizon == 7
    frozen = SearchSettings(method="sSFS", statistics=Frozen(ContrastStatistics()), warm_up="2@1", horizon=0)
    method = plan(frozen, 8).method
    assert method.steps.statistics.statistics.horizon == 1


def test_adaptive_tuples_of_no_feature_are_tuples_of_one():
    plain = run("ASFFS", RUGGED, blank(6), target=2, r_max=0)
    assert plain.n_evaluations == run("ASFFS", RUGGED, blank(6), target=2, r_max=1).n_evaluations


def test_dependency_steps_are_checked_when_made():
    with pytest.raises(InputError):
        DependencySteps(n_probes=0)


def test_nothing_is_evaluated_before_arguments_are_checked():
    with pytest.raises(InputError):
        run("SFS", KNN(), blank(3), target=4)
