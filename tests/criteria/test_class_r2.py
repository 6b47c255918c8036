"""R² of ridge regression on classes: one output per class, weighted by variance or alike."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.metrics import r2_score
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from sweepless import Dataset, Direction
from sweepless.criteria.folds import positional_folds
from sweepless.criteria.linear.ridge import RidgeCriterion
from sweepless.errors import DataError, InputError
from sweepless.testing import check_criterion
from tests.reference.cases import knn_cases
from tests.reference.linear import cross_validated
from tests.reference.moves import require_peeks_by_definition

GRID = 2.0**-26
CASES = knn_cases()
WEIGHTS = (None, "balanced")


def uneven(n_samples=50, n_features=9, sizes=(25, 15, 7, 3)):
    draws = np.random.default_rng(3)
    y = draws.permutation(np.repeat(np.arange(len(sizes)), sizes))[:n_samples]
    return draws.normal(size=(len(y), n_features)) + np.eye(len(sizes), n_features)[y], y


@pytest.mark.parametrize(("alpha", "folds", "weight"), list(product((0.0, 5.0), ("loo", 3), WEIGHTS)))
def test_values_are_those_of_one_fit_for_every_class_and_fold(alpha, folds, weight):
    X, y = uneven()
    numbers = np.arange(len(y)) if folds == "loo" else positional_folds(y, folds)
    cursor = RidgeCriterion(alpha, folds, "class_r2", weight).bind(Dataset(X, y))
    for members in ([0], [1, 4, 8], [0, 1, 2, 3, 5, 6]):
        naive = cross_validated(X, y, members, alpha, numbers, "class_r2", weight)
        assert cursor.evaluate(members) == pytest.approx(naive, abs=GRID)


def test_balanced_classes_have_the_mean_of_their_own_r2():
    X, y = uneven()
    outputs = (y[:, None] == np.arange(4)).astype(float)
    predicted = cross_val_predict(Ridge(2.0), X[:, :5], outputs, cv=LeaveOneOut())
    values = [
        RidgeCriterion(2.0, "loo", "class_r2", weight).bind(Dataset(X, y)).evaluate(np.arange(5)) for weight in WEIGHTS
    ]
    by_variance, alike = (
        r2_score(outputs, predicted, multioutput=how) for how in ("variance_weighted", "uniform_average")
    )
    assert values == pytest.approx([by_variance, alike], abs=GRID)
    assert abs(by_variance - alike) > 0.01


@pytest.mark.parametrize("folds", ["loo", 4])
def test_two_classes_have_the_r2_of_their_numbers(folds):
    X, y = uneven(sizes=(30, 20))
    numbers = positional_folds(y, 4)
    given = folds if folds == "loo" else numbers
    expected = RidgeCriterion(1.0, given, "r2").bind(Dataset(X, 3.0 - 2.0 * y))
    for weight in WEIGHTS:
        cursor = RidgeCriterion(1.0, folds, "class_r2", weight).bind(Dataset(X, np.array(["b", "a"])[y]))
        for members in ([2], [0, 1, 7]):
            assert cursor.evaluate(members) == pytest.approx(expected.evaluate(members), abs=GRID)


@pytest.mark.parametrize(("case", "weight"), list(product(CASES, WEIGHTS)))
def test_hard_data_keep_the_contract(case, weight):
    X, y = CASES[case]
    alpha = 1.0 if weight else 0.0
    check_criterion(RidgeCriterion(alpha, "loo", "class_r2", weight), Dataset(X, y), n_rounds=1)
    if min(np.unique(y, return_counts=True)[1]) > 1:
        check_criterion(RidgeCriterion(alpha, 2, "class_r2", weight), Dataset(X, y), n_rounds=1)


@pytest.mark.parametrize(("folds", "alpha"), list(product(("loo", 2), (0.0, 40.0))))
def test_more_features_than_samples_keep_the_contract(folds, alpha):
    X, y = uneven(n_features=30, sizes=(4, 4, 3))
    check_criterion(RidgeCriterion(alpha, folds, "class_r2", "balanced"), Dataset(X, y), n_rounds=2)


def test_many_classes_are_one_product():
    """Ordinary neighbors are not computed from scratch, however many classes there are."""
    draws = np.random.default_rng(5)
    y = np.arange(200) % 20
    X = draws.normal(size=(200, 60)) + draws.normal(size=(20, 60))[y]
    for folds in ("loo", 4):
        cursor = RidgeCriterion(10.0, folds, "class_r2").bind(Dataset(X, y))
        cursor.jump(np.arange(10))
        calls = []
        evaluate = cursor.evaluate
        cursor.evaluate = lambda members: calls.append(1) or evaluate(members)  # noqa: B023
        cursor.peek(Direction.ADD, np.arange(10, 60))
        cursor.peek(Direction.REMOVE, np.arange(10))
        assert len(calls) <= 3
        cursor.evaluate = evaluate
        require_peeks_by_definition(cursor)


def test_a_class_without_samples_counts_for_nothing():
    X, y = uneven()
    part = np.flatnonzero(y != 2)
    whole = Dataset(X, y).take(part)
    for weight in WEIGHTS:
        criterion = RidgeCriterion(1.0, "loo", "class_r2", weight)
        assert criterion.bind(whole).evaluate([0, 1]) == criterion.bind(Dataset(X[part], y[part])).evaluate([0, 1])


def test_data_that_cannot_be_used_are_refused():
    X, y = uneven()
    with pytest.raises(DataError, match="at least two classes, got 1"):
        RidgeCriterion(score="class_r2").bind(Dataset(X, np.zeros(len(X), dtype=int)))
    with pytest.raises(DataError, match="whole numbers or strings"):
        RidgeCriterion(score="class_r2").bind(Dataset(X, X[:, 0]))
    for folds in (4, 200):  # the smallest class is only in the last fold; most folds are empty
        with pytest.raises(DataError, match=rf"within each of the {folds} folds .* or score='accuracy'"):
            RidgeCriterion(folds=folds, score="class_r2").bind(Dataset(X, (y == 3).astype(int)[:]))
    with pytest.raises(DataError, match="constant or empty fold"):
        RidgeCriterion(folds=(np.arange(50) >= 25).astype(int), score="class_r2").bind(Dataset(X, np.arange(50) // 25))


def test_invalid_weights_are_refused():
    with pytest.raises(InputError, match="`class_weight` must be one of balanced, got 'even'"):
        RidgeCriterion(score="class_r2", class_weight="even")
    with pytest.raises(InputError, match="None for all scores but 'class_r2', got 'r2'"):
        RidgeCriterion(class_weight="balanced")
