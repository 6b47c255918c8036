"""The peers choose what scikit-learn itself chooses, from the training part alone."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_selection import RFE, SelectKBest, f_classif, mutual_info_classif
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from sweepless import Dataset, make_madelon
from sweepless.criteria import KNN
from sweepless.engine.portable import PortableRng
from sweepless.runs.compare.peers import Elimination, best_of_random, f_test, mutual_information, peer, shares


@pytest.fixture(scope="module")
def train() -> Dataset:
    return make_madelon(n_samples=120, n_features=40, n_redundant=5, seed=3)


@pytest.mark.parametrize("size", [1, 7, 40])
def test_rankings_are_those_of_select_k_best(train: Dataset, size: int) -> None:
    by_f = SelectKBest(f_classif, k=size).fit(train.X, train.codes)
    assert f_test(train, [size], 0)[size].tolist() == np.flatnonzero(by_f.get_support()).tolist()
    by_information = mutual_info_classif(train.X, train.codes, random_state=5)
    best = np.sort(np.argsort(-by_information, kind="stable")[:size])
    assert mutual_information(train, [size], 5)[size].tolist() == best.tolist()


def test_one_at_a_time_elimination_is_that_of_rfe(train: Dataset) -> None:
    X = StandardScaler().fit_transform(train.X)
    chosen = Elimination(1)(train, [3, 10], 0)
    for size in (3, 10):
        selector = RFE(LogisticRegression(max_iter=300), n_features_to_select=size).fit(X, train.codes)
        assert chosen[size].tolist() == np.flatnonzero(selector.support_).tolist()


def test_elimination_keeps_exact_sizes_within_each_other(train: Dataset) -> None:
    chosen = Elimination(7)(train, [2, 9, 15], 0)
    assert [len(chosen[size]) for size in (2, 9, 15)] == [2, 9, 15]
    assert set(chosen[2]) < set(chosen[9]) < set(chosen[15])


def test_elimination_of_many_features_takes_about_a_hundred_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    elimination = Elimination.affordable(5000, 50)
    assert elimination.step == 50
    assert Elimination.affordable(60, 20).step == 1
    fits = []
    monkeypatch.setattr(LogisticRegression, "fit", _counted(LogisticRegression.fit, fits))
    data = make_madelon(n_samples=60, n_features=40, n_redundant=5)
    Elimination(4)(data, [3, 8], 0)
    assert len(fits) == Elimination(4).n_fits(40, [3, 8])


def _counted(fit, calls):
    def counted(self, *arguments, **named):
        calls.append(1)
        return fit(self, *arguments, **named)

    return counted


def test_constant_features_rank_last_without_a_warning(train: Dataset, recwarn: pytest.WarningsRecorder) -> None:
    X = np.array(train.X)
    X[:, 0] = 1.0
    data = Dataset(X, train.y)
    assert 0 not in f_test(data, [39], 0)[39]
    assert not recwarn.list


def test_sparse_data_give_subsets_too() -> None:
    rng = np.random.default_rng(0)
    data = Dataset(sparse.csc_matrix(rng.poisson(0.4, (80, 25))), rng.integers(0, 3, 80))
    for name, options in (("SelectKBest F", {}), ("SelectKBest MI", {}), ("RFE", {"step": 3})):
        chosen = peer(name, options)(data, [2, 6], 1)
        assert {size: len(features) for size, features in chosen.items()} == {2: 2, 6: 6}


def test_random_subsets_are_the_best_of_their_share(train: Dataset) -> None:
    assert shares(11, 3) == [4, 4, 3]
    found = best_of_random(KNN(), train, [2, 5], 21, PortableRng(4))
    draws, cursor = PortableRng(4).stream("start"), KNN().bind(train)
    for record, granted in zip(found, (11, 10)):
        subsets = [draws.subset(40, record.size) for _ in range(granted)]
        values = [cursor.evaluate(subset) for subset in subsets]
        assert record.value == max(values)
        assert record.features.tolist() == subsets[int(np.argmax(values))].tolist()
    assert found[1].n_evaluations > 11
