"""What a run can begin with, what it counts as better, and what it remembers of probes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm, rankdata

from sweepless import predict_cost, run
from sweepless.criteria import FunctionCriterion
from sweepless.direction import Direction
from sweepless.engine.folds import FastFold, SequentialFold
from sweepless.errors import InputError
from sweepless.search import ContrastStatistics, Frozen, Limits, RawMeanStatistics, StopReason, WarmUp
from sweepless.search.step import Batch
from tests.search.toys import RISING, RUGGED, blank, rugged


def test_a_prior_is_one_observation_by_rank():
    prior = np.array([3.0, 100.0, 3.0, -1.0])
    statistics = ContrastStatistics().fresh(4, FastFold())
    statistics.seed(prior)
    np.testing.assert_allclose(statistics.scores, norm.ppf((rankdata(prior) - 0.5) / 4), atol=1e-15)
    assert statistics.count_with.tolist() == [1, 1, 1, 1] and statistics.count_without.tolist() == [0] * 4


@pytest.mark.parametrize("fold", [FastFold(), SequentialFold()])
def test_evaluations_outweigh_a_prior(fold):
    statistics = ContrastStatistics().fresh(3, fold)
    statistics.seed(np.array([0.0, 1.0, 2.0]))
    before = statistics.mean_with.copy()
    values = np.array([1.0, 2.0, 6.0])
    nothing = np.zeros(3, dtype=np.bool_)
    statistics.learn(Batch(Direction.ADD, nothing, np.array([[0], [1], [2]]), values))
    z = (values - values.mean()) / values.std()
    np.testing.assert_allclose(statistics.mean_with, (before + z) / 2)


def test_a_prior_of_equal_scores_says_nothing():
    statistics = ContrastStatistics().fresh(5, FastFold())
    statistics.seed(np.full(5, 7.0))
    np.testing.assert_array_equal(statistics.scores, np.zeros(5))


def test_only_contrasts_take_priors():
    with pytest.raises(InputError, match=r"a prior needs statistics that contrast .* values, got RawMeanStatistics"):
        run("sSFS", RUGGED, blank(9), prior=np.arange(9.0), statistics=RawMeanStatistics(), target=2)
    result = run(
        "sSFS", RUGGED, blank(9), prior=np.arange(9.0), statistics=Frozen(), warm_up=WarmUp(3, 2), target=2, budget=3
    )
    assert result.size == 2


@pytest.mark.parametrize("bad", [np.arange(4.0), np.full(9, np.nan)])
def test_a_prior_has_one_finite_score_per_feature(bad):
    with pytest.raises(InputError, match="`prior` must hold 9 finite scores"):
        run("sSFS", RUGGED, blank(9), prior=bad, target=2)


def test_an_improvement_below_tol_does_not_count():
    values = {1: 1.0, 2: 1.5, 3: 1.625, 4: 1.75, 5: 1.875, 6: 2.0}

    def reached(tol):
        result = run("SFS", FunctionCriterion(lambda m: values[len(m)]), blank(6), patience=2, tol=tol)
        return result.stop_reason, result.trace[-1].size

    assert reached(0.0) == (StopReason.COMPLETED, 6)
    assert reached(0.3) == (StopReason.PATIENCE, 4)
    assert reached(0.25) == (StopReason.COMPLETED, 6)  # 1.75 is 0.25 more than the last that counted
    with pytest.raises(InputError, match="`tol` must be a number of at least 0, got -1"):
        Limits(tol=-1)


def test_the_best_probe_is_remembered_but_not_archived():
    result = run("sSFS", RUGGED, blank(30), warm_up=WarmUp(50, 4), max_evaluations=20)
    assert len(result.archive) == 0 and result.best_probe is not None
    assert result.best_probe.value == rugged(result.best_probe.features)
    assert result.tried.sum() >= 4
    ranked = run("BIF", RUGGED, blank(30), max_evaluations=20)
    assert ranked.best_probe.value == max(rugged([k]) for k in range(20)) and ranked.tried.sum() == 20


def test_a_warm_up_can_be_cut_short():
    result = run("sSFS", RISING, blank(30), warm_up=WarmUp(10_000, 4, max_seconds=1e-9), target=2)
    assert result.anatomy.warm_up == 1 and result.size == 2


def test_rankings_are_told():
    result = run("BIF", RISING, blank(7), target=3)
    assert result.order.tolist() == [6, 5, 4, 3, 2, 1, 0]
    np.testing.assert_array_equal(result.scores, np.arange(1.0, 8.0))
    assert run("SFS", RISING, blank(7), target=3).order is None


def test_predictions_of_floating_searches_stay_open():
    assert predict_cost("SFFS", 20, 5).evaluations is None
