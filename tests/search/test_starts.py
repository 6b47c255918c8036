"""Where a search begins, and what the beginning costs (A43, A45)."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless import METHODS, predict_cost, run
from sweepless.criteria import FunctionCriterion
from sweepless.engine import PortableRng
from sweepless.search import StopReason, WarmUp
from tests.search.toys import RISING, RUGGED, Counting, blank, rugged

OS = ["OS", "sOS"]


def first_pivot(method, **options):
    """Run an oscillating search that may not swing: what it records is where it started."""
    result = run(method, RUGGED, blank(12), max_depth=0, **options)
    assert result.anatomy.start == 1 and result.trace == ()
    assert result.value == rugged(result.features)
    return result


@pytest.mark.parametrize("method", OS)
@pytest.mark.parametrize("start", [[7, 2, 5], np.array([5, 7, 2]), (2, 5, 7)])
def test_a_given_start_costs_one_evaluation_and_gives_the_target(method, start):
    result = first_pivot(method, start=start)
    assert result.features.tolist() == [2, 5, 7]
    assert (result.target, result.n_evaluations) == (3, 1)


@pytest.mark.parametrize(
    "options", [{"method": "OS"}, {"method": "sOS", "start": "ranking"}, {"method": "OS", "start": "ranking"}]
)
def test_a_ranking_prefix_costs_the_singles_and_one(options):
    result = first_pivot(target=4, **options)
    singles = [-rugged([feature]) for feature in range(12)]
    assert result.features.tolist() == sorted(np.argsort(singles, kind="stable")[:4].tolist())
    assert (result.anatomy.ranking, result.n_evaluations) == (12, 13)


@pytest.mark.parametrize("start", [None, "scores"])
def test_the_scores_of_the_warm_up_choose_the_pivot(start):
    result = first_pivot("sOS", target=4, start=start, warm_up=WarmUp(30, 3))
    best = np.argsort(-result.scores, kind="stable")[:4]
    assert result.features.tolist() == sorted(best.tolist())
    assert (result.anatomy.warm_up, result.n_evaluations) == (30, 31)


def test_without_a_warm_up_a_sampled_search_starts_at_random_whatever_the_number_of_features():
    result = first_pivot("sOS", target=4, seed=9)
    assert result.features.tolist() == PortableRng(9, "start").subset(12, 4).tolist()
    assert result.n_evaluations == 1
    others = {tuple(first_pivot("sOS", target=4, seed=seed).features) for seed in range(8)}
    assert len(others) > 4


def test_a_random_start_does_not_disturb_the_draws_of_the_steps():
    given = run("sOS", RUGGED, blank(30), start=PortableRng(9, "start").subset(30, 4), seed=9, budget=5)
    made = run("sOS", RUGGED, blank(30), start="random", target=4, seed=9, budget=5)
    assert [step.features.tolist() for step in made.trace] == [step.features.tolist() for step in given.trace]


@pytest.mark.parametrize("method", ["SBFS", "sSBFS", "SBRS", "ASBFS"])
def test_the_full_set_is_valued_once_where_floating_starts_from_it(method):
    result = run(method, RUGGED, blank(6), target=4)
    assert result.anatomy.start == 1
    assert result.archive[6].value == rugged(range(6))


@pytest.mark.parametrize("method", ["SBS", "sSBS"])
def test_plain_backward_search_does_not_value_the_full_set(method):
    counting = Counting()
    result = run(method, counting.criterion, blank(6), target=4)
    assert result.anatomy.start == 0 and 6 not in result.archive
    assert max(map(len, counting.calls)) == 5


@pytest.mark.parametrize("method", ["SFS", "SFFS", "SFRS", "DOS"])
def test_a_growing_search_can_go_on_from_a_given_subset(method):
    counting = Counting()
    result = run(method, counting.criterion, blank(7), start=[6, 1])
    assert counting.calls[0] == (1, 6)
    assert result.anatomy.start == 1
    assert 2 in result.archive
    if method != "DOS":
        assert result.trace[0].size == 3 and max(result.archive) == 7


def test_a_start_survives_the_first_retreat_behind_it():
    """Nothing is on record behind a given start: the retreat fills it in, and the search stays put."""
    falling = FunctionCriterion(lambda members: -float(np.sum(members)))
    result = run("SFFS", falling, blank(8), start=[5, 6, 7])
    assert [(step.direction, step.size, step.features.tolist()) for step in result.trace[:5]] == [
        ("forward", 4, [0]),
        ("backward", 3, [7]),  # beats the start
        ("backward", 2, [6]),  # the first two of their sizes
        ("backward", 1, [5]),
        ("forward", 4, [1]),  # added to {0, 5, 6}
    ]


# Swings


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_failed_pair_costs_at_most_the_depth_times_both_budgets_per_direction(depth):
    """C28, on a pivot that nothing beats: every pair fails, so the depths are 1, 2, … in turn."""
    best = (3, 8, 11, 15, 20, 28)
    counting = Counting(function=lambda members: 1.0 if tuple(members) == best else 0.5 * rugged(members))
    options = {"budget": 6, "backward_budget": 3, "max_depth": depth, "warm_up": None}
    result = run("sOS", counting.criterion, blank(40), start=best, **options)
    predicted = predict_cost("sOS", 40, 6, **options)
    assert predicted.swing(depth) == depth * (6 + 3)
    assert result.features.tolist() == list(best)
    swings = [2 * predicted.swing(o) for o in range(1, depth + 1)]  # a down-swing and an up-swing
    assert result.n_evaluations == 1 + sum(swings)
    assert len(result.trace) == sum(2 * 2 * o for o in range(1, depth + 1))


def test_near_a_border_a_swing_is_cut_and_a_failed_pair_costs_less():
    result = run("sOS", RISING, blank(40), start=[39], budget=6, backward_budget=3, max_depth=3)
    assert [step.size for step in result.trace] == [2, 1, 2, 3, 2, 1, 2, 3, 4, 3, 2, 1]
    assert result.n_evaluations < 1 + 2 * sum(predict_cost("sOS", 40, 1, budget=6).swing(o) for o in (1, 2, 3))


def test_only_oscillating_searches_start_from_a_subset_of_the_target_size():
    assert [name for name, method in METHODS.items() if method.traits.pivots] == ["OS", "DOS", "sOS", "sDOS"]


def test_a_dynamic_search_starts_at_the_target_size_but_reports_the_best_of_all_sizes():
    result = run("DOS", RISING, blank(12), target=3, start="ranking")
    assert result.anatomy.start == 1
    assert result.best is result.archive.best
    assert result.size > 3
    assert result.stop_reason is StopReason.COMPLETED
