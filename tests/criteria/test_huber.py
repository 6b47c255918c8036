"""Huber regression at its optimum: scikit-learn's values, and the same bits next door."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import HuberRegressor
from sklearn.model_selection import KFold, cross_val_score

from sweepless import Dataset, Direction
from sweepless.criteria import HuberModel, Split
from sweepless.errors import DataError, InputError
from sweepless.testing import check_criterion
from tests.reference.cases import knn_cases
from tests.reference.moves import from_scratch, neighbors, wander
from tests.reference.smooth_linear import huber_optimum

CASES = knn_cases(n_samples=24, n_features=5)
FOLDS = np.arange(24) % 3
SPLIT = Split(np.flatnonzero(FOLDS), np.flatnonzero(FOLDS == 0))
CONVERGED = {"tol": 1e-12, "max_iter": 100_000}


def made(n_samples=120, n_features=8, seed=3):
    draws = np.random.default_rng(seed)
    Z = draws.normal(size=(n_samples, n_features))
    return Z * np.linspace(0.5, 2.0, n_features) + 3.0, Z[:, 0] - 0.5 * Z[:, -1] + draws.standard_t(2, n_samples)


def keeps_the_law(criterion, X, y, n_moves):
    cursor, n_values = criterion.bind(Dataset(X, y)), 0
    for _ in wander(cursor, n_moves, np.random.default_rng(1)):
        for direction, pool in neighbors(cursor):
            values = cursor.peek(direction, pool)
            np.testing.assert_array_equal(values, from_scratch(cursor, direction, pool))
            n_values += np.count_nonzero(np.isfinite(values))
    return n_values


@pytest.mark.parametrize("wild", [1.0, 1e3])
@pytest.mark.parametrize(
    ("epsilon", "alpha", "intercept", "score"),
    [
        *((1.35, 1e-4, True, score) for score in ("r2", "neg_mean_squared_error", "neg_median_absolute_error")),
        (1.1, 1e-4, True, "neg_max_error"),
        (1.1, 30.0, True, "neg_mean_absolute_error"),
        (2.5, 0.0, True, "explained_variance"),
        (1.35, 1e-4, False, "neg_root_mean_squared_error"),
    ],
)
def test_values_are_those_of_a_converged_estimator(epsilon, alpha, intercept, score, wild):
    X, y = made()
    y[[5, 77]] *= wild
    cursor = HuberModel(epsilon, alpha, 4, score, intercept).bind(Dataset(X, y))
    theirs = HuberRegressor(epsilon=epsilon, alpha=alpha, fit_intercept=intercept, **CONVERGED)
    for members in ([4], [0, 2, 5], np.arange(8)):
        expected = cross_val_score(theirs, X[:, members], y, cv=KFold(4), scoring=score).mean()
        assert cursor.evaluate(members) == pytest.approx(expected, rel=1e-3, abs=1e-4)  # its solver stops short


@pytest.mark.parametrize("seed", range(8))
def test_predictions_are_those_of_the_optimum(seed):
    draws = np.random.default_rng(seed)
    X, y = made(40, 4, seed)
    y[:2] += 10.0 ** draws.uniform(0, 6)
    epsilon, alpha = 1.1 + draws.exponential(), 10.0 ** draws.uniform(-4, 1)
    train, test = np.arange(35), np.arange(35, 40)
    w, _ = huber_optimum(np.column_stack([np.ones(35), X[:35]]), y[:35], epsilon, np.append(0.0, np.full(4, alpha)))
    expected = -np.max(np.abs(y[35:] - w[0] - X[35:] @ w[1:]))
    cursor = HuberModel(epsilon, alpha, Split(train, test), "neg_max_error").bind(Dataset(X, y))
    assert cursor.evaluate(np.arange(4)) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(
    "criterion",
    [
        HuberModel(folds=FOLDS),
        HuberModel(1.1, 1.0, FOLDS, "neg_mean_absolute_error"),
        HuberModel(3.0, 0.0, SPLIT, "neg_median_absolute_error", False),
    ],
    ids=["plain", "penalty", "no intercept"],
)
def test_neighbours_have_the_bits_of_the_definition(name, criterion):
    X, labels = CASES[name]
    codes = np.unique(labels, return_inverse=True)[1]
    y = codes + np.random.default_rng(2).standard_t(2, len(codes))
    keeps_the_law(criterion, X, y, 2)
    keeps_the_law(criterion, X, np.rint(2.0 * y), 2)


@pytest.mark.parametrize("seed", range(12))
def test_features_that_nearly_repeat_keep_the_law(seed):
    draws = np.random.default_rng(seed)
    X = draws.normal(size=(60, 4)) + 100.0 * draws.normal(size=4)
    X[:, 3] = X[:, 0] + 10.0 ** draws.uniform(-8, 0) * X[:, 3]
    X[7] *= 10.0 ** draws.uniform(0, 1.5)
    y = X[:, 1] + draws.standard_t(1, 60)
    criterion = HuberModel(1.0 + draws.exponential(), 10.0 ** draws.uniform(-6, 1), 2, fit_intercept=seed % 3 > 0)
    assert keeps_the_law(criterion, X, y, 4) > 0


def test_the_contract_is_kept():
    check_criterion(HuberModel(folds=3), Dataset(*made(60)), n_rounds=3)


def test_more_features_than_samples_and_a_single_feature():
    X, y = made(15, 30)
    cursor = HuberModel(alpha=10.0, folds=3).bind(Dataset(X, y))
    cursor.jump(np.arange(20))
    pool = np.arange(20, 30)
    np.testing.assert_array_equal(cursor.peek(Direction.ADD, pool), from_scratch(cursor, Direction.ADD, pool))
    keeps_the_law(HuberModel(folds=3), X[:, :1], y, 2)


def test_nearly_all_neighbours_have_a_value_without_a_second_look():
    cursor = HuberModel().bind(Dataset(*made(300, 30)))
    cursor.jump([0, 1, 7])
    asked = []
    cursor.evaluate = lambda members: asked.append(members) or 0.0
    cursor.peek(Direction.ADD, np.setdiff1d(np.arange(30), [0, 1, 7]))
    assert not asked


def test_what_rounding_would_decide_has_no_value():
    X, y = made(60, 3)
    perfect = HuberModel(folds=3).bind(Dataset(X, X[:, 0] + X[:, 1]))
    assert np.isnan(perfect.evaluate([0, 1]))
    assert np.isfinite(perfect.evaluate([0]))
    twice = HuberModel(folds=3, alpha=0.0).bind(Dataset(np.column_stack([X, X[:, 0]]), y))
    assert np.isnan(twice.evaluate([0, 3]))
    flat = np.append(np.zeros(40), np.arange(20.0))
    assert np.isnan(HuberModel(folds=Split(np.arange(30), np.arange(30, 60))).bind(Dataset(X, flat)).evaluate([0]))


def test_a_holdout_is_scored_by_a_fit_to_all_of_the_rest():
    X, y = made()
    train, test = Dataset(X[:80], y[:80]), Dataset(X[80:], y[80:])
    expected = HuberRegressor(**CONVERGED).fit(X[:80, [0, 4]], y[:80]).score(X[80:, [0, 4]], y[80:])
    assert HuberModel().validate(train, test, np.array([4, 0])) == pytest.approx(expected, abs=1e-4)


def test_invalid_arguments_and_data_are_refused():
    with pytest.raises(InputError, match="`epsilon` must be a finite number greater than 1, got"):
        HuberModel(1.0)
    with pytest.raises(InputError, match="`alpha` must"):
        HuberModel(alpha=-1.0)
    with pytest.raises(InputError, match="`score`"):
        HuberModel(score="accuracy")
    with pytest.raises(DataError, match="every fold of data must hold samples and leave some to train on"):
        HuberModel(folds=3).bind(Dataset([[1.0], [2.0]], [1.0, 3.0]))
