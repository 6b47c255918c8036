"""A selector without an estimator: the panel, what it chooses, and what it says about it."""

from __future__ import annotations

import json
import warnings
from copy import copy

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sweepless import SequentialSelector
from sweepless.dataset import Dataset
from sweepless.errors import DataError, IncompleteWarning, InputError
from sweepless.selectors import auto
from sweepless.selectors.auto import MANY, make_panel
from sweepless.selectors.decide import outer_searches
from sweepless.selectors.problem import pose

X, Y = load_wine(return_X_y=True)
NOISE = np.random.default_rng(0).normal(size=(len(X), 12))
WIDE = np.hstack([X, NOISE])


def quick(**params):
    """A selector whose panel takes little time: two folds, one fast judge."""
    return SequentialSelector(**{"max_size": 5, "cv": 2, "judge": GaussianNB(), "random_state": 0} | params)


@pytest.fixture(scope="module")
def fitted():
    return SequentialSelector(max_size=10, random_state=0).fit(WIDE, Y)


def test_the_chosen_features_are_worth_what_the_honest_score_says(fitted):
    choice = fitted.chosen_
    assert fitted.n_features_ == choice.size <= 10
    assert np.all(fitted.subsets_[3].features < X.shape[1])  # no noise
    assert fitted.honest_score_ == pytest.approx(choice.honest_score)
    assert 0.9 < fitted.honest_score_ <= 1.0


def test_the_panel_says_what_was_tried_and_why(fitted):
    choice, outside = fitted.chosen_, fitted.chosen_.outside
    text = str(choice)
    for member in outside.members:
        assert member in text
    assert choice.reason in " ".join(text.split())
    assert fitted.criterion_.reason == choice.reason
    assert outside.scores.shape == (len(outside.members), 6, len(outside.sizes), 4)
    assert set(outside.sizes) == {1, 2, 5, 10}
    assert f"{choice.honest_score:.3f}" in text


def test_the_same_seed_makes_the_same_choice():
    once, again = quick().fit(WIDE, Y), quick().fit(WIDE, Y)
    np.testing.assert_array_equal(again.chosen_.outside.scores, once.chosen_.outside.scores)
    np.testing.assert_array_equal(again.support_, once.support_)


def test_the_scale_of_features_does_not_matter():
    other = quick().fit(WIDE * 2.0 ** np.arange(WIDE.shape[1]) + 5.0, Y)
    np.testing.assert_array_equal(other.support_, quick().fit(WIDE, Y).support_)


def test_workers_do_not_change_the_choice():
    alone, parallel = quick().fit(WIDE, Y), quick(n_jobs=2).fit(WIDE, Y)
    np.testing.assert_array_equal(parallel.chosen_.outside.scores, alone.chosen_.outside.scores)


def test_a_number_of_features_is_judged_at_that_number():
    selector = quick(n_features_to_select=4).fit(WIDE, Y)
    assert selector.n_features_ == 4
    assert selector.chosen_.outside.sizes == (4,)
    assert selector.honest_score_ == pytest.approx(selector.chosen_.honest_score)


def test_the_best_size_is_at_least_the_smallest_within_an_error():
    smallest, best = quick().fit(WIDE, Y), quick(n_features_to_select="best").fit(WIDE, Y)
    assert best.n_features_ >= smallest.n_features_
    assert best.honest_score_ >= smallest.honest_score_


def test_select_gives_the_honest_score_of_another_size(fitted):
    selector, outside = copy(fitted), fitted.chosen_.outside
    own = outside.by_size[outside.members.index(fitted.chosen_.member)]
    assert selector.select(5).honest_score_ == pytest.approx(own[outside.sizes.index(5)])
    between = sorted(own[outside.sizes.index(size)] for size in (5, 10))
    assert between[0] <= selector.select(7).honest_score_ <= between[1]


def test_the_judge_may_be_named():
    selector = quick(judge=LogisticRegression()).fit(WIDE, Y)
    assert selector.chosen_.outside.judges == ("LogisticRegression",)


