"""Estimators are given arrays, which are fast, and dataframes where they may look at names."""

from __future__ import annotations

import warnings
from functools import wraps

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.ensemble import BaggingRegressor, HistGradientBoostingRegressor, VotingRegressor
from sklearn.linear_model import Lasso
from sklearn.metrics import make_scorer, r2_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from sweepless import Dataset, SequentialSelector
from sweepless.criteria import EstimatorCriterion
from sweepless.criteria.column_names import needs_frame

DRAWS = np.random.default_rng(0)
X = DRAWS.normal(size=(40, 4))
Y = X[:, 1] - X[:, 2] + 0.1 * DRAWS.normal(size=40)
FRAME = pd.DataFrame(X, columns=list("abcd"))


class Foreign(Lasso):
    pass


@pytest.fixture
def forms(monkeypatch):
    """Record in which form data reach `fit`."""
    seen = set()
    fit = Lasso.fit

    @wraps(fit)  # metadata routing reads the signature
    def recorded(self, X, y, *args):
        seen.add(type(X))
        return fit(self, X, y, *args)

    monkeypatch.setattr(Lasso, "fit", recorded)
    return seen


@pytest.mark.parametrize("frame", [FRAME, pl.DataFrame(X, schema=list("abcd"))], ids=["pandas", "polars"])
def test_arrays_reach_estimators_that_ask_for_no_names(frame, forms):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        by_name = SequentialSelector(Lasso(0.1), method="SFS", n_features_to_select=2).fit(frame, Y)
    assert forms == {np.ndarray}
    plain = SequentialSelector(Lasso(0.1), method="SFS", n_features_to_select=2).fit(X, Y)
    assert by_name.get_feature_names_out().tolist() == ["b", "c"]
    assert by_name.subsets_[2].value == pytest.approx(plain.subsets_[2].value, abs=1e-12)


def test_dataframes_reach_estimators_of_others(forms):
    SequentialSelector(Foreign(0.1), method="SFS", n_features_to_select=2).fit(FRAME, Y)
    assert forms == {pd.DataFrame}


def looks(estimator, X, y):
    return float("a" in X.columns)


@pytest.mark.parametrize(
    ("estimator", "scoring", "frame"),
    [
        (make_pipeline(StandardScaler(), Lasso()), "r2", FRAME),
        (BaggingRegressor(VotingRegressor([("one", Lasso())])), make_scorer(r2_score), FRAME),
        (GridSearchCV(Lasso(), {"alpha": [0.1, 1.0]}), None, FRAME.assign(e=1, f=True)),
        (Lasso(), None, FRAME.astype("Float64")),
        (Lasso(), None, FRAME.astype({"a": np.float32})),
        (HistGradientBoostingRegressor(categorical_features=[0]), None, FRAME),
    ],
)
def test_who_is_content_with_an_array(estimator, scoring, frame):
    assert not needs_frame(frame, estimator, scoring)


@pytest.mark.parametrize(
    ("estimator", "scoring", "frame"),
    [
        (Foreign(), None, FRAME),
        (make_pipeline(StandardScaler(), Foreign()), None, FRAME),
        (VotingRegressor([("one", Lasso()), ("two", make_pipeline(Foreign()))]), None, FRAME),
        (GridSearchCV(make_pipeline(Lasso()), {"lasso": [Lasso(), Foreign()]}), None, FRAME),
        (make_pipeline(ColumnTransformer([("s", StandardScaler(), make_column_selector("a"))]), Lasso()), None, FRAME),
        (make_pipeline(FunctionTransformer(lambda X: X + len(X.columns)), Lasso()), None, FRAME),
        (HistGradientBoostingRegressor(categorical_features=["a"]), None, FRAME),
        (HistGradientBoostingRegressor(categorical_features=np.array(["a"])), None, FRAME),
        (HistGradientBoostingRegressor(monotonic_cst={"a": 1}), None, FRAME),
        (GridSearchCV(Lasso(), {"alpha": [0.1, 1.0]}, scoring=looks), None, FRAME),
        (Lasso(), looks, FRAME),
        (Lasso(), None, FRAME.assign(e=pd.Categorical([0, 1] * 20))),
        (Lasso(), None, pl.DataFrame({"a": X[:, 0], "b": ["1"] * 40})),
    ],
)
def test_who_may_look_at_names(estimator, scoring, frame):
    assert needs_frame(frame, estimator, scoring)


@pytest.mark.parametrize(
    "estimator", [Lasso(0.01), make_pipeline(StandardScaler(), Lasso(0.01)), HistGradientBoostingRegressor(max_iter=5)]
)
def test_values_are_those_of_the_dataframe(estimator):
    mixed = FRAME.assign(e=np.arange(40) % 3, f=X[:, 1] > 0, g=X[:, 2].astype(np.float32))
    theirs = cross_val_score(estimator, mixed.iloc[:, [1, 4, 5, 6]], Y, cv=3).mean()
    ours = EstimatorCriterion(estimator).bind(Dataset(mixed, Y)).evaluate([1, 4, 5, 6])
    assert ours == pytest.approx(theirs, abs=1e-12)
