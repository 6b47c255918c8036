"""Poisson and gamma regression at their optimum: scikit-learn's values, and the same bits next door."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import GammaRegressor, PoissonRegressor
from sklearn.metrics import mean_gamma_deviance, mean_poisson_deviance
from sklearn.model_selection import KFold, cross_val_score

from sweepless import Dataset, Direction
from sweepless.criteria import LogLinearModel, Split
from sweepless.criteria.linear.smooth_fit import Fit, Task
from sweepless.criteria.scores.names import SCORES
from sweepless.criteria.scores.slack import has_slack, slack_of
from sweepless.criteria.value_grid import GRID
from sweepless.errors import DataError, InputError
from sweepless.kernels.linear.losses import GAMMA, POISSON
from sweepless.kernels.scores import gamma_deviances, poisson_deviances
from sweepless.testing import check_criterion
from tests.reference.cases import knn_cases
from tests.reference.moves import from_scratch, neighbors, wander
from tests.reference.smooth_linear import optimum

KERNELS = {"poisson": POISSON, "gamma": GAMMA}
ESTIMATORS = {"poisson": PoissonRegressor, "gamma": GammaRegressor}
CONVERGED = {"solver": "newton-cholesky", "tol": 1e-10, "max_iter": 200}
CASES = knn_cases(n_samples=24, n_features=5)
FOLDS = np.arange(24) % 3
SPLIT = Split(np.flatnonzero(FOLDS), np.flatnonzero(FOLDS == 0))


def target(loss, means, seed=0):
    draws = np.random.default_rng(seed)
    return draws.poisson(means).astype(float) if loss == "poisson" else draws.gamma(2.0, means / 2.0)


def made(loss, n_samples=120, n_features=8, level=1.0):
    draws = np.random.default_rng(3)
    Z = draws.normal(size=(n_samples, n_features))
    y = target(loss, level * np.exp(0.5 * Z[:, 0] - 0.3 * Z[:, 1 % n_features] + 1.0))
    return Z * 10.0 ** np.linspace(-1, 1, n_features) + 3.0, y


def keeps_the_law(criterion, X, y, n_moves):
    cursor = criterion.bind(Dataset(X, y))
    for _ in wander(cursor, n_moves, np.random.default_rng(1)):
        for direction, pool in neighbors(cursor):
            np.testing.assert_array_equal(cursor.peek(direction, pool), from_scratch(cursor, direction, pool))


@pytest.mark.parametrize("level", [1.0, 50.0])
@pytest.mark.parametrize("loss", KERNELS)
@pytest.mark.parametrize(
    ("alpha", "intercept", "score"),
    [
        *((0.1, True, score) for score in ("d2", "r2", "neg_mean_squared_error", "neg_mean_absolute_error")),
        *((0.1, True, score) for score in ("neg_mean_poisson_deviance", "neg_mean_gamma_deviance")),
        (10.0, True, "d2_absolute_error_score"),
        (1e-3, False, "neg_root_mean_squared_error"),
    ],
)
def test_values_are_those_of_a_converged_estimator(loss, alpha, intercept, score, level):
    X, y = made(loss, level=level)
    if score == "neg_mean_gamma_deviance":
        y = y + 1.0
    cursor = LogLinearModel(loss, alpha, 4, score, intercept).bind(Dataset(X, y))
    theirs = ESTIMATORS[loss](alpha=alpha, fit_intercept=intercept, **CONVERGED)
    for members in ([4], [0, 2, 5], np.arange(8)):
        scoring = None if score == "d2" else score
        expected = cross_val_score(theirs, X[:, members], y, cv=KFold(4), scoring=scoring).mean()
        assert cursor.evaluate(members) == pytest.approx(expected, abs=GRID * max(1.0, np.var(y)))


@pytest.mark.parametrize("level", [1.0, 1e5])
@pytest.mark.parametrize("loss", KERNELS)
def test_an_optimum_is_as_near_as_it_says(loss, level):
    X, y = made(loss, level=level)
    X = np.column_stack([np.ones(len(y)), X - X.mean(axis=0)])
    penalties = np.append(0.0, np.linspace(0.1, 2.0, 8))
    task = Task(KERNELS[loss], y, np.ones(len(y)), 1)
    fit = Fit(task, np.ascontiguousarray(X.T), penalties)
    with np.errstate(over="ignore"):
        expected = optimum(loss, X, y, 1.0, penalties)
    assert fit.is_sound
    assert np.all(np.abs(fit.outputs[0] - X @ expected) <= fit.errors(X.T.copy()) + 1e-11)
    assert fit.errors(X.T.copy()).max() < 1e-9
    np.testing.assert_allclose(task.bends(fit.slopes)[0], fit.curvatures, rtol=1e-6)


@pytest.mark.parametrize(
    ("function", "metric"), [(poisson_deviances, mean_poisson_deviance), (gamma_deviances, mean_gamma_deviance)]
)
def test_deviances_are_those_of_the_metric(function, metric):
    draws = np.random.default_rng(6)
    actual, predicted = draws.gamma(1.0, 2.0, 40), draws.gamma(1.0, 2.0, (3, 40)) + 1e-3
    if metric is mean_poisson_deviance:
        actual = np.floor(actual)
    expected = [40.0 * metric(actual, row) for row in predicted]
    np.testing.assert_allclose(function(actual, predicted), expected, rtol=1e-13)
    for wrong in (0.0, -1.0, np.nan, np.inf):
        predicted[1, 7] = wrong
        assert np.isnan(function(actual, predicted)).tolist() == [False, True, False]
    actual[3] = -1.0
    assert np.isnan(function(actual, predicted)).all()


@pytest.mark.parametrize("name", [name for name, score in SCORES.items() if has_slack(score)])
def test_no_score_moves_by_more_than_its_slack(name):
    draws = np.random.default_rng(7)
    actual = draws.gamma(1.0, 2.0, 15)
    value, slack = SCORES[name].bind(actual, np.empty(0)), slack_of(SCORES[name], actual)
    predicted, share = draws.gamma(1.0, 2.0, (400, 15)), 10.0 ** draws.uniform(-6, 0, (400, 1))
    predicted[::2] = actual * (1.0 + share[::2] * draws.normal(size=(200, 15)) ** 2)
    moved = predicted * (1.0 + share) ** draws.choice([-1.0, 1.0], (400, 15))
    bound = slack(actual, predicted, share * predicted)
    assert np.all(np.abs(value(moved) - value(predicted)) <= bound * (1.0 + 1e-9) + 1e-12)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(
    "criterion",
    [
        LogLinearModel(folds=FOLDS, alpha=0.1),
        LogLinearModel("gamma", 1e-3, FOLDS, "neg_mean_absolute_error"),
        LogLinearModel("gamma", folds=SPLIT, fit_intercept=False, score="neg_mean_squared_error"),
    ],
    ids=["poisson", "weak penalty", "gamma"],
)
def test_neighbours_have_the_bits_of_the_definition(name, criterion):
    X, labels = CASES[name]
    codes = np.unique(labels, return_inverse=True)[1]
    keeps_the_law(criterion, X, target(criterion.loss, 1.5 + codes, seed=2), 2)


@pytest.mark.parametrize("seed", range(6))
def test_features_that_nearly_repeat_keep_the_law(seed):
    draws = np.random.default_rng(seed)
    X = draws.normal(size=(60, 4)) + 100.0 * draws.normal(size=4)
    X[:, 3] = X[:, 0] + 10.0 ** draws.uniform(-8, 0) * X[:, 3]
    loss = list(KERNELS)[seed % 2]
    criterion = LogLinearModel(loss, 10.0 ** draws.uniform(-6, 1), 2, fit_intercept=seed % 3 > 0)
    keeps_the_law(criterion, X, target(loss, 10.0 ** draws.uniform(-1, 4, 60)), 4)


@pytest.mark.parametrize("loss", KERNELS)
def test_the_contract_is_kept(loss):
    check_criterion(LogLinearModel(loss, 0.1, 3), Dataset(*made(loss, 60)), n_rounds=3)


@pytest.mark.parametrize("loss", KERNELS)
def test_more_features_than_samples_and_a_single_feature(loss):
    X, y = made(loss, 30, 60)
    cursor = LogLinearModel(loss, folds=3).bind(Dataset(X, y))
    cursor.jump(np.arange(40))
    pool = np.arange(40, 60)
    np.testing.assert_array_equal(cursor.peek(Direction.ADD, pool), from_scratch(cursor, Direction.ADD, pool))
    keeps_the_law(LogLinearModel(loss, folds=3), X[:, :1], y, 2)


@pytest.mark.parametrize("loss", KERNELS)
def test_nearly_all_neighbours_are_proven_without_a_fit(loss):
    cursor = LogLinearModel(loss, 0.01).bind(Dataset(*made(loss, 300, 30)))
    cursor.jump([0, 1, 7])
    asked = []
    cursor.evaluate = lambda members: asked.append(members) or 0.0
    cursor.peek(Direction.ADD, np.setdiff1d(np.arange(30), [0, 1, 7]))
    assert len(asked) <= 3


def test_a_prediction_beyond_all_numbers_has_no_value():
    X, y = made("poisson", 60, 2)
    X[50, 0] = 1e6
    split = Split(np.delete(np.arange(60), [49, 50, 51]), [49, 50, 51])
    cursor = LogLinearModel(alpha=1e-9, folds=split).bind(Dataset(X, y))
    assert np.isnan(cursor.evaluate([0]))
    assert np.isfinite(cursor.evaluate([1]))
    assert np.isnan(cursor.peek(Direction.ADD, np.array([0]))[0])


def test_a_holdout_is_scored_by_a_fit_to_all_of_the_rest():
    X, y = made("gamma")
    train, test = Dataset(X[:80], y[:80]), Dataset(X[80:], y[80:])
    fitted = GammaRegressor(alpha=0.1, **CONVERGED).fit(X[:80, [0, 4]], y[:80])
    expected = fitted.score(X[80:, [0, 4]], y[80:])
    assert LogLinearModel("gamma", 0.1).validate(train, test, np.array([4, 0])) == pytest.approx(expected, abs=1e-9)


def test_invalid_arguments_and_data_are_refused():
    with pytest.raises(InputError, match="`loss` must be one of poisson, gamma, got 'huber'"):
        LogLinearModel("huber")
    with pytest.raises(InputError, match="`alpha` must be"):
        LogLinearModel(alpha=0.0)
    with pytest.raises(InputError, match="`score` must be d2, r2, a squared or absolute error or a mean deviance, got"):
        LogLinearModel(score="neg_max_error")
    X = np.random.default_rng(0).normal(size=(6, 2))
    for loss, y in (("poisson", [1, 2, -1, 2, 3, 4]), ("gamma", [1, 2, 0, 2, 3, 4]), ("poisson", [2] * 6)):
        with pytest.raises(DataError, match="the target of data must vary, be"):
            LogLinearModel(loss, folds=2).bind(Dataset(X, y))
    with pytest.raises(DataError, match="every fold of data must leave a positive target to train on"):
        LogLinearModel(folds=2).bind(Dataset(X, [0, 0, 0, 1, 2, 3]))
    with pytest.raises(DataError, match="which must vary for score='d2'"):
        LogLinearModel(folds=2).bind(Dataset(X, [1, 1, 1, 1, 2, 3]))