def test_regression_is_judged_by_r2():
    data = load_diabetes()
    wide = np.hstack([data.data, np.random.default_rng(1).normal(size=(442, 20))])
    selector = SequentialSelector(max_size=10, cv=2, random_state=0).fit(wide, data.target)
    assert 0.35 < selector.honest_score_ < 0.6
    assert np.mean(selector.get_support(indices=True) < 10) > 0.8
    assert selector.chosen_.outside.judges == ("linear", "neighbors", "trees")


def test_structure_that_only_neighbors_see_is_found():
    X, y = make_classification(
        400, 40, n_informative=5, n_redundant=0, n_clusters_per_class=8, class_sep=2.0, shuffle=False, random_state=3
    )
    judge = make_pipeline(StandardScaler(), KNeighborsClassifier())
    selector = quick(max_size=10, judge=judge).fit(X, y)
    assert selector.chosen_.member == "soft neighbors"
    assert set(selector.subsets_[5].features.tolist()) == {0, 1, 2, 3, 4}


def test_it_works_in_a_pipeline_and_through_cross_validation():
    pipe = make_pipeline(quick(), GaussianNB())
    assert cross_val_score(pipe, WIDE, Y, cv=2).mean() > 0.8


def test_groups_stay_together_in_the_outer_folds():
    groups = np.arange(len(Y)) // 4
    order = np.random.default_rng(0).permutation(len(Y))
    selector = quick(cv=None).fit(WIDE[order], Y[order], groups=groups)
    assert selector.chosen_.outside.scores.shape[1] == 3
    splitter = quick(cv=GroupKFold(4)).fit(WIDE[order], Y[order], groups=groups)
    assert splitter.chosen_.outside.scores.shape[1] == 4


def test_fixed_features_count_and_are_judged_along():
    selector = quick(fixed_features=[20]).fit(WIDE, Y)
    assert selector.support_[20]
    assert 20 in selector.subsets_[3].features
    assert len(selector.subsets_[3].features) == 3


def test_a_panel_that_was_recorded_is_not_computed_again(tmp_path, monkeypatch):
    journal = tmp_path / "run.jsonl"
    first = quick(journal=journal).fit(WIDE, Y)
    cells = (tmp_path / "run.jsonl.panel").read_text().splitlines()
    assert len(cells) == np.isfinite(first.chosen_.outside.scores).any(axis=(2, 3)).sum()
    assert {"panel", "settings", "member", "split", "scores", "n_evaluations", "seconds"} == set(json.loads(cells[0]))
    monkeypatch.setattr("sweepless.validation.panel.Outer.__call__", lambda *_: pytest.fail("computed again"))
    resumed = quick().resume(journal, WIDE, Y)
    np.testing.assert_array_equal(resumed.support_, first.support_)
    np.testing.assert_array_equal(resumed.chosen_.outside.scores, first.chosen_.outside.scores)


def test_a_panel_that_was_broken_off_goes_on(tmp_path):
    journal = tmp_path / "run.jsonl"
    whole = quick(journal=journal).fit(WIDE, Y)
    panel = tmp_path / "run.jsonl.panel"
    lines = panel.read_text().splitlines(keepends=True)
    panel.write_text("".join(lines[:5]) + lines[5][:20])  # killed while it wrote
    journal.unlink()
    again = quick(journal=journal).fit(WIDE, Y)
    np.testing.assert_array_equal(again.chosen_.outside.scores, whole.chosen_.outside.scores)
    other = quick(random_state=1, journal=tmp_path / "other.jsonl").fit(WIDE, Y)
    assert not np.array_equal(other.chosen_.outside.scores, whole.chosen_.outside.scores)


def test_limits_leave_a_valid_selector():
    selector = quick(max_evaluations=2000).fit(WIDE, Y)
    assert selector.n_features_ <= 5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IncompleteWarning)
        hurried = quick(max_evaluations=30).fit(WIDE, Y)
    assert hurried.n_features_ >= 1
    assert hurried.n_evaluations_ <= 30


def test_too_few_samples_have_no_honest_score():
    few = np.r_[0:2, 70:72]
    with pytest.warns(IncompleteWarning, match="too few samples to compare criteria outside"):
        selector = SequentialSelector(max_size=2, random_state=0).fit(WIDE[few], Y[few])
    assert selector.chosen_ is None and selector.honest_score_ is None


