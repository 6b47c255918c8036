"""Linear models with a smooth loss: recognized, with the values of a converged estimator by many scores."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.datasets import make_classification
from sklearn.linear_model import GammaRegressor, HuberRegressor, LogisticRegression, PoissonRegressor
from sklearn.metrics import d2_pinball_score, make_scorer
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import LinearSVC

from sweepless import Dataset
from sweepless.selectors.native import choose_criterion
from sweepless.testing import check_criterion
from tests.scikit_learn import known

DRAWS = np.random.default_rng(0)
CONVERGED = {"tol": 1e-10, "max_iter": 20_000}
LOGISTIC = LogisticRegression(solver="newton-cholesky", **CONVERGED)
MACHINE = LinearSVC(random_state=0, **CONVERGED)


def made(n_classes):
    X, y = make_classification(
        120, 8, n_informative=5, n_redundant=1, n_classes=n_classes, class_sep=0.7, random_state=1
    )
    return X * 10.0 ** np.linspace(-1, 1, 8) + 3.0, y


TWO, THREE = made(2), made(3)
COUNTS = TWO[0], np.random.default_rng(2).poisson(np.exp(0.2 * TWO[0][:, 3]))
SIZES = TWO[0], COUNTS[1] + 0.5
POISSON, GAMMA = (kind(solver="newton-cholesky", tol=1e-10) for kind in (PoissonRegressor, GammaRegressor))


def chosen_for(estimator, data, cv, scoring=None):
    X, y = data
    return choose_criterion(estimator, Dataset(X, y), scoring=scoring, splits=list(cv.split(X, y)))


@pytest.mark.parametrize(
    ("estimator", "data", "scoring"),
    [
        *((LOGISTIC, TWO, name) for name in ("accuracy", "f1", "roc_auc", "average_precision", "neg_log_loss")),
        *((LOGISTIC, THREE, name) for name in known(["balanced_accuracy", "roc_auc_ovr", "neg_brier_score"], 3)),
        *((make_pipeline(StandardScaler(), MACHINE), TWO, name) for name in (None, "roc_auc", "matthews_corrcoef")),
        *((make_pipeline(StandardScaler(), MACHINE), THREE, name) for name in (None, "f1_weighted", "top_k_accuracy")),
        (make_pipeline(MinMaxScaler(), LOGISTIC), THREE, "f1_macro"),
        (LogisticRegression(penalty="l2", solver="newton-cg", **CONVERGED), TWO, None),
    ],
)
@pytest.mark.filterwarnings("ignore:'penalty' was deprecated")
@pytest.mark.parametrize("cv", [StratifiedKFold(3), ShuffleSplit(2, random_state=0)], ids=["folds", "splits"])
def test_values_are_those_of_the_converged_estimator(estimator, data, scoring, cv):
    chosen = chosen_for(estimator, data, cv, scoring)
    assert chosen.is_native
    cursor = chosen.criterion.bind(Dataset(*data))
    for size in (1, 4):
        members = np.sort(DRAWS.choice(8, size, replace=False))
        expected = cross_val_score(estimator, data[0][:, members], data[1], cv=cv, scoring=scoring).mean()
        assert cursor.evaluate(members) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize(
    ("estimator", "data", "scoring"),
    [
        *((POISSON, COUNTS, name) for name in (None, "r2", "neg_mean_absolute_error", "neg_mean_poisson_deviance")),
        *((GAMMA, SIZES, name) for name in (None, "neg_mean_squared_error", "neg_mean_gamma_deviance")),
        (make_pipeline(StandardScaler(), POISSON), COUNTS, None),
    ],
)
@pytest.mark.parametrize("cv", [KFold(3), ShuffleSplit(2, random_state=0)], ids=["folds", "splits"])
def test_numbers_are_those_of_the_converged_estimator(estimator, data, scoring, cv):
    chosen = chosen_for(estimator, data, cv, scoring)
    assert chosen.is_native
    assert chosen.deviates
    assert "values at the optimum" in chosen.reason
    cursor = chosen.criterion.bind(Dataset(*data))
    for members in ([3], [1, 3, 4, 6]):
        expected = cross_val_score(estimator, data[0][:, members], data[1], cv=cv, scoring=scoring).mean()
        assert cursor.evaluate(members) == pytest.approx(expected, rel=1e-7, abs=1e-8)


@pytest.mark.parametrize("scoring", [None, "neg_median_absolute_error", "neg_max_error", make_scorer(d2_pinball_score)])
@pytest.mark.parametrize("cv", [KFold(3), ShuffleSplit(2, random_state=0)], ids=["folds", "splits"])
def test_huber_regression_is_near_its_estimator_by_any_score(scoring, cv):
    estimator = make_pipeline(StandardScaler(), HuberRegressor(tol=1e-12, max_iter=1000))
    chosen = chosen_for(estimator, SIZES, cv, scoring)
    assert chosen.is_native
    assert chosen.deviates
    cursor = chosen.criterion.bind(Dataset(*SIZES))
    for members in ([3], [1, 3, 4, 6]):
        expected = cross_val_score(estimator, SIZES[0][:, members], SIZES[1], cv=cv, scoring=scoring).mean()
        assert cursor.evaluate(members) == pytest.approx(expected, abs=1e-4)


def test_huge_predictions_are_left_to_the_estimator():
    X, y = COUNTS[0][:60].copy(), COUNTS[1][:60]
    X[50, 0] = 60.0
    splits = [(np.delete(np.arange(60), [49, 50, 51]), np.array([49, 50, 51]))]
    estimator = PoissonRegressor(alpha=1e-6, solver="newton-cholesky", tol=1e-6)
    chosen = choose_criterion(estimator, Dataset(X, y), splits=splits, scoring="neg_mean_absolute_error")
    expected = cross_val_score(estimator, X[:, [0]], y, cv=splits, scoring="neg_mean_absolute_error")[0]
    assert np.isnan(chosen.criterion.criterion.bind(Dataset(X, y)).evaluate([0]))
    assert chosen.criterion.bind(Dataset(X, y)).evaluate([0]) == expected


def test_sparse_data_have_the_values_of_dense_ones():
    X, y = TWO
    X = np.where(np.abs(X - 3.0) > 1.0, X, 0.0)
    splits = list(StratifiedKFold(3).split(X, y))
    values = [
        choose_criterion(LOGISTIC, Dataset(each, y), splits=splits).criterion.bind(Dataset(each, y)).evaluate([1, 5])
        for each in (X, sparse.csc_matrix(X))
    ]
    assert values[0] == values[1]


@pytest.mark.parametrize("estimator", [LogisticRegression(), make_pipeline(StandardScaler(), LinearSVC())])
def test_whatever_is_chosen_is_a_function_of_the_set(estimator):
    X, y = TWO[0][:50].round(), TWO[1][:50]
    chosen = chosen_for(estimator, (X, y), StratifiedKFold(2), "roc_auc")
    check_criterion(chosen.criterion, Dataset(X, y), n_rounds=2)


@pytest.mark.parametrize(
    ("estimator", "data", "scoring", "reason"),
    [
        (LinearSVC(multi_class="crammer_singer"), THREE, None, "`multi_class='crammer_singer'` is not computed"),
        (LogisticRegression(solver="liblinear"), THREE, None, "liblinear takes two classes only"),
        *(
            (LogisticRegression(), TWO, name, f"the score {name} is not computed natively")
            for name in known(["d2_log_loss_score"])
        ),
        (LinearSVC(), TWO, "neg_log_loss", "LinearSVC has no predict_proba"),
        (LogisticRegression(), (TWO[0].astype(np.float32), TWO[1]), None, "computes on float32 with fewer digits"),
        (HuberRegressor(epsilon=1.0), SIZES, None, "with `epsilon=1` the scale shrinks to nothing"),
        (HuberRegressor(max_iter=50), SIZES, None, "let it stop far from the optimum"),
        (PoissonRegressor(alpha=0.0), COUNTS, None, "without a penalty there may be no optimum"),
        (PoissonRegressor(max_iter=5), COUNTS, None, "let it stop far from the optimum"),
        (PoissonRegressor(), COUNTS, "neg_max_error", "the score neg_max_error is not computed natively"),
        (PoissonRegressor(), (TWO[0], COUNTS[1] - 1), None, "the target holds numbers that the loss does not take"),
        (GammaRegressor(), COUNTS, None, "the target holds numbers that the loss does not take"),
        (PoissonRegressor(), (TWO[0], np.arange(120) // 40), None, "the target is constant in a fold"),
    ],
)
def test_what_is_not_native_has_a_reason(estimator, data, scoring, reason):
    cv = StratifiedKFold(3) if is_classifier(estimator) else KFold(3)
    assert reason in chosen_for(estimator, data, cv, scoring).reason
