"""Least squares without a grid: the same bits next door, no value where rounding would decide."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from sweepless import Dataset
from sweepless.criteria.estimator import EstimatorCriterion
from sweepless.criteria.fallback import Fallback
from sweepless.criteria.folds import Split
from sweepless.criteria.linear.least_squares import LeastSquares
from sweepless.errors import DataError, InputError
from sweepless.journal.describe import described
from sweepless.testing import check_criterion
from tests.reference.cases import knn_cases
from tests.reference.moves import from_scratch, neighbors, wander

CASES = knn_cases(n_samples=24, n_features=6)
FOLDS = np.arange(24) % 3


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(
    "criterion",
    [
        LeastSquares(score="accuracy", folds=FOLDS),
        LeastSquares(score="accuracy", folds=FOLDS, class_weight="balanced"),
        LeastSquares(1.0),
        LeastSquares(1.0, sample_weight=np.arange(24) % 5),
        LeastSquares(0.0, False),
    ],
)
def test_neighbours_have_the_bits_of_the_definition(name, criterion):
    X, labels = CASES[name]
    target = labels if criterion.score == "accuracy" else np.random.default_rng(0).normal(size=len(X))
    cursor = criterion.bind(Dataset(X, target))
    for _ in wander(cursor, 12, np.random.default_rng(1)):
        for direction, pool in neighbors(cursor):
            np.testing.assert_array_equal(cursor.peek(direction, pool), from_scratch(cursor, direction, pool))


def test_collinear_features_have_no_value_but_with_a_penalty():
    draws = np.random.default_rng(2)
    X = draws.normal(size=(40, 4))
    X = np.column_stack([X, X[:, 0] + X[:, 1]])
    data = Dataset(X, X[:, 0] + draws.normal(size=40))
    assert np.isnan(LeastSquares().bind(data).evaluate([0, 1, 4]))
    assert np.isfinite(LeastSquares().bind(data).evaluate([0, 1, 2]))
    assert np.isfinite(LeastSquares(alpha=1.0).bind(data).evaluate([0, 1, 4]))


def test_what_has_no_value_is_settled_by_the_other_criterion():
    draws = np.random.default_rng(3)
    X = draws.normal(size=(30, 4))
    X = np.column_stack([X, X[:, 3] * 2.0, np.full(30, 0.1)])
    data = Dataset(X, X[:, 0] + draws.normal(size=30))
    settled = Fallback(LeastSquares(), EstimatorCriterion(LinearRegression(), cv=3))
    cursor, slow = settled.bind(data), EstimatorCriterion(LinearRegression(), cv=3).bind(data)
    assert cursor.evaluate([3, 4]) == slow.evaluate([3, 4])
    assert cursor.evaluate([0, 3]) == LeastSquares().bind(data).evaluate([0, 3]) == pytest.approx(slow.evaluate([0, 3]))
    subsets = [np.array([0]), np.array([3, 4]), np.array([1, 2])]
    assert cursor.evaluate_many(subsets).tolist() == [cursor.evaluate(members) for members in subsets]
    check_criterion(settled, data, n_rounds=5)


def test_a_constant_target_is_predicted_wholly_or_not_at_all():
    draws = np.random.default_rng(4)
    X = draws.normal(size=(20, 3))
    y = np.where(np.arange(20) < 5, 1.0, draws.normal(size=20))
    assert LeastSquares(folds=Split(range(5, 20), range(5))).bind(Dataset(X, y)).evaluate([0, 1]) == 0.0


def test_weights_are_part_of_the_criterion():
    assert repr(LeastSquares(folds=2)) == "LeastSquares(alpha=0.0, fit_intercept=True, folds=2, score='r2')"
    assert repr(LeastSquares(sample_weight=[1, 2])).endswith("score='r2', sample_weight=(2 weights))")
    assert LeastSquares(sample_weight=[1, 2]) != LeastSquares(sample_weight=[1, 3])
    descriptions = [described(LeastSquares(sample_weight=one)) for one in (np.ones(50), np.arange(50.0), None)]
    assert descriptions[0] != descriptions[1] != descriptions[2]


def test_invalid_arguments_and_data_are_refused():
    with pytest.raises(InputError, match="`alpha` must be a finite number of at least 0, got -1"):
        LeastSquares(alpha=-1)
    with pytest.raises(InputError, match="`score` must be scikit-learn's name of a score of numbers"):
        LeastSquares(score="mae")
    with pytest.raises(DataError, match="every fold of data must hold samples"):
        LeastSquares(folds=5).bind(Dataset(np.eye(3), np.arange(3.0)))
    with pytest.raises(InputError, match="`class_weight` must be None for a score of numbers, got 'balanced'"):
        LeastSquares(class_weight="balanced")
    with pytest.raises(InputError, match="`sample_weight` must be a finite number of at least 0 for each sample"):
        LeastSquares(sample_weight=[1.0, -1.0])
    with pytest.raises(DataError, match="a weight for each of the 3 samples of data, got 2"):
        LeastSquares(sample_weight=[1.0, 1.0]).bind(Dataset(np.eye(3), np.arange(3.0)))
    with pytest.raises(DataError, match="must be positive somewhere in every training part of data, got zeros"):
        LeastSquares(sample_weight=[1.0, 0.0, 0.0]).bind(Dataset(np.eye(3), np.arange(3.0)))
