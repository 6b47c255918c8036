"""Where native arithmetic and the estimator's might part: ties, singular values cut off, features far from zero."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import KFold, LeaveOneOut, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from sklearn.svm import SVC

from sweepless import Dataset
from sweepless.selectors.far import far_features
from sweepless.selectors.native import choose_criterion
from sweepless.testing import check_criterion
from tests.scikit_learn import VERSION

DRAWS = np.random.default_rng(0)
X = DRAWS.normal(size=(200, 5))
Y = X[:, 0] + X[:, 1] + 0.3 * DRAWS.normal(size=200)


def difference(estimator, X, y, splits, members):
    """Return how far the native value is from that of cross-validation."""
    data = Dataset(X, y)
    chosen = choose_criterion(estimator, data, splits=splits, native=True)
    theirs = cross_val_score(estimator, X[:, members], y, cv=splits).mean()
    return abs(chosen.criterion.bind(data).evaluate(members) - theirs)


@pytest.mark.skipif(VERSION < (1, 7), reason="LinearRegression has `tol` from scikit-learn 1.7 on")
@pytest.mark.parametrize("tol", [1e-6, 1e-3, 0.97, 2.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_singular_values_that_the_estimator_cuts_off(tol, fit_intercept):
    estimator = LinearRegression(tol=tol, fit_intercept=fit_intercept)
    splits = list(KFold(5).split(X))
    for scale in (1.0, 1e3, 1e6, 1e9):
        scaled = X * np.array([scale, 1.0, 1.0, 1.0, 1.0])
        for members in ([0], [0, 1], [1, 2, 3], [0, 1, 2, 3, 4]):
            assert difference(estimator, scaled, Y, splits, members) <= 1e-12


def test_well_scaled_features_need_no_estimator():
    data = Dataset(X * np.array([1e3, 1.0, 2.0, 1.0, 1.0]), Y)
    chosen = choose_criterion(LinearRegression(), data, splits=list(KFold(5).split(X)), native=True)
    assert np.isfinite(chosen.criterion.criterion.bind(data).evaluate([0, 1, 2, 3, 4]))


@pytest.mark.parametrize("estimator", [LinearRegression(), Ridge(), Ridge(solver="svd"), GaussianNB()], ids=repr)
@pytest.mark.parametrize("offset", [1e2, 1e3, 1.1e3, 1e5, 1e8])
def test_features_far_from_zero(estimator, offset):
    y = (Y > 0).astype(int) if isinstance(estimator, GaussianNB) else Y
    splits = list(KFold(4).split(X))
    for members in ([0], [0, 1, 2, 3, 4]):
        assert difference(estimator, X + offset, y, splits, members) <= 1e-12


BY_PRODUCTS = [SVC(), KNeighborsClassifier(3, algorithm="brute"), KNeighborsRegressor(3, algorithm="brute")]


@pytest.mark.parametrize("estimator", [*BY_PRODUCTS, make_pipeline(MaxAbsScaler(), BY_PRODUCTS[1])], ids=repr)
@pytest.mark.parametrize("offset", [1e3, 1.1e3, 1e7])
def test_distances_from_products_far_from_zero(estimator, offset):
    y = Y if isinstance(estimator, KNeighborsRegressor) else (Y > 0).astype(int)
    far = X + np.array([offset, 0.0, 0.0, offset, offset])
    splits = list(KFold(4).split(X))
    for members in ([0], [0, 1, 2, 3, 4]):
        assert difference(estimator, far, y, splits, members) <= 1e-12


def test_only_subsets_with_a_far_feature_are_left_to_the_estimator():
    far = Dataset(X[:40] + np.array([0.0, 1e5, 0.0, 900.0, 0.0]), (Y[:40] > 0).astype(int))
    splits = list(KFold(3).split(X[:40]))
    for estimator, aside in ((SVC(), (1,)), (KNeighborsClassifier(1), (1,))):
        chosen = choose_criterion(estimator, far, splits=splits)
        assert chosen.criterion.aside == aside
        assert "a feature whose mean is more than 1,024 deviations from zero" in chosen.reason
        check_criterion(chosen.criterion, far, n_rounds=2)
    for estimator in (KNeighborsClassifier(1, algorithm="kd_tree"), make_pipeline(StandardScaler(), BY_PRODUCTS[1])):
        assert not getattr(choose_criterion(estimator, far, splits=splits).criterion, "aside", ())


def test_a_constant_is_held_against_the_others():
    ones = np.ones(200)
    assert far_features(Dataset(np.column_stack([X, 3.7 * ones]))).tolist() == []
    assert far_features(Dataset(np.column_stack([X, 1e6 * ones]))).tolist() == [5]
    assert far_features(Dataset(sparse.csc_matrix(np.column_stack([X, 1e6 + X[:, 0]])))).tolist() == [5]


def test_a_target_far_from_zero_is_for_the_estimator():
    splits = list(KFold(4).split(X))
    for estimator in (LinearRegression(), KNeighborsRegressor()):
        reason = choose_criterion(estimator, Dataset(X, Y + 1e5), splits=splits).reason
        assert "the mean of the target is more than 1,024 deviations from zero" in reason
        assert difference(estimator, X, Y + 1e3, splits, [0, 1, 2]) <= 1e-12


@pytest.mark.parametrize("splitter", [StratifiedKFold(2), StratifiedKFold(4), LeaveOneOut()], ids=repr)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_ties_of_naive_bayes_are_settled_by_the_estimator(splitter):
    for seed in range(12):
        draws = np.random.default_rng(seed)
        y = draws.permutation(np.arange(12) % 2)
        binary = draws.integers(0, 2, (12, 3)).astype(float)
        splits = list(splitter.split(binary, y))
        for members in ([0], [0, 1], [0, 1, 2]):
            assert difference(GaussianNB(), binary, y, splits, members) <= 1e-12


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_left_to_the_estimator_depends_on_the_subset_only():
    draws = np.random.default_rng(7)
    binary = draws.integers(0, 2, (16, 6)).astype(float)
    labels = draws.permutation(np.arange(16) % 2)
    splits = list(StratifiedKFold(4).split(binary, labels))
    data = Dataset(binary, labels)
    check_criterion(choose_criterion(GaussianNB(), data, splits=splits).criterion, data, n_rounds=4)
    wide = Dataset(X[:40] * np.array([1e4, 1.0, 1e-3, 1.0, 1e2]) + np.array([0.0, 2e3, 0.0, 900.0, 0.0]), Y[:40])
    chosen = choose_criterion(LinearRegression(), wide, splits=list(KFold(3).split(X[:40])))
    check_criterion(chosen.criterion, wide, n_rounds=4)
