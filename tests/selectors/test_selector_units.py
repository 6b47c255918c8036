"""Features that stay, go, or come in groups, and what they cost."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB

from sweepless import RankingSelector, SequentialSelector
from sweepless.criteria import KNN, FunctionCriterion

X, Y = load_wine(return_X_y=True)
D = X.shape[1]
NAMES = [f"f{k}" for k in range(D)]
FRAME = pd.DataFrame(X, columns=NAMES)
METHODS = ["SFS", "SFFS", "sSFFS", "SBS", "sSBFS", "DOS"]


def total(members):
    return float(np.sum(members))


@pytest.mark.parametrize("method", METHODS)
def test_fixed_features_are_always_inside_and_excluded_ones_never(method):
    selector = SequentialSelector(GaussianNB(), method=method, fixed_features=[3, 5], excluded_features=[0], cv=3)
    selector.fit(X, Y)
    assert min(selector.subsets_) >= 3 and max(selector.subsets_) <= D - 1
    for size, found in selector.subsets_.items():
        assert len(found.features) == size
        assert {3, 5} <= set(found.features) and 0 not in found.features
        assert found.value == pytest.approx(cross_val_score(GaussianNB(), X[:, found.features], Y, cv=3).mean())


def test_fixed_features_count():
    selector = SequentialSelector(FunctionCriterion(total), method="SFS", fixed_features=["f0", "f1"])
    selector.set_params(n_features_to_select=4).fit(FRAME)
    assert selector.get_feature_names_out().tolist() == ["f0", "f1", "f11", "f12"]
    with pytest.raises(ValueError, match="`n_features_to_select` must be an integer from 3 to 13, got 2"):
        selector.set_params(n_features_to_select=2).fit(FRAME)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["native", "fitted"])
def test_groups_move_as_one(method, kind):
    groups = [["f0", "f1", "f2"], ["f4", "f9"]]
    estimator = KNN() if kind == "native" else GaussianNB()
    selector = SequentialSelector(estimator, method=method, feature_groups=groups).fit(FRAME, Y)
    assert max(selector.subsets_) <= 10  # 13 features in two groups of 3 and 2, and 8 singles
    seen = 0
    for size, found in selector.subsets_.items():
        units = set(found.features.tolist())
        for group in ({0, 1, 2}, {4, 9}):
            assert len(units & group) in (0, len(group))
            seen += len(units & group) == len(group)
            units = units - group | ({min(group)} if units & group else set())
        assert len(units) == size
    assert seen > 0
    assert selector.n_features_ == selector.support_.sum()
    assert selector.best_score_ == selector.subsets_[selector.best_size_].value


def test_what_a_group_shares_its_features_share():
    selector = SequentialSelector(
        KNN(), method="sSFS", feature_groups=[[0, 1]], fixed_features=[4], excluded_features=[7], budget=3
    ).fit(X, Y)
    scores = selector.feature_scores_
    assert scores.shape == (D,) and scores[0] == scores[1]
    assert np.isnan(scores[[4, 7]]).all() and np.isfinite(np.delete(scores, [4, 7])).all()
    step = next(step for step in selector.trace_ if 0 in step.features)
    assert step.features.tolist() == [0, 1]


def test_a_group_can_be_fixed():
    selector = SequentialSelector(
        FunctionCriterion(total), method="SFS", feature_groups=[[0, 1, 2]], fixed_features=[0, 1, 2]
    ).set_params(n_features_to_select=2)
    assert selector.fit(X).get_support(indices=True).tolist() == [0, 1, 2, 12]


def test_a_start_is_made_of_features():
    selector = SequentialSelector(FunctionCriterion(total), method="SFS", n_features_to_select=6)
    assert selector.set_params(start=["f1", "f2"]).fit(FRAME).trace_[0].size == 3
    selector.set_params(feature_groups=[[1, 2]], fixed_features=[0], start=[0, 1, 2]).fit(X)
    assert selector.trace_[0].size == 3  # the fixed one, the group, and the first step
    assert selector.get_support(indices=True).tolist() == [0, 1, 2, 9, 10, 11, 12]
    with pytest.raises(ValueError, match="`start` must hold whole groups"):
        selector.set_params(start=[1]).fit(X)


def test_rankings_know_groups():
    selector = RankingSelector(KNN(), feature_groups=[[2, 3]], excluded_features=[0]).fit(X, Y)
    order = selector.order_.tolist()
    assert sorted(order) == list(range(1, D)) and abs(order.index(2) - order.index(3)) == 1
    for size, found in selector.subsets_.items():
        assert len(found.features) in (size, size + 1)


# Costs


def test_costs_are_weighed_against_the_score():
    free = SequentialSelector(GaussianNB(), method="SFFS", cv=3).fit(X, Y)
    dear = SequentialSelector(GaussianNB(), method="SFFS", cv=3, feature_costs=np.full(D, 0.02)).fit(X, Y)
    assert dear.n_features_ < free.n_features_
    score = cross_val_score(GaussianNB(), dear.transform(X), Y, cv=3).mean()
    assert dear.best_score_ == pytest.approx(score - 0.02 * dear.n_features_)
    row = dear.cv_results_["n_features"].tolist().index(dear.n_features_)
    assert dear.cv_results_["mean_test_score"][row] == pytest.approx(score)
    assert dear.cv_results_["cost"][row] == pytest.approx(0.02 * dear.n_features_)
    assert "cost" not in free.cv_results_


def test_costs_by_name():
    best = SequentialSelector(GaussianNB(), method="SFS", n_features_to_select=1, cv=3).fit(FRAME, Y)
    name = best.get_feature_names_out()[0]
    assert best.set_params(feature_costs={name: 9.0}).fit(FRAME, Y).get_feature_names_out()[0] != name


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fixed_features": [13]}, "`fixed_features` must hold indices from 0 to 12, got 13"),
        ({"fixed_features": ["f1"]}, "`fixed_features` must hold indices from 0 to 12, got 'f1'"),
        (
            {"fixed_features": [1], "excluded_features": [1]},
            "`excluded_features` must not be fixed as well",
        ),
        ({"excluded_features": list(range(13))}, "must leave something to select, got all"),
        ({"feature_groups": [[0, 1], [1, 2]]}, "`feature_groups` must hold every feature at most once"),
        ({"feature_groups": [[]]}, "`feature_groups` must hold no empty group"),
        (
            {"feature_groups": np.arange(5)},
            "one label for each of the 13 features, got 5 entries in a ndarray, the first a int",
        ),
        (
            {"feature_groups": {"a": 0, "b": 1}},
            "one label for each of the 13 features, got 2 entries in a dict, the first a int",
        ),
        (
            {"feature_groups": [[0, 1], 2]},
            "one label for each of the 13 features, got 2 entries in a list, the first a list",
        ),
        (
            {"feature_groups": [None] * 13},
            "one label for each of the 13 features, got 13 entries in a list, the first a NoneType",
        ),
        (
            {"feature_groups": 3},
            "`feature_groups` must be lists of features or one label for each of the 13 features, got 3",
        ),
        ({"feature_groups": [[0, 1]], "fixed_features": [0]}, "`fixed_features` must hold all of a group or none"),
        ({"feature_costs": [1.0]}, "`feature_costs` must be 13 finite numbers"),
        ({"feature_costs": {"f1": 1.0}}, "`feature_costs` must hold indices"),
    ],
)
def test_what_cannot_be_meant(options, message):
    with pytest.raises(ValueError, match=message) as caught:
        SequentialSelector(FunctionCriterion(total), **options).fit(X)
    assert str(caught.value).endswith(".") and "\n" not in str(caught.value)


@pytest.mark.parametrize("form", [np.array, list, tuple, pd.Series], ids=lambda form: form.__name__)
@pytest.mark.parametrize("labels", [[0, 0, 1, 1, 2], ["a", "a", "b", "b", "c"]], ids=["numbers", "words"])
def test_one_label_per_feature(form, labels):
    lists = SequentialSelector(KNN(), method="SFS", feature_groups=[[0, 1], [2, 3], [4]]).fit(X[:, :5], Y)
    given = SequentialSelector(KNN(), method="SFS", feature_groups=form(labels)).fit(X[:, :5], Y)
    assert {size: found.features.tolist() for size, found in given.subsets_.items()} == {
        size: found.features.tolist() for size, found in lists.subsets_.items()
    }
