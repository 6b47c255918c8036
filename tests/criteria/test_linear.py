"""Ridge regression by cross-validation: equal to one fit per fold, to scikit-learn, and a function of the set."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier
from sklearn.metrics import r2_score
from sklearn.model_selection import LeaveOneOut, PredefinedSplit, cross_val_predict, cross_val_score

from sweepless import Dataset, Direction
from sweepless.criteria.folds import positional_folds
from sweepless.criteria.linear.ridge import RidgeCriterion
from sweepless.errors import DataError, InputError
from sweepless.testing import check_criterion
from tests.reference.cases import knn_cases
from tests.reference.linear import cross_validated
from tests.reference.moves import require_peeks_by_definition, wander

GRID = 2.0**-26
CASES = knn_cases()
HARD = [
    "binary",
    "constant columns",
    "duplicate columns",
    "classes of one sample",
    "one feature",
    "huge",
    "huge but one",
    "tiny",
    "mixed scales",
    "the last digit of a far offset",
    "offset with few digits left",
]
WAYS = list(product((0.0, 1.0), ("loo", 4), ("r2", "mse", "accuracy", "class_r2")))
FOR_CLASSES = ("accuracy", "class_r2")


def regression(seed=0, n_samples=60, n_features=10):
    draws = np.random.default_rng(seed)
    X = draws.normal(size=(n_samples, n_features)) + draws.normal(size=n_features)
    return X, 3.0 + X[:, :4] @ [1.0, -2.0, 0.5, 0.2] + draws.normal(size=n_samples)


def problem(score, n_classes=3, **options):
    X, y = regression(**options)
    if score not in FOR_CLASSES:
        return X, y
    return X, np.searchsorted(np.quantile(y, np.arange(1, n_classes) / n_classes), y)


def fold_numbers(y, folds, score):
    if folds == "loo":
        return np.arange(len(y))
    return positional_folds(y if score in FOR_CLASSES else np.zeros(len(y)), folds)


def collinear(score):
    X, y = problem(score, n_samples=24)
    X[:, 4] = X[:, 0] - 2 * X[:, 1]
    X[:, 7] = X[:, 2]
    X[:, 8] = 5.0
    X[:, 9] = np.arange(24) == 3  # varies in one fold only
    return X, y


@pytest.mark.parametrize(("alpha", "folds", "score"), WAYS)
def test_values_are_those_of_one_fit_for_every_fold(alpha, folds, score):
    X, y = problem(score)
    cursor = RidgeCriterion(alpha, folds, score).bind(Dataset(X, y))
    draws = np.random.default_rng(1)
    for size in range(1, X.shape[1] + 1):
        members = np.sort(draws.choice(X.shape[1], size, replace=False))
        naive = cross_validated(X, y, members, alpha, fold_numbers(y, folds, score), score)
        assert cursor.evaluate(members) == pytest.approx(naive, abs=GRID * max(1.0, np.var(y)), rel=1e-9)


def r2_of_classes(model, X, y, cv, average):
    outputs = (y[:, None] == np.unique(y)).astype(float)
    predicted = cross_val_predict(model, X, outputs, cv=cv)
    parts = [slice(None)] if isinstance(cv, LeaveOneOut) else [test for _, test in cv.split()]
    return np.mean([r2_score(outputs[part], predicted[part], multioutput=average) for part in parts])


@pytest.mark.parametrize(("alpha", "folds", "score"), WAYS)
def test_values_are_those_of_scikit_learn(alpha, folds, score, monkeypatch):
    for module in ("loo", "folds"):  # the value before it is rounded
        monkeypatch.setattr(f"sweepless.criteria.linear.{module}.snap", lambda value, unit: value)
    X, y = problem(score)
    members = np.array([0, 2, 3, 7])
    model = Ridge(alpha=alpha) if alpha else LinearRegression()
    cv = LeaveOneOut() if folds == "loo" else PredefinedSplit(fold_numbers(y, folds, score))
    if score == "accuracy":
        expected = cross_val_score(RidgeClassifier(alpha=alpha), X[:, members], y, cv=cv).mean()
    elif score == "class_r2":
        expected = r2_of_classes(model, X[:, members], y, cv, "variance_weighted")
    elif score == "mse":
        expected = cross_val_score(model, X[:, members], y, cv=cv, scoring="neg_mean_squared_error").mean()
    elif folds == "loo":
        expected = r2_score(y, cross_val_predict(model, X[:, members], y, cv=cv))
    else:
        expected = cross_val_score(model, X[:, members], y, cv=cv).mean()
    value = RidgeCriterion(alpha, folds, score).bind(Dataset(X, y)).evaluate(members)
    assert value == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("folds", ["loo", 4])
def test_two_classes_are_one_output(folds):
    X, y = problem("accuracy", n_classes=2)
    cv = LeaveOneOut() if folds == "loo" else PredefinedSplit(fold_numbers(y, folds, "accuracy"))
    labels = np.array(["pear", "apple"])[y]
    cursor = RidgeCriterion(2.0, folds, "accuracy").bind(Dataset(X, labels))
    for members in ([0], [1, 5, 8]):
        expected = cross_val_score(RidgeClassifier(alpha=2.0), X[:, members], y, cv=cv).mean()
        assert cursor.evaluate(members) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("folds", ["loo", 4])
def test_what_brings_nothing_changes_nothing(folds):
    X, y = collinear("r2")
    cursor = RidgeCriterion(0.0, folds).bind(Dataset(X, y))
    for members, fewer in (([0, 1, 4], [0, 1]), ([2, 7], [2]), ([3, 8], [3])):
        assert cursor.evaluate(members) == pytest.approx(cursor.evaluate(fewer), abs=1e-6)


@pytest.mark.parametrize(("alpha", "folds", "score"), WAYS)
def test_the_contract_is_kept(alpha, folds, score):
    criterion = RidgeCriterion(alpha, folds, score)
    check_criterion(criterion, Dataset(*problem(score)), n_rounds=3)
    check_criterion(criterion, Dataset(*collinear(score)), n_rounds=2)


@pytest.mark.parametrize("case", HARD)
def test_hard_data_keep_the_contract(case):
    X, labels = CASES[case]
    ways = [way for way in WAYS if way[2] != "class_r2"]
    alpha, folds, score = ways[(5 * HARD.index(case)) % len(ways)]
    y = labels if score in FOR_CLASSES else np.random.default_rng(2).normal(size=len(X))
    check_criterion(RidgeCriterion(alpha, folds, score), Dataset(X, y), n_rounds=2)


@pytest.mark.parametrize(("alpha", "folds", "score"), WAYS)
def test_more_features_than_samples_keep_the_contract(alpha, folds, score):
    X, y = problem(score, n_classes=2, n_samples=9, n_features=12)
    check_criterion(RidgeCriterion(alpha, folds, score), Dataset(X, y), n_rounds=2)


@pytest.mark.parametrize(("folds", "score"), list(product(("loo", 5), ("r2", "accuracy", "class_r2"))))
def test_hundreds_of_moves_leave_no_trace(folds, score):
    X, y = problem(score, n_features=14)
    cursor = RidgeCriterion(0.5, folds, score).bind(Dataset(X, y))
    for step in wander(cursor, 200, np.random.default_rng(6)):
        if step % 20 == 19:
            require_peeks_by_definition(cursor)


@pytest.mark.parametrize(("alpha", "folds", "score"), WAYS)
def test_ordinary_neighbours_are_not_computed_from_scratch(alpha, folds, score, monkeypatch):
    X, y = problem(score, n_samples=200, n_features=60)
    cursor = RidgeCriterion(alpha, folds, score).bind(Dataset(X, y))
    cursor.jump(np.arange(10))
    calls = []
    evaluate = cursor.evaluate
    monkeypatch.setattr(cursor, "evaluate", lambda members: calls.append(1) or evaluate(members))
    cursor.peek(Direction.ADD, np.arange(10, 60))
    cursor.peek(Direction.REMOVE, np.arange(10))
    assert len(calls) <= 3


@pytest.mark.parametrize("score", ["r2", "accuracy"])
def test_blocks_of_candidates_have_the_values_of_all_together(score, monkeypatch):
    X, y = problem(score)
    cursor = RidgeCriterion(1.0, 4, score).bind(Dataset(X, y))
    together = cursor.peek(Direction.ADD, np.arange(10))
    monkeypatch.setattr("sweepless.criteria.linear.folds._BLOCK", 4 * len(X) - 1)
    assert cursor.peek(Direction.ADD, np.arange(10)).tolist() == together.tolist()


def test_sparse_data_have_the_same_values():
    X, y = regression()
    X[X < 0.5] = 0.0
    for folds in ("loo", 3):
        dense, packed = (
            RidgeCriterion(1.0, folds).bind(Dataset(kept(X), y)) for kept in (np.asarray, sparse.csc_matrix)
        )
        assert packed.evaluate([0, 3, 5]) == dense.evaluate([0, 3, 5])


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_validation_fits_once_and_scores_once(alpha):
    members = [6, 0, 1]
    for score in ("r2", "mse", "accuracy", "class_r2"):
        X, y = problem(score, n_samples=90)
        whole = Dataset(X, y)
        train, test = whole.take(np.arange(60)), whole.take(np.arange(60, 90))
        if score in FOR_CLASSES:
            model = RidgeClassifier(alpha=alpha)
        else:
            model = Ridge(alpha=alpha) if alpha else LinearRegression()
        model.fit(X[:60][:, sorted(members)], y[:60])
        expected = model.score(X[60:][:, sorted(members)], y[60:])
        if score == "mse":
            expected = -np.mean((model.predict(X[60:][:, sorted(members)]) - y[60:]) ** 2)
        assert RidgeCriterion(alpha, "loo", score).validate(train, test, members) == pytest.approx(expected, abs=1e-9)


def test_data_that_cannot_be_used_are_refused():
    X, y = regression()
    with pytest.raises(DataError, match="no labels"):
        RidgeCriterion().bind(Dataset(X))
    with pytest.raises(DataError, match="at least two classes, got 1"):
        RidgeCriterion(score="accuracy").bind(Dataset(X, np.zeros(len(X), dtype=int)))
    with pytest.raises(DataError, match="whole numbers or strings"):
        RidgeCriterion(score="accuracy").bind(Dataset(X, y))
    with pytest.raises(
        DataError, match=r"one number per sample, got dtype <U1 .*need a classifier, or score='accuracy'"
    ):
        RidgeCriterion().bind(Dataset(X, np.array(["a", "b"])[np.arange(len(X)) % 2]))
    with pytest.raises(DataError, match=r"must vary, got 2\.0 for every sample"):
        RidgeCriterion().bind(Dataset(X, np.full(len(X), 2.0)))
    with pytest.raises(DataError, match="must vary within each of the 3 folds"):
        RidgeCriterion(folds=3).bind(Dataset(X, np.repeat([1.0, 2.0, 2.0], 20)))
    with pytest.raises(DataError, match="`folds` must be at most the 60 samples of data"):
        RidgeCriterion(folds=61, score="mse").bind(Dataset(X, y))
    with pytest.raises(DataError, match="a feature that varies"):
        RidgeCriterion().bind(Dataset(np.ones_like(X), y))


def test_invalid_arguments_are_refused():
    for wrong in (-1.0, float("inf"), float("nan"), "1", True):
        with pytest.raises(InputError, match="`alpha` must be a finite number of at least 0, got"):
            RidgeCriterion(wrong)
    with pytest.raises(InputError, match="`folds` must be one of loo, got 'lo'"):
        RidgeCriterion(folds="lo")
    with pytest.raises(InputError, match="`folds` must be an integer of at least 2, got 1"):
        RidgeCriterion(folds=1)
    with pytest.raises(InputError, match="`score` must be one of r2, mse, accuracy, class_r2, got 'auc'"):
        RidgeCriterion(score="auc")
