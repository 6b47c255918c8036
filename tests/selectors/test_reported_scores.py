"""What is reported is what the estimator itself scores, where the search values subsets a little differently."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression, PoissonRegressor
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sweepless import SequentialSelector

X, Y = load_iris(return_X_y=True)
X = np.rint(X)  # so that many samples are equally distant


@pytest.mark.parametrize(
    "estimator", [KNeighborsClassifier(3), make_pipeline(StandardScaler(), KNeighborsClassifier(1))], ids=repr
)
def test_cross_validation_results_are_those_of_the_estimator(estimator):
    splits = list(StratifiedKFold(5).split(X, Y))
    selector = SequentialSelector(estimator, method="SFS", n_features_to_select=3, cv=splits).fit(X, Y)
    table = pickle.loads(pickle.dumps(selector)).cv_results_  # noqa: S301 - our own bytes
    differs = False
    for row, size in enumerate(table["n_features"].tolist()):
        theirs = cross_val_score(estimator, X[:, selector.subsets_[size].features], Y, cv=splits)
        assert [table[f"split{k}_test_score"][row] for k in range(5)] == theirs.tolist()
        assert table["mean_test_score"][row] == theirs.mean()
        differs |= selector.subsets_[size].value != theirs.mean()
    assert differs  # or there was no tie, and nothing was shown
    assert selector.best_score_ == selector.subsets_[3].value
    assert selector.criterion_.deviates
    assert "`cv_results_` holds what the estimator itself scores" in selector.criterion_.reason


def test_costs_are_not_part_of_what_is_reported():
    selector = SequentialSelector(
        KNeighborsClassifier(3), method="SFS", n_features_to_select=2, feature_costs=[0.1] * 4
    )
    selector.fit(X, Y)
    theirs = cross_val_score(KNeighborsClassifier(3), X[:, selector.subsets_[2].features], Y).mean()
    assert selector.cv_results_["mean_test_score"][1] == pytest.approx(theirs, abs=1e-15)
    np.testing.assert_array_equal(selector.cv_results_["cost"], [0.1, 0.2])


def test_results_of_a_model_that_stops_short_of_its_optimum_are_its_own():
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression(tol=1e-3))
    selector = SequentialSelector(model, method="SFS", n_features_to_select=3, scoring="roc_auc", cv=3)
    selector.fit(X[:, :10], y)
    theirs = [
        cross_val_score(model, X[:, selector.subsets_[k].features], y, cv=3, scoring="roc_auc").mean()
        for k in (1, 2, 3)
    ]
    np.testing.assert_array_equal(selector.cv_results_["mean_test_score"], theirs)
    assert any(selector.subsets_[k].value != theirs[k - 1] for k in (1, 2, 3))
    assert selector.criterion_.deviates
    assert "solvers stop short of the optimum, so its own score may differ slightly" in selector.criterion_.reason
    assert "`cv_results_` holds what the estimator itself scores" in selector.criterion_.reason


def test_results_of_a_regression_with_a_log_link_are_its_own():
    draws = np.random.default_rng(0)
    X = draws.normal(size=(100, 6))
    y = draws.poisson(np.exp(X[:, 0] - 0.5 * X[:, 3]))
    selector = SequentialSelector(PoissonRegressor(), method="SFS", n_features_to_select=2, cv=3).fit(X, y)
    theirs = [cross_val_score(PoissonRegressor(), X[:, selector.subsets_[k].features], y, cv=3).mean() for k in (1, 2)]
    np.testing.assert_array_equal(selector.cv_results_["mean_test_score"], theirs)
    assert [selector.subsets_[k].value for k in (1, 2)] == pytest.approx(theirs, abs=1e-3)
    assert selector.criterion_.deviates
