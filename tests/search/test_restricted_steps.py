"""Hybrid steps and static pools: the older ways to spare evaluations (C8, C9)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sweepless import METHODS, predict_cost, run
from sweepless.criteria import FunctionCriterion
from sweepless.errors import InputError
from sweepless.search import StopReason
from sweepless.search.restricted import HybridSteps, kept
from tests.search.toys import RISING, RUGGED, Counting, blank

TIED = FunctionCriterion(lambda members: float(len(members) // 2))


def hybrid(name, keep, filter=RUGGED, **options):
    return replace(METHODS[name], steps=HybridSteps(filter, keep, **options))


def steps(result):
    return [(step.direction, step.features.tolist(), step.value) for step in result.trace]


@pytest.mark.parametrize("name", ["SFS", "SBFS", "SFFS", "DOS"])
@pytest.mark.parametrize("criterion", [RUGGED, TIED], ids=["rugged", "tied"])
def test_keeping_all_is_the_full_sweep_ties_included(name, criterion):
    full = run(name, criterion, blank(7))
    kept_all = run(
        hybrid(name, 1.0, filter=FunctionCriterion(lambda members: -RUGGED.function(members))),
        criterion,
        blank(7),
    )
    assert steps(kept_all) == steps(full)
    assert kept_all.n_evaluations == full.n_evaluations
    assert kept_all.anatomy.filter == full.anatomy.forward + full.anatomy.backward


def test_keeping_none_takes_what_the_filter_likes_best():
    result = run(hybrid("SFS", 0.0, filter=RISING), RUGGED, blank(8), target=3)
    assert [step.features.tolist() for step in result.trace] == [[7], [6], [5]]
    assert (result.n_evaluations, result.anatomy.filter) == (3, 8 + 7 + 6)
    assert result.value == RUGGED.function([5, 6, 7])


@pytest.mark.parametrize("keep, passed", [(0.25, [3, 2, 2]), (0.5, [5, 5, 4]), (0.04, [1, 1, 1])])
def test_the_criterion_values_what_passed_and_the_filter_is_booked_apart(keep, passed):
    counting, filtering = Counting(), Counting()
    result = run(hybrid("SFS", keep, filter=filtering.criterion), counting.criterion, blank(10), target=3)
    assert [step.n_proposed for step in result.trace] == passed
    assert result.n_evaluations == len(counting.calls) == sum(passed)
    assert result.anatomy.filter == len(filtering.calls) == 10 + 9 + 8
    assert result.anatomy.sizes == sum(map(len, counting.calls))
    assert predict_cost(hybrid("SFS", keep), 10, 3).evaluations == sum(passed)


def test_the_cut_is_rounded_to_the_nearest_and_never_empty():
    assert [kept(0.1, n) for n in (1, 4, 5, 14, 15, 20)] == [1, 1, 1, 1, 2, 2]
    assert kept(0.0, 50) == 1 and kept(1.0, 50) == 50


def test_of_equal_filter_values_the_earlier_candidate_passes():
    constant = FunctionCriterion(lambda members: 0.0)
    result = run(hybrid("SFS", 0.5, filter=constant), RISING, blank(6), target=1)
    assert result.features.tolist() == [2]


def test_a_filter_can_rank_tuples():
    result = run(hybrid("SFS", 0.0, filter=RISING, tuple_size=2), RUGGED, blank(6), target=4)
    assert [sorted(step.features.tolist()) for step in result.trace] == [[4, 5], [2, 3]]


@pytest.mark.parametrize("keep", [-0.1, 1.1])
def test_a_filter_keeps_a_share(keep):
    with pytest.raises(InputError, match="`keep` must be from 0 to 1"):
        HybridSteps(RUGGED, keep)


def test_a_filter_is_a_criterion():
    with pytest.raises(InputError, match="`filter` must be a criterion"):
        HybridSteps(len)


# LFS


def test_lfs_sweeps_inside_the_best_single_features():
    counting = Counting()
    result = run("LFS", counting.criterion, blank(12), pool_size=5, target=3)
    singles = np.array([RUGGED.function([feature]) for feature in range(12)])
    pool = set(np.argsort(-singles, kind="stable")[:5].tolist())
    assert {feature for members in counting.calls[12:] for feature in members} == pool
    assert (result.anatomy.ranking, result.anatomy.forward) == (12, 5 + 4 + 3)
    assert result.n_evaluations == 12 + 3 * 5 - 3 == predict_cost("LFS", 12, 3, pool_size=5).evaluations


def test_lfs_with_the_whole_pool_is_sfs():
    full = run("SFS", RUGGED, blank(8))
    assert steps(run("LFS", RUGGED, blank(8), pool_size=8)) == steps(full)
    assert steps(run("LFS", RUGGED, blank(8), pool_size=100)) == steps(full)


def test_lfs_ends_where_its_pool_ends():
    result = run("LFS", RUGGED, blank(12), pool_size=4, target=9)
    assert (max(result.archive), result.stop_reason) == (4, StopReason.COMPLETED)
    assert predict_cost("LFS", 12, 9, pool_size=4).evaluations == result.n_evaluations == 12 + 10


@pytest.mark.parametrize("name", ["SFFS", "SFRS", "ASFFS"])
def test_any_search_ends_where_a_static_pool_ends(name):
    method = replace(METHODS[name], steps=replace(METHODS["LFS"].steps, pool_size=4))
    result = run(method, RUGGED, blank(9), target=3)
    assert max(result.archive) <= 4
    assert result.stop_reason is StopReason.TARGET
