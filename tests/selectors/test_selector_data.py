"""Frames, names, sparse matrices, several outputs, pipelines, grids, pickles: whatever scikit-learn users bring."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sweepless import RankingSelector, SequentialSelector
from sweepless.criteria import KNN
from tests.scikit_learn import VERSION

X, Y = load_wine(return_X_y=True)
NAMES = [f"f{k}" for k in range(X.shape[1])]
FRAMES = {"pandas": pd.DataFrame(X, columns=NAMES), "polars": pl.DataFrame(X, schema=NAMES)}
QUICK = {"method": "SFS", "n_features_to_select": 3}


@pytest.mark.parametrize("kind", ["pandas", "polars"])
@pytest.mark.parametrize("selector", [SequentialSelector(**QUICK), RankingSelector(n_features_to_select=3)])
def test_frames_keep_their_names(kind, selector):
    frame = FRAMES[kind]
    plain = clone(selector).fit(X, Y)
    pipeline = make_pipeline(clone(selector)).set_output(transform=kind)
    shown = pipeline.fit_transform(frame, Y)
    assert type(shown) is type(frame)
    expected = [NAMES[feature] for feature in plain.get_support(indices=True)]
    assert list(shown.columns) == expected
    assert pipeline[-1].get_feature_names_out().tolist() == expected
    np.testing.assert_array_equal(np.asarray(shown), plain.transform(X))


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_estimators_see_frames(kind):
    class Demanding(GaussianNB):
        def fit(self, X, y):
            assert all(name in NAMES for name in X.columns)
            return super().fit(X, y)

    found = SequentialSelector(Demanding(), **QUICK).fit(FRAMES[kind], Y)
    assert found.get_support().tolist() == SequentialSelector(GaussianNB(), **QUICK).fit(X, Y).get_support().tolist()


@pytest.mark.parametrize("estimator", [KNeighborsClassifier(3), RidgeClassifier()])
@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix])
def test_sparse_matrices(estimator, form):
    holes = np.where(np.median(X, axis=0) < X, X, 0.0)
    selector = SequentialSelector(estimator, **QUICK).fit(form(holes), Y)
    assert selector.subsets_[3].value == pytest.approx(
        SequentialSelector(estimator, **QUICK).fit(holes, Y).subsets_[3].value, abs=0.02
    )
    assert selector.transform(form(holes)).shape == (len(X), 3)


def test_several_outputs():
    target = np.column_stack([X[:, 0] + X[:, 5], X[:, 5]])
    selector = SequentialSelector(LinearRegression(), method="SFS", n_features_to_select=2).fit(X, target)
    assert selector.get_support(indices=True).tolist() == [0, 5]
    labels = np.column_stack([Y == 0, Y == 1]).astype(int)
    assert SequentialSelector(KNeighborsClassifier(1), **QUICK).fit(X, labels).n_features_ == 3


def test_a_column_of_labels_is_taken_as_labels():
    with pytest.warns(UserWarning, match="column-vector"):
        selector = SequentialSelector(**QUICK).fit(X, Y[:, None])
    assert selector.get_support().tolist() == SequentialSelector(**QUICK).fit(X, Y).get_support().tolist()


def test_the_panel_depends_on_the_target():
    for target, judges in ((Y, 4), (Y.astype(str), 4), (X[:, 0] + 0.5, 3), (np.arange(len(X), dtype=float), 3)):
        selector = SequentialSelector(cv=2, **QUICK).fit(X, target)
        assert len(selector.chosen_.outside.judges) == judges


def test_a_criterion_is_an_estimator_too():
    selector = SequentialSelector(KNN(), **QUICK).fit(X, Y)
    assert selector.criterion_.criterion == KNN() and "was given" in selector.criterion_.reason
    assert list(selector.cv_results_) == ["n_features", "mean_test_score"]
    for options in ({"scoring": "accuracy"}, {"cv": 3}, {"native": False}):
        with pytest.raises(ValueError, match=f"^`{next(iter(options))}` is for estimators, got it together with"):
            SequentialSelector(KNN(), **options).fit(X, Y)


def test_pipelines_and_grids():
    pipeline = make_pipeline(StandardScaler(), SequentialSelector(KNeighborsClassifier(1), method="SFS", cv=3))
    pipeline = make_pipeline(*[step for _, step in pipeline.steps], LogisticRegression())
    grid = {
        "sequentialselector__n_features_to_select": [2, (4, 6)],
        "sequentialselector__estimator__n_neighbors": [1, 3],
    }
    search = GridSearchCV(pipeline, grid, cv=2).fit(X, Y)
    assert search.best_score_ > 0.8
    assert cross_val_score(search.best_estimator_, X, Y, cv=2).mean() > 0.8


def test_routing_reaches_estimator_and_splitter():
    groups = np.arange(len(X)) % 4
    weights = np.where(Y == 1, 1e-6, 1.0)
    seen = []

    class Recording(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            seen.append(sample_weight)
            return super().fit(X, y, sample_weight)

    by_hand = SequentialSelector(Recording(), cv=GroupKFold(4), **QUICK).fit(X, Y, groups=groups, sample_weight=weights)
    assert len(seen) > 0 and all(weight is not None and len(weight) < len(X) for weight in seen)
    assert by_hand.criterion_.criterion.fit_params["sample_weight"] is weights
    with config_context(enable_metadata_routing=True):
        estimator = Recording().set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        routed = SequentialSelector(estimator, cv=GroupKFold(4), **QUICK).fit(
            X, Y, groups=groups, sample_weight=weights
        )
    assert routed.subsets_[3].value == by_hand.subsets_[3].value
    assert routed.get_support().tolist() == by_hand.get_support().tolist()
    with pytest.raises(ValueError, match="groups"):
        SequentialSelector(GaussianNB(), cv=GroupKFold(4), **QUICK).fit(X, Y)


def test_a_criterion_takes_no_fit_parameters():
    with pytest.raises(ValueError, match="`sample_weight` is for estimators"):
        SequentialSelector(KNN(), **QUICK).fit(X, Y, sample_weight=np.ones(len(X)))


def test_fitted_selectors_can_be_pickled_without_the_data():
    selector = SequentialSelector(GaussianNB(), **QUICK).fit(np.repeat(X, 50, axis=0), np.repeat(Y, 50))
    assert len(pickle.dumps(selector)) < np.repeat(X, 50, axis=0).nbytes / 2
    copy = pickle.loads(pickle.dumps(selector))  # noqa: S301
    assert copy.get_support().tolist() == selector.get_support().tolist()
    for name, column in selector.cv_results_.items():
        np.testing.assert_array_equal(copy.cv_results_[name], column)
    assert copy.select(2).transform(X).shape == (len(X), 2)


def test_the_table_is_that_of_cross_validation():
    selector = SequentialSelector(Ridge(), method="SFS", cv=4).fit(X, Y.astype(float) + 0.5)
    table = selector.cv_results_
    assert list(table)[:3] == ["n_features", "mean_test_score", "std_test_score"]
    for row, size in enumerate(table["n_features"]):
        scores = cross_val_score(Ridge(), X[:, selector.subsets_[size].features], Y.astype(float) + 0.5, cv=4)
        np.testing.assert_allclose([table[f"split{k}_test_score"][row] for k in range(4)], scores, atol=1e-10)
        assert table["mean_test_score"][row] == pytest.approx(scores.mean(), abs=1e-10)
        assert table["std_test_score"][row] == pytest.approx(scores.std(), abs=1e-10)


def test_shown_in_a_notebook():
    selector = SequentialSelector(**QUICK)
    assert "SequentialSelector" in selector._repr_html_()
    assert ("support_" in selector.fit(X, Y)._repr_html_()) == (VERSION >= (1, 9))  # which lists what was fitted


def test_parameters_are_kept_as_given():
    fixed = [1, 2]
    selector = SequentialSelector(GaussianNB(), fixed_features=fixed, budget=7, n_features_to_select=0.5)
    assert selector.get_params()["fixed_features"] is fixed
    assert clone(selector).get_params(deep=False).keys() == selector.get_params(deep=False).keys()
    assert selector.fit(X, Y).fixed_features is fixed and selector.n_features_to_select == 0.5
