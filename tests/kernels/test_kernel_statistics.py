"""Folding a batch: fast, entry by entry and naively must be one and the same."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless import Direction
from sweepless.engine.folds import FastFold, SequentialFold
from sweepless.search import ContrastStatistics, RawContrastStatistics, RawMeanStatistics
from sweepless.search.statistics import standardize
from sweepless.search.step import Batch
from tests.reference.statistics import Contrast, standardized

N_FEATURES = 14
KINDS = ["forward", "backward", "pairs to add", "pairs to remove", "triples to add", "probes"]


def batch_of(kind, draws, n_entries, values=None):
    """A batch as the steps of a search make them."""
    if values is None:
        values = draws.normal(size=n_entries) * draws.choice([1e-3, 1.0, 50.0]) + draws.normal()
    if kind == "probes":
        changed = [draws.choice(N_FEATURES, 4, replace=False) for _ in range(n_entries)]
        return Batch(Direction.ADD, np.zeros(N_FEATURES, dtype=bool), np.sort(np.array(changed)), values)
    direction = Direction.ADD if "add" in kind or kind == "forward" else Direction.REMOVE
    width = 3 if "triples" in kind else 2 if "pairs" in kind else 1
    common = np.zeros(N_FEATURES, dtype=bool)
    common[draws.choice(N_FEATURES, N_FEATURES // 2, replace=False)] = True
    pool = direction.pool(common)
    if width == 1:
        changed = draws.permutation(pool)[:n_entries][:, None]
    else:
        changed = np.array([np.sort(draws.choice(pool, width, replace=False)) for _ in range(n_entries)])
    return Batch(direction, common, changed, values[: len(changed)])


def subsets(batch):
    return [set(np.flatnonzero(batch.direction.applied(batch.common, row)).tolist()) for row in batch.changed]


def assert_equal(statistics, naive):
    assert statistics.count_with.tolist() == naive.count_with
    assert statistics.count_without.tolist() == naive.count_without
    assert statistics.mean_with == pytest.approx(naive.mean_with, rel=1e-9, abs=1e-9)
    assert statistics.mean_without == pytest.approx(naive.mean_without, rel=1e-9, abs=1e-9)
    assert statistics.scores == pytest.approx(naive.scores, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("horizon", [1, 2, 7, 100])
@pytest.mark.parametrize("kind", [*KINDS, "all kinds in turn"])
def test_fast_and_sequential_folds_equal_the_naive_one_below_around_and_beyond_the_horizon(kind, horizon):
    draws = np.random.default_rng(horizon)
    fast = ContrastStatistics(horizon).fresh(N_FEATURES, FastFold())
    sequential = ContrastStatistics(horizon).fresh(N_FEATURES, SequentialFold())
    naive = Contrast(N_FEATURES, horizon)
    for turn in range(60):  # some hundreds of updates: counts pass every horizon here
        batch = batch_of(KINDS[turn % len(KINDS)] if "turn" in kind else kind, draws, int(draws.integers(1, 8)))
        fast.learn(batch)
        sequential.learn(batch)
        naive.learn(subsets(batch), batch.values.tolist())
        assert_equal(fast, naive)
        assert_equal(sequential, naive)
    assert fast.count_with.max() > min(horizon, 60)


@pytest.mark.parametrize("fold", [FastFold(), SequentialFold()])
def test_one_batch_longer_than_the_horizon(fold):
    draws = np.random.default_rng(3)
    statistics = ContrastStatistics(10).fresh(N_FEATURES, fold)
    naive = Contrast(N_FEATURES, 10)
    for kind in ("probes", "pairs to add", "probes"):
        batch = batch_of(kind, draws, 64)
        statistics.learn(batch)
        naive.learn(subsets(batch), batch.values.tolist())
    assert_equal(statistics, naive)


@pytest.mark.parametrize("fold", [FastFold(), SequentialFold()])
@pytest.mark.parametrize("kind", KINDS)
def test_a_batch_without_spread_is_counted_and_pulls_the_means_to_zero(kind, fold):
    draws = np.random.default_rng(4)
    statistics = ContrastStatistics().fresh(N_FEATURES, fold)
    naive = Contrast(N_FEATURES, 100)
    flat = np.full(5, 0.7)
    flat[0] += 1e-15  # rounding noise is not spread
    for values in (None, flat, None, flat[:1]):
        batch = batch_of(kind, draws, 5 if values is None else len(values), values)
        statistics.learn(batch)
        naive.learn(subsets(batch), batch.values.tolist())
        assert_equal(statistics, naive)
    assert np.all(statistics.count_with + statistics.count_without == naive.count_with[0] + naive.count_without[0])


@pytest.mark.parametrize("fold", [FastFold(), SequentialFold()])
def test_a_horizon_beyond_every_count_is_an_exact_mean_and_costs_no_memory(fold):
    draws = np.random.default_rng(5)
    statistics = ContrastStatistics(horizon=10**12).fresh(N_FEATURES, fold)
    naive = Contrast(N_FEATURES, 10**12)
    for turn in range(40):
        batch = batch_of(KINDS[turn % len(KINDS)], draws, 6)
        statistics.learn(batch)
        naive.learn(subsets(batch), batch.values.tolist())
    assert_equal(statistics, naive)


@pytest.mark.parametrize("fold", [FastFold(), SequentialFold()])
def test_raw_statistics_fold_the_values_themselves(fold):
    draws = np.random.default_rng(6)
    contrast = RawContrastStatistics(9).fresh(N_FEATURES, fold)
    mean = RawMeanStatistics(9).fresh(N_FEATURES, fold)
    naive = Contrast(N_FEATURES, 9)
    everything = []
    assert mean.scores.tolist() == [0.0] * N_FEATURES
    for turn in range(12):
        batch = batch_of(KINDS[turn % 2], draws, 3)
        contrast.learn(batch)
        mean.learn(batch)
        naive.fold(subsets(batch), batch.values.tolist())
        everything += batch.values.tolist()
        assert_equal(contrast, naive)
        expected = [
            m if count else np.mean(everything) for m, count in zip(naive.mean_with, naive.count_with, strict=True)
        ]
        assert mean.scores == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("n_values", [2, 3, 100])
@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_a_standardised_batch_has_mean_zero_and_deviation_one(n_values, scale):
    values = scale * np.random.default_rng(n_values).normal(size=n_values) + scale
    z = standardize(values)
    assert z.mean() == pytest.approx(0.0, abs=1e-9)
    assert z.std() == pytest.approx(1.0, rel=1e-9)
    assert z == pytest.approx(standardized(values.tolist()), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("values", [[0.5], [0.5] * 7, [0.5, 0.5 + 1e-13], [0.1] * 10])
def test_a_batch_without_spread_standardises_to_zeros(values):
    assert standardize(np.array(values)).tolist() == [0.0] * len(values)


def test_the_first_of_a_hundred_entries_beyond_the_horizon_weighs_least():
    statistics = ContrastStatistics(100).fresh(3, SequentialFold())
    nothing = np.zeros(3, dtype=bool)
    for first in (False, True):
        values = np.zeros(100)
        values[0 if first else -1] = 1.0
        fresh = statistics.fresh(3, SequentialFold())
        fresh.count_without[:] = 1000
        fresh._fold(values, Batch(Direction.ADD, nothing, np.zeros((100, 1), dtype=np.intp), values))
        assert fresh.mean_without[2] == pytest.approx(0.01 * 0.99**99 if first else 0.01, rel=1e-9)


@pytest.mark.parametrize("n_inside", [100, 4900])
def test_pages_with_and_without_features_below_the_horizon_are_folded_alike(n_inside):
    n_features, draws = 5000, np.random.default_rng(n_inside)
    folded = [ContrastStatistics(horizon=40).fresh(n_features, fold) for fold in (FastFold(), SequentialFold())]
    common = np.zeros(n_features, dtype=bool)
    common[draws.choice(n_features, n_inside, replace=False)] = True
    young = draws.choice(2000, 30, replace=False)  # the last pages have none
    means, counts = draws.normal(size=(2, n_features)), draws.integers(40, 90, (2, n_features))
    counts[:, young] = draws.integers(0, 40, (2, 30))
    for statistics in folded:
        statistics.mean_with[:], statistics.mean_without[:] = means
        statistics.count_with[:], statistics.count_without[:] = counts
    for _ in range(3):
        changed = draws.choice(n_features, 20, replace=False)
        batch = Batch(Direction.ADD, common, changed[:, None], draws.normal(size=20))
        fast, sequential = folded
        fast.learn(batch)
        sequential.learn(batch)
        assert np.array_equal(fast.count_with, sequential.count_with)
        assert np.array_equal(fast.count_without, sequential.count_without)
        assert fast.mean_with == pytest.approx(sequential.mean_with, rel=1e-9, abs=1e-9)
        assert fast.mean_without == pytest.approx(sequential.mean_without, rel=1e-9, abs=1e-9)
        assert np.array_equal(fast.scores, fast.mean_with - fast.mean_without)
