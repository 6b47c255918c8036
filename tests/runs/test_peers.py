"""The peers choose what scikit-learn and plain definitions choose, from the training part alone."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE, SelectKBest, f_classif, mutual_info_classif
from sklearn.linear_model import LassoCV, RidgeClassifier
from sklearn.preprocessing import StandardScaler

from sweepless import Dataset, SequentialSelector, make_madelon
from sweepless.criteria import KNN
from sweepless.engine.portable import PortableRng
from sweepless.runs.compare.peers.filters import f_test, mutual_information, relevant_not_redundant
from sweepless.runs.compare.peers.models import Elimination, forest, l1
from sweepless.runs.compare.peers.random_subsets import best_of_random, shares
from sweepless.runs.compare.peers.registry import missing_package, peer


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
        selector = RFE(RidgeClassifier(), n_features_to_select=size).fit(X, train.codes)
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
    monkeypatch.setattr(RidgeClassifier, "fit", _counted(RidgeClassifier.fit, fits))
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
    for name in ("auto", "SelectKBest F", "SelectKBest MI", "RFE", "mRMR", "L1", "forest", "Boruta", "abess"):
        if missing_package(name):
            continue
        chosen = peer(name, {"step": 3})(data, [2, 6], 1)
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


def test_mrmr_divides_relevance_by_mean_correlation(train: Dataset) -> None:
    X = np.hstack([train.X, train.X[:, :1]])  # a copy of the first feature
    data = Dataset(X, train.y)
    relevance = f_classif(X, data.codes)[0]
    correlations = np.abs(np.corrcoef(X.T))
    order = [int(np.argmax(relevance))]
    while len(order) < 12:
        worth = relevance / np.maximum(correlations[order].mean(axis=0), 1e-3)
        order.append(max(set(range(41)) - set(order), key=lambda feature: (worth[feature], -feature)))
    for size, features in relevant_not_redundant(data, [1, 5, 12], 0).items():
        assert features.tolist() == sorted(order[:size])


def test_mrmr_of_sparse_data_is_that_of_the_same_dense_data() -> None:
    rng = np.random.default_rng(2)
    X, y = rng.poisson(0.5, (90, 30)).astype(float), rng.integers(0, 2, 90)
    X[:, 3] = 0.0
    of_dense = relevant_not_redundant(Dataset(X, y), [4, 15], 0)
    of_sparse = relevant_not_redundant(Dataset(sparse.csc_matrix(X), y), [4, 15], 0)
    assert {size: found.tolist() for size, found in of_dense.items()} == {
        size: found.tolist() for size, found in of_sparse.items()
    }
    assert 3 not in of_dense[15]


def test_mrmr_leaves_the_copy_of_a_chosen_feature_for_later() -> None:
    rng = np.random.default_rng(5)
    y = np.arange(80) % 2
    strong, weaker = y + 0.5 * rng.normal(size=80), y + 0.8 * rng.normal(size=80)
    data = Dataset(np.column_stack([strong, strong + 0.01 * rng.normal(size=80), weaker]), y)
    assert f_test(data, [2], 0)[2].tolist() == [0, 1]
    assert 2 in relevant_not_redundant(data, [2], 0)[2]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_l1_finds_the_features_of_a_linear_rule(n_classes: int) -> None:
    rng = np.random.default_rng(n_classes)
    X = rng.normal(size=(200, 60))
    y = np.argmax(X[:, [7, 20, 41]][:, :n_classes] + 0.1 * rng.normal(size=(200, n_classes)), axis=1)
    chosen = l1(Dataset(X, y), [n_classes, 60], 0)
    assert chosen[n_classes].tolist() == [7, 20, 41][:n_classes]
    assert chosen[60].tolist() == list(range(60))  # what never enters comes last, but it comes


def test_lasso_takes_the_features_of_lasso_cv_first() -> None:
    rng = np.random.default_rng(8)
    X = rng.normal(size=(100, 50))
    y = X[:, :4] @ np.array([3.0, -2.0, 1.0, 0.5]) + rng.normal(size=100)
    weights = np.abs(LassoCV(max_iter=5000).fit(StandardScaler().fit_transform(X), y - y.mean()).coef_)
    order, n_used = np.argsort(-weights, kind="stable"), np.count_nonzero(weights)
    chosen = l1(Dataset(X, y, task="regression"), [2, int(n_used), int(n_used) + 3], 0)
    assert chosen[2].tolist() == sorted(order[:2])
    assert chosen[n_used].tolist() == np.flatnonzero(weights).tolist()
    assert len(chosen[n_used + 3]) == n_used + 3


def test_forest_takes_the_greatest_importances(train: Dataset) -> None:
    importances = RandomForestClassifier(500, random_state=3).fit(train.X, train.codes).feature_importances_
    assert forest(train, [6], 3)[6].tolist() == np.sort(np.argsort(-importances)[:6]).tolist()


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("name", ["auto", "ReliefF", "Boruta", "abess"])
def test_other_peers_find_what_matters(name: str, task: str) -> None:
    if missing_package(name):
        pytest.skip(f"{missing_package(name)} is not installed")
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 25))
    X[:, 5] = 1.0  # constant, which abess refuses
    y = X[:, 3] + X[:, 11] + 0.2 * rng.normal(size=150)
    data = Dataset(X, y if task == "regression" else (y > 0).astype(int), task=task)
    chosen = peer(name, {})(data, [2, 8], 0)
    assert chosen[2].tolist() == [3, 11]
    assert len(chosen[8]) == 8
    assert list(chosen[8]) == sorted(chosen[8])


def test_abess_adds_features_where_it_uses_fewer() -> None:
    pytest.importorskip("abess")
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(20, 60)), np.arange(20) % 4
    chosen = peer("abess", {})(Dataset(X, y), [30], 0)
    assert len(set(chosen[30].tolist())) == 30


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sweepless.runs.compare.peers.installed.find_spec", lambda package: None)
    assert missing_package("abess") == "abess"
    assert missing_package("Boruta") == "boruta"
    assert missing_package("L1") is None


@pytest.mark.filterwarnings("ignore:The least populated class")
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_auto_takes_the_labels_for_what_the_data_say_they_are(task: str) -> None:
    rng = np.random.default_rng(6)
    y = np.repeat(np.arange(12), [6] + 11 * [3])  # numbers that hardly repeat, or classes
    X = rng.normal(size=(39, 10))
    X[:, 4] = y + 0.01 * rng.normal(size=39)
    seen = []

    class Watched(SequentialSelector):
        def fit(self, X, y):
            seen.append(Dataset(X, y).has_classes)
            return super().fit(X, y)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sweepless.runs.compare.peers.automatic.SequentialSelector", Watched)
        assert peer("auto", {})(Dataset(X, y, task=task), [1], 0)[1].tolist() == [4]
    assert seen == [task == "classification"]
