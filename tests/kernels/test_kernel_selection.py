"""Order statistics and least exposed features are those that sorting finds."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless.kernels.sampling.exposure import Tied, least_exposed
from sweepless.kernels.sampling.selection import OrderStatistics

NOBODY = np.empty(0, dtype=np.intp)


def vectors(n_values, draws):
    yield "ordinary", draws.normal(size=n_values)
    yield "constant", np.full(n_values, 0.25)
    yield "few distinct", draws.integers(-2, 3, n_values) / 4
    yield "mostly one value", np.where(draws.random(n_values) < 0.9, -0.1, draws.normal(size=n_values))
    yield "ascending", np.arange(n_values, dtype=float)
    yield "descending", -np.arange(n_values, dtype=float)
    yield "one block apart", np.where(np.arange(n_values) < n_values // 3, 5.0, draws.normal(size=n_values))
    yield "periodic", np.arange(n_values) % 97 * 1.0
    yield "hugely spread", draws.normal(size=n_values) * 10.0 ** draws.uniform(-200, 200, n_values)
    yield "some infinite", np.where(draws.random(n_values) < 0.01, -np.inf, draws.normal(size=n_values))


@pytest.mark.parametrize("n_values", [1, 2, 3, 5, 100, 4096, 4097, 10_000, 50_001, 300_000])
def test_order_statistics_are_those_of_the_sorted_values(n_values):
    draws = np.random.default_rng(n_values)
    for name, values in vectors(n_values, draws):
        before = values.copy()
        for low, high in ((n_values // 4, 3 * n_values // 4), (0, n_values - 1), (n_values // 2, n_values // 2)):
            parted = np.partition(values, (low, high))
            assert OrderStatistics()(values, low, high) == (parted[low], parted[high]), name
        assert np.array_equal(values, before)


@pytest.mark.parametrize("n_values", [5000, 10_000, 50_001])
def test_order_statistics_do_not_depend_on_where_they_stood_before(n_values):
    draws = np.random.default_rng(n_values)
    find = OrderStatistics()
    scores = draws.normal(size=n_values)
    for turn in range(30):
        touched = draws.choice(len(scores), 100, replace=False)
        scores[touched] = draws.normal(size=100)
        if turn % 10 == 9:
            scores = (scores[::-1].copy(), -scores, np.round(scores))[turn // 10]
        if turn % 7 == 6:
            scores[find._marks] = draws.choice([-np.inf, np.inf, 0.0], len(find._marks))  # the marks themselves mislead
        scores = scores[:-1] * 0.9 + draws.normal()
        low, high = len(scores) // 4, 3 * len(scores) // 4
        assert find(scores, low, high) == tuple(np.sort(scores)[[low, high]])


def test_marks_are_used_again_as_long_as_scores_move_alike(monkeypatch):
    draws = np.random.default_rng(1)
    scores, find = draws.normal(size=10_000), OrderStatistics()
    find(scores, 2500, 7500)
    monkeypatch.setattr(find, "_by_sample", None)
    for _ in range(20):
        scores = 0.9 * scores + draws.normal()
        scores[draws.choice(10_000, 5, replace=False)] = 0.0
        assert find(scores, 2500, 7500) == tuple(np.sort(scores)[[2500, 7500]])


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("n_features", [5, 33, 1000, 20_000])
def test_the_least_exposed_come_as_a_full_sort_has_them(n_features, dtype):
    draws = np.random.default_rng(n_features)
    for top in (1, 2, 7, 10**6):
        exposure = draws.integers(0, top, n_features).astype(dtype)
        for arranged in (exposure, np.sort(exposure), np.sort(exposure)[::-1].copy()):
            barred = np.sort(draws.choice(n_features, n_features // 5, replace=False)).astype(np.intp)
            order = np.argsort(arranged, kind="stable")
            order = order[~np.isin(order, barred)]
            for count in (0, 1, 3, min(80, len(order))):
                assert least_exposed(arranged, barred, count).tolist() == order[:count].tolist()


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("n_features", [1, 5, 257, 4351, 4352, 4353, 20_000])
def test_tied_positions_are_those_that_a_list_of_all_has_at_these_ordinals(n_features, dtype):
    draws = np.random.default_rng(n_features)
    for top in (1, 2, 7):
        exposure = draws.integers(0, top, n_features).astype(dtype)
        for n_barred in (0, n_features // 5, n_features - 1):
            barred = np.sort(draws.choice(n_features, n_barred, replace=False)).astype(np.intp)
            tied = np.setdiff1d(np.flatnonzero(exposure == top - 1), barred)
            ours = Tied(exposure, barred, top - 1)
            assert len(ours) == len(tied)
            for count in {0, min(1, len(tied)), min(80, len(tied)), len(tied)}:
                ordinals = np.sort(draws.choice(len(tied), count, replace=False)).astype(np.intp)
                assert ours.at(ordinals).tolist() == tied[ordinals].tolist()


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("n_features", [1, 5, 4351, 4352, 4353, 20_000])
def test_the_least_exposure_of_all_is_found_wherever_it_is(n_features, dtype):
    draws = np.random.default_rng(n_features)
    exposure = draws.integers(3, 6, n_features).astype(dtype)
    barred = np.sort(draws.choice(n_features, n_features // 5, replace=False)).astype(np.intp)
    for arranged in (exposure, np.sort(exposure), np.sort(exposure)[::-1].copy(), np.full(n_features, 2, dtype)):
        for least in (None, 0, n_features // 2, n_features - 1):
            if least is not None:
                arranged[least] = 1 if least else 2
            tied = np.setdiff1d(np.flatnonzero(arranged == arranged.min()), barred)
            ours = Tied(arranged, barred)
            assert len(ours) == len(tied)
            assert ours.at(np.arange(len(tied))).tolist() == tied.tolist()


def test_nobody_barred_and_everybody_asked_for():
    exposure = np.array([3, 1, 2, 1])
    assert least_exposed(exposure, NOBODY, 4).tolist() == [1, 3, 2, 0]


@pytest.mark.parametrize("n_values", [5000, 70_001])
def test_a_sample_that_misleads_costs_time_only(n_values):
    draws = np.random.default_rng(1)
    runs = np.zeros(n_values, dtype=bool)
    n_runs = int(2.0 * n_values ** (2.0 / 3.0)) // 16
    for start in (np.arange(n_runs) * ((n_values - 16) / (n_runs - 1))).astype(int):
        runs[start : start + 16] = True
    beyond = np.where(runs, 10.0, draws.normal(size=n_values))  # the sample sees nothing of the rest
    wide = np.where(runs, draws.choice([-9.0, 9.0], n_values), draws.normal(size=n_values))  # and here: too little
    for values in (beyond, -beyond, wide):
        low, high = n_values // 4, 3 * n_values // 4
        parted = np.partition(values, (low, high))
        assert OrderStatistics()(values, low, high) == (parted[low], parted[high])
