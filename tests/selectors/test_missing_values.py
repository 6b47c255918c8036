"""NaN in X is taken where the estimator takes it, and refused with a sentence elsewhere."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from scipy import sparse
from sklearn.datasets import load_wine
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from threadpoolctl import threadpool_limits

from sweepless import Dataset, SequentialSelector, run
from sweepless.criteria import KNN, EstimatorCriterion, FunctionCriterion

X, Y = load_wine(return_X_y=True)
X, Y = X[::2, :5], Y[::2]
HOLES = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)


class Imputing(Pipeline):
    """A pipeline that tells, where scikit-learn's own does not, that its first step takes missing values."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


STEPS = [("imputer", SimpleImputer()), ("bayes", GaussianNB())]
ESTIMATORS = [
    TREE,
    Imputing(STEPS),
    KNeighborsClassifier(metric="nan_euclidean"),
]
QUICK = {"method": "SFS", "n_features_to_select": 2, "cv": 2}


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
def test_the_same_features_as_scikit_learn(estimator):
    theirs = SequentialFeatureSelector(estimator, n_features_to_select=2, cv=2).fit(HOLES, Y)
    ours = SequentialSelector(estimator, **QUICK).fit(HOLES, Y)
    assert ours.get_support().tolist() == theirs.get_support().tolist()
    assert not ours.criterion_.is_native
    np.testing.assert_array_equal(ours.transform(HOLES), theirs.transform(HOLES))


def test_a_plain_pipeline_takes_what_its_first_step_takes():
    plain = SequentialSelector(make_pipeline("passthrough", *[step for _, step in STEPS]), **QUICK).fit(HOLES, Y)
    assert plain.get_support().tolist() == SequentialSelector(Imputing(STEPS), **QUICK).fit(HOLES, Y).support_.tolist()
    with pytest.raises(ValueError, match="Input X contains NaN"):
        SequentialSelector(make_pipeline(GaussianNB()), **QUICK).fit(HOLES, Y)


def test_boosting_takes_them_too():
    estimator = HistGradientBoostingClassifier(max_iter=2, min_samples_leaf=5)
    with threadpool_limits(1):
        selector = SequentialSelector(estimator, **QUICK | {"n_features_to_select": 1}).fit(HOLES[:, :2], Y)
    assert selector.n_features_ == 1


@pytest.mark.parametrize("estimator", [*ESTIMATORS, LogisticRegression(), None], ids=lambda one: type(one).__name__)
def test_tags_follow_the_estimator(estimator):
    expected = estimator is not None and get_tags(estimator).input_tags.allow_nan
    assert get_tags(SequentialSelector(estimator)).input_tags.allow_nan is expected


@pytest.mark.parametrize("estimator", [None, LogisticRegression(), GaussianNB()], ids=lambda one: type(one).__name__)
def test_estimators_that_do_not_take_them_refuse(estimator):
    with pytest.raises(ValueError, match="Input X contains NaN"):
        SequentialSelector(estimator, **QUICK).fit(HOLES, Y)


def test_infinity_is_refused():
    with pytest.raises(ValueError, match="contains infinity"):
        SequentialSelector(TREE, **QUICK).fit(np.where(np.isnan(HOLES), np.inf, HOLES), Y)


def test_a_scaler_passes_them_on_and_the_estimator_behind_it_says_so():
    frame = pd.DataFrame(HOLES, columns=list("abcde"))
    model = make_pipeline(StandardScaler(), KNeighborsClassifier())
    with pytest.raises(RuntimeError, match=r"^Pipeline raised ValueError on subset \{0: 'a'\}: .*contains NaN"):
        SequentialSelector(model, **QUICK).fit(frame, Y)
    with pytest.raises(ValueError, match="got Pipeline: the data have missing values"):
        SequentialSelector(model, native=True, **QUICK).fit(frame, Y)
    assert SequentialSelector(model, native=True, **QUICK).fit(X, Y).criterion_.is_native


def test_frames_audits_groups_costs_and_workers():
    frame = pd.DataFrame(HOLES, columns=list("abcde"))
    plain = SequentialSelector(TREE, **QUICK).fit(frame, Y)
    with parallel_config("threading"):
        parallel = SequentialSelector(TREE, n_jobs=2, **QUICK).fit(frame, Y)
    assert parallel.get_support().tolist() == plain.get_support().tolist()
    options = {"feature_groups": [["a", "b"]], "feature_costs": {"c": 0.01}, "audit": KFoldOnce()}
    assert SequentialSelector(TREE, **QUICK, **options).fit(frame, Y).audit_results_["audited"].shape == (2,)
    filled = make_pipeline(SimpleImputer(), TREE)
    assert SequentialSelector(filled, **QUICK).fit(sparse.csc_matrix(HOLES), Y).n_features_ == 2


class KFoldOnce:
    def split(self, X, y=None, groups=None):
        yield np.arange(0, len(X), 2), np.arange(1, len(X), 2)


def test_priors_refuse_them():
    for prior in ("f", "chi2", "mutual_info"):
        with pytest.raises(ValueError, match=f"^`prior='{prior}'` must have data without missing values"):
            SequentialSelector(TREE, prior=prior, cv=2).fit(HOLES, Y)
    with pytest.raises(ValueError, match="an array of scores"):
        SequentialSelector(TREE, prior="f", cv=2).fit(HOLES, Y)


def test_criteria():
    with pytest.raises(ValueError, match="must be finite, got NaN or infinity at sample 0, feature 2"):
        Dataset(HOLES, Y)
    data = Dataset(HOLES, Y, allow_missing=True)
    assert data.has_missing and data.take([0, 1]).has_missing and not Dataset(X, Y, allow_missing=True).has_missing
    tree = EstimatorCriterion(TREE, cv=2)
    assert run("SFS", tree, data, target=1).value == SequentialSelector(tree, **QUICK_ALONE).fit(HOLES, Y).best_score_
    assert run("SFS", FunctionCriterion(lambda members: -len(members)), data, target=1).value == -1
    with pytest.raises(ValueError, match="must have no missing values for this criterion"):
        run("SFS", KNN(), data)
    with pytest.raises(ValueError, match="must have no missing values for this criterion"):
        SequentialSelector(KNN()).fit(HOLES, Y)
    with pytest.raises(ValueError, match="infinity"):
        Dataset(np.where(np.isnan(HOLES), np.inf, HOLES), Y, allow_missing=True)


QUICK_ALONE = {"method": "SFS", "n_features_to_select": 1}


def test_consensus():
    from sweepless import consensus

    found = consensus(SequentialSelector(TREE, **QUICK), HOLES, Y, n_runs=2, random_state=0)
    assert len(found.features) == 2
