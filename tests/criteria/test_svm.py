"""Support vector machines: the same kernel from scratch and next door, and scikit-learn's accuracies."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC

from sweepless import Dataset, Direction
from sweepless.criteria.folds import positional_folds
from sweepless.criteria.svm import SVM
from sweepless.errors import DataError, InputError
from sweepless.testing import check_criterion
from tests.reference.cases import knn_cases
from tests.reference.moves import from_scratch, neighbors, wander

CASES = knn_cases(n_samples=24, n_features=5)


@pytest.mark.parametrize("name", ["ordinary", "binary", "classes of one sample", "many classes", "one feature", "huge"])
def test_j_is_a_function_of_the_set(name):
    check_criterion(SVM(folds=2), Dataset(*CASES[name]), n_rounds=1)


def test_weighted_classes_keep_the_contract():
    check_criterion(SVM(folds=2, class_weight=[1.0, 5.0]), Dataset(*CASES["ordinary"]), n_rounds=1)


@pytest.mark.parametrize("name", CASES)
def test_kernels_do_not_remember_the_path(name, monkeypatch):
    kernels = []

    def keep(criterion, kernel, fold):
        kernels.append(kernel)
        return 0.0

    monkeypatch.setattr(SVM, "value", keep)
    data = Dataset(*CASES[name])
    draws = np.random.default_rng(0)
    for criterion in (SVM(), SVM(gamma=0.7)):
        cursor = criterion.bind(data)
        for step in wander(cursor, 20, draws):
            for direction, pool in neighbors(cursor) if step % 4 == 0 else ():
                kernels.clear()
                cursor.peek(direction, pool)
                peeked = kernels.copy()
                kernels.clear()
                from_scratch(cursor, direction, pool)
                assert len(peeked) == len(kernels) > 0
                assert all(np.array_equal(a, b) for a, b in zip(peeked, kernels, strict=True))


@pytest.mark.parametrize(
    "options", [{}, {"gamma": 0.05, "C": 3.0}, {"C": 0.2, "class_weight": "balanced"}, {"gamma": "auto"}]
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_scikit_learn_agrees(options, n_classes):
    draws = np.random.default_rng(1)
    y = draws.permutation(np.minimum(np.arange(150) % 5, n_classes - 1))
    X = draws.normal(size=(150, 12)) * np.linspace(0.2, 2.0, 12) + 0.6 * y[:, None]
    folds = positional_folds(y, 4)
    splits = [(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(4)]
    cursor = SVM(folds=4, **options).bind(Dataset(X, y))
    cursor.jump([1, 3, 4, 8])
    for direction in Direction:
        pool = direction.pool(cursor.members)
        for feature, value in zip(pool, cursor.peek(direction, pool), strict=True):
            members = np.flatnonzero(direction.applied(cursor.members, feature))
            theirs = cross_val_score(SVC(**options), X[:, members], y, cv=splits)
            assert value == pytest.approx(theirs.mean(), abs=1e-15)


def test_validation_is_one_pooled_holdout():
    draws = np.random.default_rng(2)
    y = np.arange(90) % 3
    X = draws.normal(size=(90, 6)) + 0.7 * y[:, None]
    members = np.array([4, 0, 3])
    ours = SVM(C=2.0).validate(Dataset(X[:50], y[:50]), Dataset(X[50:], y[50:]), members)
    assert ours == SVC(C=2.0).fit(X[:50][:, members], y[:50]).score(X[50:][:, members], y[50:])


def test_a_class_never_trained_on_is_never_right():
    train = Dataset([[0.0], [1.0], [8.0], [9.0]], ["a", "a", "b", "b"])
    test = Dataset([[0.0], [9.0], [9.0]], ["a", "c", "b"])
    assert SVM().validate(train, test, np.array([0])) == 2 / 3


def test_empty_folds_count_zero():
    X = np.arange(4.0)[:, None] * [1, 2]
    assert SVM(folds=5).bind(Dataset(X, [0, 0, 1, 1])).evaluate([0, 1]) <= 2 / 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"C": 0}, "`C` must be a positive number of at most 1e100, got 0."),
        ({"gamma": "narrow"}, "`gamma` must be scale, auto or a positive number, got 'narrow'."),
        ({"gamma": -1.0}, "`gamma` must be a positive number of at most 1e100, got -1.0."),
        ({"folds": 1}, "`folds` must be an integer of at least 2, got 1."),
        (
            {"class_weight": (1.0, -1.0)},
            "`class_weight` must be None, balanced or a positive weight for each class, got (1.0, -1.0).",
        ),
    ],
)
def test_invalid_arguments_are_refused(arguments, message):
    with pytest.raises(InputError) as caught:
        SVM(**arguments)
    assert str(caught.value) == message


def test_data_that_cannot_be_classified_are_refused():
    with pytest.raises(DataError, match="at least two classes, got 1"):
        SVM().bind(Dataset(np.eye(6), np.zeros(6, dtype=int)))
    with pytest.raises(DataError, match="a weight for each of the 2 classes of data, got 3"):
        SVM(class_weight=(1.0, 2.0, 3.0)).bind(Dataset(np.eye(6), np.arange(6) % 2))
