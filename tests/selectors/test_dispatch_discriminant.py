"""Discriminant analysis is recognized, and worth what `cross_val_score` of the estimator says."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.covariance import OAS
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Linear
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as Quadratic
from sklearn.model_selection import KFold, LeaveOneOut, RepeatedKFold, ShuffleSplit, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler

from sweepless import Dataset, Direction
from sweepless.errors import CriterionError
from sweepless.selectors.native import choose_criterion
from tests.scikit_learn import VERSION
from tests.selectors.test_dispatch_values import require_same

if VERSION < (1, 9):
    pytest.skip("discriminant analysis is native from scikit-learn 1.9 on", allow_module_level=True)

DRAWS = np.random.default_rng(0)
Y = DRAWS.permutation(np.arange(60) % 3)
X = DRAWS.normal(size=(60, 6)) + 0.6 * DRAWS.normal(size=(3, 6))[Y]
SPLITS = list(StratifiedKFold(3).split(X, Y))
ESTIMATORS = [
    Linear(),
    Linear(priors=[0.2, 0.3, 0.5]),
    Linear(solver="lsqr"),
    Linear(solver="eigen", priors=[0.2, 0.3, 0.5]),
    Linear(solver="lsqr", shrinkage=0.3),
    Linear(solver="eigen", shrinkage="auto"),
    make_pipeline(StandardScaler(), Linear()),
    make_pipeline(RobustScaler(), Linear(solver="lsqr", shrinkage="auto")),
    Quadratic(),
    Quadratic(reg_param=0.1, priors=[0.2, 0.3, 0.5]),
    Quadratic(solver="eigen"),
    Quadratic(solver="eigen", shrinkage=0.3),
    Quadratic(solver="eigen", shrinkage="auto"),
    make_pipeline(StandardScaler(), Quadratic()),
    make_pipeline(MinMaxScaler(), Quadratic(reg_param=0.5)),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
@pytest.mark.parametrize("scoring", [None, "neg_log_loss", "roc_auc_ovr"])
def test_values_are_those_of_cross_validation(estimator, scoring):
    require_same(estimator, X, Y, SPLITS, scoring, n_subsets=2)


@pytest.mark.parametrize("scoring", ["roc_auc", "average_precision", "f1", "neg_log_loss", "neg_brier_score"])
def test_scores_of_two_classes(scoring):
    two = (Y > 0).astype(int)
    for estimator in (Linear(), Linear(solver="eigen", shrinkage=0.2), Quadratic()):
        require_same(estimator, X, two, list(StratifiedKFold(3).split(X, two)), scoring, n_subsets=1)


@pytest.mark.parametrize("estimator", [Linear(), Linear(solver="lsqr"), Quadratic(reg_param=0.1)], ids=repr)
def test_any_splits_and_measured_data(estimator):
    for X, y in (load_iris(return_X_y=True), load_wine(return_X_y=True)):
        for cv in (ShuffleSplit(2, random_state=0), RepeatedKFold(n_splits=2, n_repeats=2, random_state=0)):
            require_same(estimator, X, y, list(cv.split(X, y)), n_subsets=1)
    X, y = load_iris(return_X_y=True)
    require_same(estimator, X[::4], y[::4], list(LeaveOneOut().split(X[::4])), n_subsets=1)


def test_a_class_that_a_training_part_lacks():
    labels = np.repeat([0, 1, 2], 20)
    for estimator in (Linear(), Quadratic(reg_param=0.1)):
        require_same(estimator, X + labels[:, None], labels, list(KFold(3).split(X)), n_subsets=1)


def test_most_subsets_of_ordinary_data_need_no_fit():
    data = Dataset(X, Y)
    for estimator in ESTIMATORS:
        cursor = choose_criterion(estimator, data, splits=SPLITS, native=True).criterion.criterion.bind(data)
        cursor.jump(np.array([1, 4]))
        for direction in Direction:
            assert np.isfinite(cursor.peek(direction, direction.pool(cursor.members))).all()


@pytest.mark.parametrize("estimator", [Quadratic(), Quadratic(reg_param=0.01)], ids=repr)
@pytest.mark.parametrize("scoring", ["neg_log_loss", "roc_auc_ovr", "accuracy"])
def test_scales_of_features_need_no_fit(estimator, scoring):
    scaled = X * 10.0 ** np.array([0.0, 1.5, 0.5, 0.0, 1.0, 2.0])
    require_same(estimator, scaled, Y, SPLITS, scoring, n_subsets=2)
    chosen = choose_criterion(estimator, Dataset(scaled, Y), scoring=scoring, splits=SPLITS)
    cursor = chosen.criterion.criterion.bind(Dataset(scaled, Y))
    cursor.jump(np.array([1, 3, 5]))
    for direction in Direction:
        assert np.isfinite(cursor.peek(direction, direction.pool(cursor.members))).all()


def test_what_the_estimator_refuses_is_its_own_error():
    X_twice = np.column_stack([X, X[:, 0]])
    cursor = choose_criterion(Quadratic(), Dataset(X_twice, Y), splits=SPLITS).criterion.bind(Dataset(X_twice, Y))
    with pytest.raises(CriterionError, match=r"LinAlgError.*is not full rank"):
        cursor.evaluate([0, 6])


@pytest.mark.parametrize(
    ("estimator", "reason"),
    [
        (Linear(n_components=1), "`n_components=1` is not computed natively"),
        (Linear(shrinkage=0.5), "the solver svd does not shrink"),
        (Linear(solver="lsqr", shrinkage=2), "`shrinkage=2` is not computed natively"),
        (Linear(solver="eigen", covariance_estimator=OAS()), "`covariance_estimator=OAS()` is not computed natively"),
        (Linear(priors=[0.5, 0.5, 0.0]), "the priors are not a positive share for each class"),
        (Linear(tol=-1.0), "`tol=-1.0` is not computed natively"),
        (Quadratic(reg_param=2.0), "`reg_param=2.0` is not computed natively"),
        (Quadratic(shrinkage="auto"), "the solver svd does not shrink"),
    ],
    ids=repr,
)
def test_other_parameters_are_left_to_the_estimator(estimator, reason):
    chosen = choose_criterion(estimator, Dataset(X, Y), splits=SPLITS)
    assert not chosen.is_native
    assert reason in chosen.reason


def test_an_older_scikit_learn_is_left_to_itself(monkeypatch):
    monkeypatch.setattr("sweepless.selectors.native_discriminant.versions", lambda: {"scikit-learn": "1.8.2"})
    chosen = choose_criterion(Linear(), Dataset(X, Y), splits=SPLITS)
    assert "scikit-learn estimates covariances otherwise before version 1.9" in chosen.reason


def test_other_data_and_scores_are_left_to_the_estimator():
    for estimator in (Linear(), Quadratic()):
        for given, reason in (
            (sparse.csr_matrix(X), "the estimator treats sparse data in its own way"),
            (X.astype(np.float32), "computes on float32 with fewer digits"),
        ):
            assert reason in choose_criterion(estimator, Dataset(given, Y), splits=SPLITS).reason
    scoring = {"scoring": "average_precision", "splits": SPLITS}
    assert choose_criterion(Linear(), Dataset(X, Y), **scoring).is_native
    own = choose_criterion(Linear(solver="lsqr"), Dataset(X, Y), **scoring).reason
    assert "`solver='lsqr'` ranks samples of more than two classes in its own way" in own
