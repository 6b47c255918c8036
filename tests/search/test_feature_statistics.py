"""What the statistics learn from batches, against a plain reading of the rule of running means and A23."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sweepless import Direction, run
from sweepless.engine.folds import FastFold, SequentialFold
from sweepless.search import ContrastStatistics, Frozen, RawContrastStatistics, RawMeanStatistics, WarmUp
from sweepless.search.step import Batch
from tests.search.toys import RUGGED, blank

law = settings(max_examples=40, deadline=None, derandomize=True, database=None)


class NaiveMeans:
    def __init__(self, n_features, horizon):
        self.horizon = horizon
        self.mean = {True: [0.0] * n_features, False: [0.0] * n_features}
        self.count = {True: [0] * n_features, False: [0] * n_features}

    def learn(self, subsets, values):
        for subset, value in zip(subsets, values):
            for feature in range(len(self.mean[True])):
                side = feature in subset
                self.count[side][feature] += 1
                rate = 1 / min(self.count[side][feature], self.horizon)
                self.mean[side][feature] += rate * (value - self.mean[side][feature])


def standardized(values):
    mean, deviation = np.mean(values), np.std(values)
    return [(value - mean) / deviation if deviation > 1e-12 else 0.0 for value in values]


@st.composite
def batches(draw):
    """Draw a few batches as a search makes them, some of one value or all equal."""
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    made = []
    for _ in range(draw(st.integers(1, 6))):
        common = rng.random(12) < 0.5
        common[:2] = True, False
        direction = Direction.ADD if rng.random() < 0.5 else Direction.REMOVE
        pool = rng.permutation(direction.pool(common))[: rng.integers(1, 5)]
        values = rng.random(len(pool)) if rng.random() < 0.8 else np.full(len(pool), 0.5)
        made.append(Batch(direction, common, pool[:, None], values))
    return made


def subsets_of(batch):
    return [set(np.flatnonzero(batch.direction.applied(batch.common, row)).tolist()) for row in batch.changed]


@pytest.mark.parametrize("fold", [SequentialFold(), FastFold()])
@pytest.mark.parametrize("kind", [ContrastStatistics, RawContrastStatistics])
@law
@given(made=batches(), horizon=st.sampled_from([1, 2, 5, 100]))
def test_contrasts_are_folded_entry_by_entry(kind, fold, made, horizon):
    ours = kind(horizon).fresh(12, fold)
    naive = NaiveMeans(12, horizon)
    for batch in made:
        ours.learn(batch)
        values = batch.values.tolist()
        naive.learn(subsets_of(batch), standardized(values) if kind is ContrastStatistics else values)
        assert ours.count_with.tolist() == naive.count[True]
        assert ours.count_without.tolist() == naive.count[False]
        np.testing.assert_allclose(ours.mean_with, naive.mean[True], atol=1e-10)
        np.testing.assert_allclose(ours.mean_without, naive.mean[False], atol=1e-10)
    np.testing.assert_allclose(ours.scores, np.subtract(naive.mean[True], naive.mean[False]), atol=1e-10)


@law
@given(batches())
def test_raw_means_give_the_unseen_the_mean_of_everything(made):
    ours = RawMeanStatistics().fresh(12, SequentialFold())
    naive = NaiveMeans(12, 100)
    everything = []
    for batch in made:
        ours.learn(batch)
        naive.learn(subsets_of(batch), batch.values.tolist())
        everything += batch.values.tolist()
    seen = np.array(naive.count[True]) > 0
    np.testing.assert_allclose(ours.scores, np.where(seen, naive.mean[True], np.mean(everything)), atol=1e-12)


@law
@given(batches())
def test_frozen_statistics_learn_from_the_warm_up_only(made):
    frozen = Frozen().fresh(12, SequentialFold())
    frozen.warm_up(made[0])
    scores, counts = frozen.scores.copy(), frozen.count_with.copy()
    for batch in made:
        frozen.learn(batch)
    assert np.array_equal(frozen.scores, scores)
    assert np.array_equal(frozen.count_with, counts) and counts.sum() > 0


def test_every_evaluation_of_a_run_reaches_the_statistics_declined_retreats_included():
    options = {"target": 4, "budget": 5, "backward_budget": 3, "warm_up": WarmUp(20, 3)}
    result = run("sSFFS", RUGGED, blank(15), **options)
    counts = {}

    class Watching(ContrastStatistics):
        def learn(self, batch):
            super().learn(batch)
            counts["with"], counts["without"] = self.count_with.copy(), self.count_without.copy()

    watched = run("sSFFS", RUGGED, blank(15), statistics=Watching(), **options)
    assert watched.n_evaluations == result.n_evaluations
    assert np.all(counts["with"] + counts["without"] == result.n_evaluations)
    assert counts["with"].sum() == result.anatomy.sizes


def test_a_fresh_run_starts_from_nothing():
    statistics = ContrastStatistics()
    one = run("sSFS", RUGGED, blank(15), budget=4, statistics=statistics)
    two = run("sSFS", RUGGED, blank(15), budget=4, statistics=statistics)
    assert np.array_equal(one.scores, two.scores) and len(statistics.count_with) == 0
