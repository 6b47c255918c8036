"""Native criteria are worth what `cross_val_score` of the estimator says, on every kind of subset and split."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.svm import SVC

from sweepless import Dataset, Direction
from sweepless.selectors.native import choose_criterion

CLASSES = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer}


def awkward(X):
    """Add a constant, a duplicate, a multiple, and a column that varies in one sample only."""
    rare = np.zeros(len(X))
    rare[-1] = 1.0
    return np.column_stack([X, np.full(len(X), 3.7), X[:, 0], 2.0 * X[:, 1], rare])


def data_of(name):
    if name == "random":
        draws = np.random.default_rng(3)
        X = draws.normal(size=(60, 12))
        return awkward(X), X[:, 0] - X[:, 3] + draws.normal(size=60)
    X, y = load_diabetes(return_X_y=True) if name == "diabetes" else CLASSES[name](return_X_y=True)
    return awkward(X), y


def require_same(estimator, X, y, splits, scoring=None, n_subsets=3, tolerance=1e-12, params=None):
    """Compare subsets from scratch, and the neighbors of one subset, with cross-validation."""
    data = Dataset(X, y)
    chosen = choose_criterion(estimator, data, scoring=scoring, splits=splits, fit_params=params)
    assert chosen.is_native, chosen.reason
    cursor = chosen.criterion.bind(data)
    draws = np.random.default_rng(X.size)
    n_features = X.shape[1]

    def theirs(members):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return cross_val_score(estimator, X[:, members], y, cv=splits, scoring=scoring, params=params).mean()

    for _ in range(n_subsets):
        members = np.sort(draws.permutation(n_features)[: draws.integers(1, n_features + 1)])
        assert cursor.evaluate(members) == pytest.approx(theirs(members), abs=tolerance, rel=tolerance)
    cursor.jump(np.sort(draws.permutation(n_features)[: n_features // 2]))
    for direction in Direction:
        pool = direction.pool(cursor.members)[:: max(1, n_features // 4)]
        for candidate, value in zip(pool, cursor.peek(direction, pool), strict=True):
            members = np.flatnonzero(direction.applied(cursor.members, candidate))
            assert value == pytest.approx(theirs(members), abs=tolerance, rel=tolerance)


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize(
    "estimator",
    [
        GaussianNB(),
        GaussianNB(var_smoothing=1e-2),
        make_pipeline(StandardScaler(), GaussianNB()),
        make_pipeline(RobustScaler(), MinMaxScaler(), GaussianNB()),
        MultinomialNB(),
        MultinomialNB(alpha=0.1, fit_prior=False),
        RidgeClassifier(),
        RidgeClassifier(alpha=0.1, fit_intercept=False),
        make_pipeline(StandardScaler(), RidgeClassifier()),
        SVC(),
        SVC(C=10.0, gamma="auto"),
        SVC(class_weight="balanced"),
        make_pipeline(StandardScaler(), SVC(class_weight="balanced", C=3.0)),
        make_pipeline(StandardScaler(), SVC(gamma=0.1)),
        make_pipeline(MaxAbsScaler(), SVC(C=30.0)),
    ],
    ids=repr,
)
def test_classifiers(estimator, name):
    X, y = data_of(name)
    require_same(estimator, X, y, list(StratifiedKFold(3).split(X, y)))


@pytest.mark.parametrize(
    "estimator",
    [
        KNeighborsClassifier(1),
        KNeighborsClassifier(4, algorithm="brute"),
        KNeighborsClassifier(3, p=1),
        KNeighborsClassifier(5, weights="distance"),
        make_pipeline(StandardScaler(), KNeighborsClassifier(4, p=1, weights="distance")),
        KNeighborsClassifier(2, metric="manhattan", algorithm="ball_tree"),
        KNeighborsClassifier(1, metric="euclidean", algorithm="kd_tree"),
        make_pipeline(StandardScaler(), KNeighborsClassifier(1)),
        make_pipeline(MinMaxScaler((-1, 2)), KNeighborsClassifier(5)),
        make_pipeline(StandardScaler(with_mean=False), RobustScaler(with_scaling=False), KNeighborsClassifier(1)),
        make_pipeline(RobustScaler(quantile_range=(10, 80), unit_variance=True), KNeighborsClassifier(1)),
        make_pipeline("passthrough", KNeighborsClassifier(1)),
    ],
    ids=repr,
)
@pytest.mark.parametrize("name", CLASSES)
def test_neighbours_where_no_two_are_equally_near(estimator, name):
    X, y = CLASSES[name](return_X_y=True)
    X = X + 1e-2 * X.std(axis=0) * np.random.default_rng(0).normal(size=X.shape)
    X = np.column_stack([X, np.full(len(X), 3.7)])
    data = Dataset(X, y)
    splits = list(StratifiedKFold(4, shuffle=True, random_state=1).split(X, y))
    cursor = choose_criterion(estimator, data, splits=splits, native=True).criterion.bind(data)
    draws = np.random.default_rng(1)
    for _ in range(6):  # never the constant alone: there everything is equally near
        members = np.sort(draws.permutation(X.shape[1] - 1)[: draws.integers(1, X.shape[1])])
        members = np.append(members, X.shape[1] - 1)
        theirs = cross_val_score(estimator, X[:, members], y, cv=splits).mean()
        assert cursor.evaluate(members) == pytest.approx(theirs, abs=1e-12)


def test_equally_near_samples_go_by_row():
    X = np.array([[0.0], [2.0], [1.0], [1.0]])
    y = np.array([1, 0, 0, 1])
    data = Dataset(X, y)
    chosen = choose_criterion(KNeighborsClassifier(1), data, splits=[([0, 1], [2, 3])], native=True)
    assert chosen.criterion.bind(data).evaluate([0]) == 0.5  # row 0 is nearer than row 1, at the same distance
    assert "of equally distant samples the lowest row is nearer" in chosen.reason


@pytest.mark.parametrize("scoring", [None, "neg_mean_squared_error", "neg_root_mean_squared_error"])
@pytest.mark.parametrize(
    "estimator",
    [
        LinearRegression(),
        LinearRegression(fit_intercept=False),
        Ridge(),
        Ridge(alpha=1e-3, solver="svd"),
        Ridge(alpha=0, fit_intercept=False),
        make_pipeline(StandardScaler(), Ridge(solver="cholesky")),
        make_pipeline(MinMaxScaler(), LinearRegression()),
    ],
    ids=repr,
)
@pytest.mark.parametrize("name", ["diabetes", "random"])
def test_regressors(estimator, name, scoring):
    X, y = data_of(name)
    require_same(estimator, X, y, list(KFold(4).split(X)), scoring)


@pytest.mark.parametrize("scoring", [None, "neg_mean_squared_error", "neg_root_mean_squared_error"])
@pytest.mark.parametrize(
    "estimator",
    [
        KNeighborsRegressor(),
        KNeighborsRegressor(2, p=1),
        make_pipeline(StandardScaler(), KNeighborsRegressor(3)),
        KNeighborsRegressor(weights="distance"),
        KNeighborsRegressor(30, weights="distance"),
        KNeighborsRegressor(3, p=1, weights="distance", algorithm="brute"),
    ],
    ids=repr,
)
def test_neighbour_regression(estimator, scoring):
    draws = np.random.default_rng(4)
    X = draws.normal(size=(70, 9))
    require_same(estimator, X, X[:, 0] + draws.normal(size=70), list(KFold(3).split(X)), scoring)


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree", "auto"])
def test_neighbours_at_no_distance_or_hardly_any(algorithm):
    draws = np.random.default_rng(14)
    X = np.repeat(draws.normal(size=(24, 18)), 3, axis=0)
    X[::3] += 1e-7 * draws.normal(size=(24, 18))
    for k, y in ((2, draws.integers(0, 2, 72)), (4, draws.normal(size=72))):
        y[2::3] = y[1::3]  # whichever of two equal samples is nearer
        kind = KNeighborsClassifier if k == 2 else KNeighborsRegressor
        estimator = kind(k, weights="distance", algorithm=algorithm)
        require_same(estimator, X, y, list(KFold(4, shuffle=True, random_state=0).split(X)), n_subsets=5)


def test_more_features_than_samples():
    draws = np.random.default_rng(5)
    X = draws.normal(size=(24, 40))
    y = X[:, 0] + draws.normal(size=24)
    for estimator in (LinearRegression(), Ridge(), make_pipeline(StandardScaler(), Ridge(alpha=0.1))):
        require_same(estimator, X, y, list(KFold(3).split(X)))


@pytest.mark.parametrize(
    "cv",
    [
        KFold(7, shuffle=True, random_state=0),
        LeaveOneOut(),
        GroupKFold(4),
        PredefinedSplit([0, 1, -1, 2, 1, 0, 2, 1, -1, 0] * 3),
        ShuffleSplit(4, train_size=0.4, test_size=0.2, random_state=0),
        RepeatedKFold(n_splits=3, n_repeats=2, random_state=0),
        TimeSeriesSplit(3),
    ],
    ids=lambda cv: type(cv).__name__,
)
@pytest.mark.parametrize(
    "estimator",
    [
        KNeighborsClassifier(2),
        make_pipeline(StandardScaler(), KNeighborsClassifier(1)),
        GaussianNB(),
        MultinomialNB(),
        RidgeClassifier(),
        make_pipeline(StandardScaler(), SVC()),
    ],
    ids=repr,
)
def test_any_splits(estimator, cv):
    draws = np.random.default_rng(6)
    y = draws.permutation(np.arange(30) % 3)
    X = np.abs(draws.normal(size=(30, 6)) + 0.4 * y[:, None])
    groups = np.arange(30) // 7 if isinstance(cv, GroupKFold) else None
    require_same(estimator, X, y, list(cv.split(X, y, groups)), n_subsets=2)


def test_a_class_that_a_training_part_lacks():
    draws = np.random.default_rng(7)
    y = np.repeat([0, 1, 2], 20)
    X = np.abs(draws.normal(size=(60, 5)) + y[:, None])
    splits = list(KFold(3).split(X))  # every fold tests one class, trained on the others
    for estimator in (KNeighborsClassifier(3), GaussianNB(), MultinomialNB(), RidgeClassifier(), SVC()):
        require_same(estimator, X, y, splits)
    y = np.where(np.arange(60) % 4 == 3, y, np.minimum(y, 1))
    splits = list(KFold(4).split(X))
    for estimator in (KNeighborsClassifier(3), GaussianNB(), MultinomialNB(), RidgeClassifier(), SVC()):
        require_same(estimator, X, y, splits)


def test_targets_that_are_constant_in_a_fold():
    draws = np.random.default_rng(8)
    X = draws.normal(size=(40, 5))
    y = np.where(np.arange(40) < 10, 2.0, draws.normal(size=40))
    X[:10] = 0.0  # so that least squares without intercept may be right about the constant by chance only
    splits = list(KFold(4).split(X))
    for estimator in (KNeighborsRegressor(2), LinearRegression(), Ridge()):
        require_same(estimator, X + 1e-3 * draws.normal(size=X.shape), y, splits)


def test_given_priors():
    X, y = load_wine(return_X_y=True)
    splits = list(StratifiedKFold(3).split(X, y))
    require_same(GaussianNB(priors=[0.8, 0.1, 0.1]), X, y, splits)
    require_same(MultinomialNB(class_prior=[0.05, 0.05, 0.9]), X, y, splits)


def test_sparse_counts():
    draws = np.random.default_rng(9)
    X = draws.poisson(0.3, size=(80, 20)).astype(float)
    y = draws.integers(0, 3, size=80)
    X[:, 3] += y
    splits = list(StratifiedKFold(4).split(X, y))
    data = Dataset(sparse.csr_matrix(X), y)
    cursor = choose_criterion(MultinomialNB(), data, splits=splits, native=True).criterion.bind(data)
    for members in ([3], [1, 3, 7], list(range(20))):
        theirs = cross_val_score(MultinomialNB(), X[:, members], y, cv=splits).mean()
        assert cursor.evaluate(members) == pytest.approx(theirs, abs=1e-12)


class Bootstrap:
    """Trains on rows drawn with replacement, and tests the others, one of them twice, and one that is trained on."""

    def split(self, X, y):
        draws = np.random.default_rng(11)
        for _ in range(3):
            train = draws.integers(0, len(X), len(X))
            others = np.setdiff1d(np.arange(len(X)), train)
            yield train, np.append(others, [others[0], train[0]])


@pytest.mark.parametrize(
    "estimator",
    [
        KNeighborsClassifier(3),
        make_pipeline(MinMaxScaler(), KNeighborsClassifier(1)),
        GaussianNB(),
        MultinomialNB(),
        make_pipeline(StandardScaler(), RidgeClassifier()),
        LinearDiscriminantAnalysis(),
        SVC(),
    ],
    ids=repr,
)
def test_samples_that_repeat(estimator):
    draws = np.random.default_rng(6)
    y = draws.permutation(np.arange(45) % 3)
    X = np.abs(draws.normal(size=(45, 6)) + 0.4 * y[:, None])
    splits = list(Bootstrap().split(X, y))
    require_same(estimator, X, y, splits, n_subsets=2)
    require_same(estimator, X, y, [*splits[:1], *KFold(3).split(X)], "f1_macro", n_subsets=1)


def test_samples_that_repeat_in_regression():
    draws = np.random.default_rng(12)
    X = draws.normal(size=(50, 8))
    y = X[:, 0] + draws.normal(size=50)
    for estimator in (Ridge(), LinearRegression(), make_pipeline(StandardScaler(), KNeighborsRegressor(3))):
        require_same(estimator, X, y, list(Bootstrap().split(X, y)), n_subsets=2)


def test_sparse_counts_that_repeat():
    draws = np.random.default_rng(9)
    X, y = draws.poisson(0.5, size=(60, 8)).astype(float), np.arange(60) % 2
    splits = list(Bootstrap().split(X, y))
    data = Dataset(sparse.csr_array(X), y)
    cursor = choose_criterion(MultinomialNB(), data, splits=splits, native=True).criterion.bind(data)
    theirs = cross_val_score(MultinomialNB(), X[:, [1, 3, 7]], y, cv=splits).mean()
    assert cursor.evaluate([1, 3, 7]) == pytest.approx(theirs, abs=1e-12)


WEIGHTS = {
    "real": lambda n: np.random.default_rng(13).exponential(size=n),
    "whole, also zero": lambda n: np.arange(n) % 4,
    "far apart": lambda n: 10.0 ** (np.arange(n) % 7),
}


@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize(
    "estimator",
    [
        LinearRegression(),
        Ridge(),
        Ridge(0.1, fit_intercept=False),
        make_pipeline(StandardScaler(), Ridge()),
        RidgeClassifier(),
        RidgeClassifier(class_weight="balanced"),
        GaussianNB(),
        MultinomialNB(),
    ],
    ids=repr,
)
def test_weighted_samples(estimator, kind):
    X, y = data_of("random")
    classifies = is_classifier(estimator)
    y = np.digitize(y, [-1.0, 1.0]) if classifies else y
    X = np.abs(X[:, 8:]) if isinstance(estimator, MultinomialNB) else X
    X = np.rint(X) if isinstance(estimator, MultinomialNB) and kind == "far apart" else X  # so that sums keep digits
    name = "ridge__sample_weight" if hasattr(estimator, "steps") else "sample_weight"
    weights = {name: WEIGHTS[kind](len(y))}
    require_same(estimator, X, y, list(KFold(3).split(X)), n_subsets=2, params=weights)
    splits = list(Bootstrap().split(X, y))
    scoring = "neg_log_loss" if hasattr(estimator, "predict_proba") else None
    require_same(estimator, X, y, splits, scoring, n_subsets=1, params=weights)
