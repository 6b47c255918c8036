"""How many features: every rule, on a curve that is known."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.neighbors import KNeighborsClassifier

from sweepless import RankingSelector, SequentialSelector
from sweepless.criteria import FunctionCriterion

X = np.random.default_rng(0).normal(size=(30, 12))
PEAK = 6


def peaked(members):
    """Best with six features; low indices are better, so that the search is straight."""
    return 10.0 - abs(len(members) - PEAK) - 0.001 * float(np.sum(members))


def fitted(rule, kind=SequentialSelector, **options):
    options = {"method": "SFS"} | options if kind is SequentialSelector else options
    return kind(FunctionCriterion(peaked), n_features_to_select=rule, **options).fit(X)


@pytest.mark.parametrize("kind", [SequentialSelector, RankingSelector])
@pytest.mark.parametrize(
    ("rule", "expected"), [(3, 3), (12, 12), (0.5, 6), (0.01, 1), ("best", 6), ((2, 4), 4), ((8, 12), 8)]
)
def test_rules(kind, rule, expected):
    selector = fitted(rule, kind)
    assert selector.n_features_ == selector.best_size_ == expected == selector.support_.sum()
    np.testing.assert_array_equal(selector.get_support(indices=True), np.arange(expected))
    assert selector.best_score_ == peaked(np.arange(expected))


@pytest.mark.parametrize(("options", "expected"), [({"max_size": 4}, 4), ({"min_size": 9}, 9), ({"min_size": 2}, 6)])
def test_bounds_of_the_best(options, expected):
    assert fitted("best", **options).n_features_ == expected


@pytest.mark.parametrize("method", ["SBS", "SBFS", "sSBS", "sSBFS"])
def test_shrinking_searches_go_to_the_smallest_size(method):
    selector = fitted("best", method=method, min_size=3)
    assert min(selector.subsets_) <= 3 and selector.n_features_ == PEAK


def test_floating_searches_go_past_the_greatest_size():
    selector = fitted((1, 5), method="SFFS", overshoot=3)
    assert max(selector.subsets_) == 8 and selector.n_features_ == 5


def test_growing_searches_stop_at_a_hundred_features_if_nobody_says_more():
    wide = np.random.default_rng(0).normal(size=(10, 130))
    rising = FunctionCriterion(lambda members: float(len(members)))
    assert max(SequentialSelector(rising, method="SFS").fit(wide).subsets_) == 100
    assert max(SequentialSelector(rising, method="SFS", max_size=120).fit(wide).subsets_) == 120


def test_one_standard_error():
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :12]
    selector = SequentialSelector(KNeighborsClassifier(1), method="SFS", n_features_to_select="1se").fit(X, y)
    folds = np.column_stack([selector.cv_results_[f"split{k}_test_score"] for k in range(5)])
    means = selector.cv_results_["mean_test_score"]
    np.testing.assert_allclose(folds.mean(axis=1), means, atol=1e-12)
    best = int(np.argmax(means))
    bar = means[best] - folds[best].std(ddof=1) / np.sqrt(5)
    assert selector.n_features_ == np.flatnonzero(means >= bar)[0] + 1
    assert selector.n_features_ < best + 1  # or the test would show nothing


def test_tuples_reach_what_they_can():
    selector = fitted("best", tuple_size=4, max_size=11)
    assert sorted(selector.subsets_) == [4, 8]


def test_another_size_without_another_search():
    selector = fitted("best")
    n_evals = selector.n_evaluations_
    assert selector.select(3) is selector
    assert selector.n_features_ == 3 and selector.transform(X).shape == (30, 3)
    assert selector.best_score_ == selector.subsets_[3].value == peaked(range(3))
    assert selector.get_support(n_features=5).sum() == 5 and selector.n_features_ == 3
    assert selector.get_support(True, n_features=2).tolist() == [0, 1]
    features, value = selector.subsets_[4]
    assert features.tolist() == [0, 1, 2, 3] and value == peaked(features)
    assert selector.n_evaluations_ == n_evals
    with pytest.raises(ValueError, match="`n_features` must be a recorded size, 12 of them from 1 to 12, got 40"):
        selector.select(40)


def test_ranking_follows_rfe():
    selector = fitted(4)
    assert (selector.ranking_ == 1).tolist() == selector.support_.tolist()
    assert sorted(selector.ranking_[~selector.support_]) == list(range(2, 10))


@pytest.mark.parametrize("rule", [0, 13, -1, 1.5, 0.0, "most", (5,), (7, 2), (0, 4), True, "audit", "1se", (1, 2, 3)])
def test_what_is_no_rule(rule):
    with pytest.raises(ValueError, match=r"^`n_features_to_select.* must .*, got .*\.$"):
        fitted(rule)


@pytest.mark.parametrize("method", ["OS", "sOS"])
def test_searches_around_a_size_need_one(method):
    with pytest.raises(ValueError, match=r"must be a number for s?OS"):
        fitted("best", method=method)
    assert fitted(5, method=method, random_state=0).n_features_ == 5


@pytest.mark.parametrize("method", ["(l,r)", "G(l,r)", "ASFFS", "DOS", "sDOS", "LFS", "BIF", "sSFRS"])
def test_other_methods_take_rules(method):
    assert fitted("best", method=method, random_state=0).n_features_ == PEAK