def test_what_belongs_to_estimators_is_refused():
    with pytest.raises(InputError, match="`sample_weight` is for estimators"):
        SequentialSelector().fit(WIDE, Y, sample_weight=np.ones(len(Y)))
    with pytest.raises(InputError, match="`judge` is for a selector without an estimator"):
        SequentialSelector(LogisticRegression(), judge=LogisticRegression()).fit(WIDE, Y)
    with pytest.raises(InputError, match="`judge` must be a classifier or regressor"):
        SequentialSelector(judge="forest").fit(WIDE, Y)
    with pytest.raises(DataError, match="one target per sample"):
        SequentialSelector().fit(WIDE, np.column_stack([Y, Y]))


def test_nothing_is_said_where_nothing_is_wrong():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        quick().fit(WIDE, Y)


def test_the_cost_is_told_beforehand():
    panel, alone = quick().estimate_cost(WIDE, Y), quick(n_features_to_select=5).estimate_cost(WIDE, Y)
    fitted = quick().fit(WIDE, Y)
    spent = fitted.n_evaluations_ + fitted.chosen_.outside.n_evaluations
    assert spent <= panel.evaluations <= 2 * spent
    assert panel.seconds > 0.0 and alone.evaluations > 0


def test_evaluations_of_the_panel_count():
    fitted = quick(max_evaluations=2000).fit(WIDE, Y)
    assert fitted.n_evaluations_ + fitted.chosen_.outside.n_evaluations <= 2000


def test_a_judge_of_ones_own_sees_features_as_they_are():
    y = np.arange(90) % 2
    counts = np.random.default_rng(0).poisson(np.where((np.arange(12) < 2) & (y[:, None] == 1), 4.0, 1.0))
    selector = quick(max_size=4, judge=MultinomialNB()).fit(counts, y)  # which refuses negative values
    assert selector.honest_score_ > 0.7 and selector.chosen_.outside.judges == ("MultinomialNB",)


def test_only_the_features_that_promise_most_are_compared_where_there_are_many():
    wide = np.random.default_rng(0).normal(size=(len(Y), 3 * MANY))
    wide[:, 2 * MANY : 2 * MANY + 5] += 2.0 * (Y[:, None] == Y[0])
    selector = quick().fit(wide, Y)
    outside = selector.chosen_.outside
    assert outside.n_evaluations <= outside.n_splits.sum() * 5 * MANY < 5 * wide.shape[1] * outside.n_splits.sum()
    assert selector.n_evaluations_ > 2 * 5 * MANY  # the last search looks at all features
    assert np.all(selector.subsets_[2].features // 5 == 2 * MANY // 5)
    spent = selector.n_evaluations_ + outside.n_evaluations
    assert 0.5 * spent <= quick().estimate_cost(wide, Y).evaluations <= 2 * spent


@pytest.mark.parametrize("told", [{"fixed_features": [0]}, {"start": [0]}, {"prior": "f"}, {"feature_costs": 1e-9}])
def test_all_features_are_compared_if_something_is_said_about_some(told):
    wide = np.random.default_rng(0).normal(size=(len(Y), MANY + 20))
    selector = quick(max_size=2, **told)
    problem = pose(selector, wide, Y, {})
    assert outer_searches(selector, problem, problem.panel, 2)[1] is None
    assert selector.fit(wide, Y).honest_score_ >= 0.0


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("with_groups", [False, True])
def test_criteria_are_compared_on_some_of_many_rows(monkeypatch, task, with_groups):
    monkeypatch.setattr(auto, "_MOST_ROWS", 60)
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [150, 50]) if task == "classification" else rng.normal(size=200)
    groups = np.arange(200) // 4 if with_groups else None
    splits = make_panel(Dataset(rng.normal(size=(200, 5)), y, task=task), None, None, None, groups, 1).splits
    for train, test in splits:
        assert len(np.union1d(train, test)) == len(train) + len(test) == 60
        if with_groups:
            assert not set(groups[train]) & set(groups[test])
        elif task == "classification":
            assert np.bincount(y[train]).tolist() == [30, 10] and np.bincount(y[test]).tolist() == [15, 5]
    assert len(splits) == (3 if with_groups else 6)
