"""Wilks' lambda: equal to the formula, and a function of the set whatever the data."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from sweepless import Dataset, Direction, run
from sweepless.criteria import WilksLambda
from sweepless.criteria.registry import make_criterion
from sweepless.errors import InputError
from sweepless.testing import check_criterion
from tests.criteria.test_gaussian import CASES, HARD, collinear, normal
from tests.reference.discriminant import wilks
from tests.reference.moves import require_peeks_by_definition, wander


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_values_are_those_of_the_formula(n_classes):
    X, codes = normal(n_classes, n_classes=n_classes)
    cursor = WilksLambda(1e-12).bind(Dataset(X, codes))
    draws = np.random.default_rng(1)
    for size in range(1, X.shape[1] + 1):
        members = np.sort(draws.choice(X.shape[1], size, replace=False))
        assert cursor.evaluate(members) == pytest.approx(wilks(X[:, members], codes), abs=2e-8)


@pytest.mark.parametrize("name", [*HARD, "many classes"])
def test_neighbours_have_the_bits_of_the_definition(name):
    cursor = WilksLambda().bind(Dataset(*CASES[name]))
    for _ in wander(cursor, 6, np.random.default_rng(2)):
        require_peeks_by_definition(cursor)


def test_the_contract_is_kept_where_covariances_are_singular():
    for X, codes in (collinear(), normal(1, n_samples=12, n_features=20)):
        check_criterion(WilksLambda(), Dataset(X, codes), n_rounds=3)


def test_features_that_say_nothing_or_everything_have_a_value():
    X, codes = normal()
    X = np.column_stack([X[:, :2], np.full(len(X), 3.0), codes])
    cursor = WilksLambda().bind(Dataset(X, codes))
    assert cursor.evaluate([2]) == 0.0
    assert cursor.evaluate([0, 2]) == cursor.evaluate([0])
    assert cursor.evaluate([3]) == pytest.approx(np.log(1e9), rel=1e-6)


def test_steps_have_the_partial_f_of_an_analysis_of_covariance():
    """F to enter is that of the classes in a regression of the candidate on the members and on the classes."""
    X, codes = normal(4, n_classes=3)
    n, members, candidate = len(X), [1, 5], 7
    cursor = WilksLambda(1e-12).bind(Dataset(X, codes))
    cursor.jump(np.array(members))
    partial = np.exp(cursor.evaluate(members) - cursor.peek(Direction.ADD, [candidate])[0])
    to_enter = (n - 3 - 2) / 2 * (1 - partial) / partial

    def unexplained(columns):
        return np.linalg.lstsq(columns, X[:, candidate])[1][0]

    classes = (codes[:, None] == np.arange(3)).astype(float)
    small = unexplained(np.column_stack([np.ones(n), X[:, members]]))
    large = unexplained(np.column_stack([classes, X[:, members]]))
    assert to_enter == pytest.approx((small - large) / 2 / (large / (n - 5)), rel=1e-5)


def test_a_single_feature_has_the_f_of_an_analysis_of_variance():
    X, codes = normal(5, n_classes=3)
    value = WilksLambda(1e-12).bind(Dataset(X, codes)).evaluate([4])
    anova = stats.f_oneway(*(X[codes == c, 4] for c in range(3))).statistic
    assert (len(X) - 3) / 2 * np.expm1(value) == pytest.approx(anova, rel=1e-6)


def test_it_never_falls_when_a_feature_is_added():
    X, codes = normal(6, n_classes=4)
    values = [step.value for step in run("SFS", WilksLambda(), Dataset(X, codes), target=9).trace]
    assert values == sorted(values)


def test_it_has_a_name_and_refuses_other_arguments():
    assert make_criterion("wilks", {"regularization": 1e-6}) == WilksLambda(1e-6)
    with pytest.raises(InputError, match="`regularization` must be a number from 1e-12 to 1, got 0"):
        WilksLambda(0)
