"""Features have names beside their numbers: in the subsets found, and in errors."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_wine
from sklearn.naive_bayes import GaussianNB

from sweepless import Dataset, RankingSelector, SequentialSelector, run
from sweepless.criteria import FunctionCriterion

X, Y = load_wine(return_X_y=True)
X = X[:, :6]
NAMES = ["alcohol", "malic", "ash", "alcalinity", "magnesium", "phenols"]
FRAME = pd.DataFrame(X, columns=NAMES)
QUICK = {"method": "SFS", "n_features_to_select": 2}


@pytest.mark.parametrize("kind", [SequentialSelector, RankingSelector])
def test_subsets_have_the_names_of_their_columns(kind):
    selector = kind(GaussianNB(), n_features_to_select=3).fit(FRAME, Y)
    for found in selector.subsets_.values():
        assert found.names.tolist() == [NAMES[feature] for feature in found.features]
    assert selector.subsets_[3].names.tolist() == selector.get_feature_names_out().tolist()
    assert f"{selector.subsets_[1].names[0]!r}" in repr(selector.subsets_[1])
    again = pickle.loads(pickle.dumps(selector))  # noqa: S301
    assert again.subsets_[3].names.tolist() == selector.subsets_[3].names.tolist()


def test_columns_without_names_are_called_as_scikit_learn_calls_them():
    selector = SequentialSelector(GaussianNB(), **QUICK).fit(X, Y)
    assert selector.subsets_[2].names.tolist() == selector.get_feature_names_out().tolist()
    features, value = selector.subsets_[2]  # as ever
    assert features.tolist() == selector.get_support(indices=True).tolist() and value == selector.best_score_


def test_groups_and_fixed_features_have_the_names_of_columns():
    options = {"fixed_features": ["ash"], "feature_groups": [["alcohol", "malic"]]}
    selector = SequentialSelector(GaussianNB(), **QUICK, **options).fit(FRAME, Y)
    assert selector.subsets_[2].names.tolist() == selector.get_feature_names_out().tolist()


class Fussy(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        raise ValueError("not today")


@pytest.mark.parametrize("X, shown", [(FRAME, r"\{0: 'alcohol'\}"), (X, r"\{0\}")], ids=["frame", "array"])
def test_errors_of_estimators_name_the_columns(X, shown):
    with pytest.raises(RuntimeError, match=rf"^Fussy raised ValueError on subset {shown}: not today"):
        SequentialSelector(Fussy(), **QUICK).fit(X, Y)


def test_errors_of_workers_name_the_columns():
    with (
        parallel_config("threading"),
        pytest.raises(RuntimeError, match=r"^Fussy raised ValueError on subset \{\d: '[a-z]+'\}: not today"),
    ):
        SequentialSelector(Fussy(), n_jobs=2, **QUICK).fit(FRAME, Y)


def test_errors_of_criteria_name_the_columns():
    data = Dataset(FRAME, Y)
    for function in (lambda members: np.nan, lambda members: "good", lambda members: 1 / 0):
        with pytest.raises(RuntimeError, match=r"subset \{0: 'alcohol'\}"):
            run("SFS", FunctionCriterion(function), data)
    with pytest.raises(ValueError, match=r"at sample 1, feature 2 \('ash'\)\.$"):
        Dataset(FRAME.mask(FRAME.iloc[1, 2] == FRAME).fillna(np.inf))


@pytest.mark.parametrize(
    "options, message",
    [
        (
            {"fixed_features": ["ash"], "excluded_features": [2]},
            "^`excluded_features` must not be fixed as well, got feature 2, 'ash'.",
        ),
        (
            {"fixed_features": ["ash"], "feature_groups": [["ash", "malic"]]},
            r"^`fixed_features` must hold all of a group or none of it, got a part of \{1: 'malic', 2: 'ash'\}\.",
        ),
        (
            {"feature_groups": [["ash"], [2, 3]]},
            "^`feature_groups` must hold every feature at most once, got feature 2, 'ash', twice.",
        ),
        ({"feature_groups": [["ash"], []]}, "^`feature_groups` must hold no empty group, got one."),
    ],
)
def test_errors_about_columns_name_them(options, message):
    with pytest.raises(ValueError, match=message):
        SequentialSelector(GaussianNB(), **QUICK, **options).fit(FRAME, Y)
