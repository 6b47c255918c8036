"""Whatever is chosen, J is a function of the set."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import RobustScaler, StandardScaler
from sklearn.svm import SVC

from sweepless import Dataset, Direction
from sweepless.selectors.native import choose_criterion
from sweepless.selectors.scaled import ScaledDataset
from sweepless.testing import check_criterion

N = 24
DRAWS = np.random.default_rng(2)
LABELS = DRAWS.permutation(np.arange(N) % 3)
X = np.abs(DRAWS.normal(size=(N, 5)) + 0.5 * LABELS[:, None])
X = np.column_stack([X, np.full(N, 0.1), X[:, 2]])  # a constant, a duplicate
SPLITTERS = [KFold(3, shuffle=True, random_state=0), ShuffleSplit(2, random_state=0)]


@pytest.mark.parametrize("cv", SPLITTERS, ids=lambda cv: type(cv).__name__)
@pytest.mark.parametrize(
    "estimator",
    [
        KNeighborsClassifier(1),
        make_pipeline(RobustScaler(), KNeighborsClassifier(3)),
        KNeighborsClassifier(3, weights="distance", algorithm="brute"),
        KNeighborsRegressor(2),
        KNeighborsRegressor(4, weights="distance"),
        make_pipeline(StandardScaler(), KNeighborsRegressor(2)),
        GaussianNB(),
        make_pipeline(StandardScaler(), GaussianNB()),
        MultinomialNB(),
        SVC(),
        make_pipeline(StandardScaler(), SVC()),
        LinearRegression(),
        make_pipeline(StandardScaler(), Ridge(0.3)),
        RidgeClassifier(),
    ],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_j_is_a_function_of_the_set(estimator, cv):
    predicts_numbers = "Regress" in repr(estimator) or "Ridge(" in repr(estimator)
    data = Dataset(X, X[:, 0] + DRAWS.normal(size=N) if predicts_numbers else LABELS)
    chosen = choose_criterion(estimator, data, splits=list(cv.split(X)), native=True)
    check_criterion(chosen.criterion, data, n_rounds=1 if "SVC" in repr(estimator) else 4)


@pytest.mark.parametrize("estimator", [KNeighborsClassifier(3), make_pipeline(RobustScaler(), GaussianNB())], ids=repr)
def test_j_is_a_function_of_the_set_where_samples_repeat(estimator):
    data, train = Dataset(X, LABELS), DRAWS.integers(0, N, N)
    chosen = choose_criterion(estimator, data, splits=[(train, np.arange(N))], native=True)
    check_criterion(chosen.criterion, data, n_rounds=4)


def test_a_scaled_view_does_not_remember_in_which_company_columns_came():
    data = Dataset(X, LABELS)
    scalers = (StandardScaler(), RobustScaler())
    train = np.arange(3, 20)
    alone, together = ScaledDataset(data, scalers, train), ScaledDataset(data, scalers, train)
    block = together.columns(np.arange(7))
    for feature in reversed(range(7)):
        assert np.array_equal(alone.columns([feature])[0], block[feature])
    theirs = make_pipeline(*scalers).fit(X[train]).transform(X)
    np.testing.assert_allclose(block.T, theirs, rtol=1e-15, atol=1e-15)


def test_threads_do_not_change_the_values_of_machines():
    data = Dataset(X, LABELS)
    splits = list(SPLITTERS[0].split(X))
    values = []
    for n_jobs in (1, 2):
        cursor = choose_criterion(SVC(), data, splits=splits, n_jobs=n_jobs, native=True).criterion.bind(data)
        cursor.jump([0, 3])
        values.append(cursor.peek(Direction.ADD, np.array([1, 2, 4, 6])))
    assert np.array_equal(*values)
