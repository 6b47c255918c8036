"""Smooth linear models at their optimum: scikit-learn's values, and the same bits next door."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.svm import LinearSVC

from sweepless import Dataset, Direction
from sweepless.criteria import LinearModel, Partition, Split
from sweepless.criteria.linear.smooth_fit import Fit, Task
from sweepless.criteria.scores.outputs import ManyRankScore
from sweepless.errors import DataError, InputError
from sweepless.kernels.linear.losses import LOGISTIC, SQUARED_HINGE
from sweepless.testing import check_criterion
from tests.reference.cases import knn_cases
from tests.reference.moves import from_scratch, neighbors, wander
from tests.reference.smooth_linear import optimum

CASES = knn_cases(n_samples=24, n_features=5)
del CASES["many classes"]  # twelve outputs take long, and three are no different
CASES["a small class"][1][:2] = [0, 1]
del CASES["classes of one sample"]  # no value: a training part holds one class
FOLDS = np.arange(24) % 3
SPLIT = Split(np.flatnonzero(FOLDS), np.flatnonzero(FOLDS == 0))
SVM = {"loss": "squared_hinge", "intercept_scaling": 1.0}
PRECISION = ManyRankScore("average_precision", "precision", "macro")
CONVERGED = {"tol": 1e-10, "max_iter": 10_000}


def made(n_classes, seed=0):
    return make_classification(
        150, 12, n_informative=6, n_redundant=2, n_classes=n_classes, class_sep=0.6, random_state=seed
    )


def partition(splits, n_samples):
    folds = np.empty(n_samples, dtype=int)
    for fold, (_, test) in enumerate(splits):
        folds[test] = fold
    return Partition(folds)


@pytest.mark.parametrize("score", ["accuracy", "f1_macro", "neg_log_loss"])
@pytest.mark.parametrize(
    ("n_classes", "ours", "theirs"),
    [
        (2, {}, LogisticRegression(solver="newton-cholesky", **CONVERGED)),
        (2, {"C": 0.01}, LogisticRegression(C=0.01, solver="newton-cholesky", **CONVERGED)),
        (2, {"fit_intercept": False}, LogisticRegression(fit_intercept=False, solver="newton-cg", **CONVERGED)),
        (2, {"intercept_scaling": 2.0}, LogisticRegression(solver="liblinear", intercept_scaling=2.0, **CONVERGED)),
        (
            2,
            {"class_weight": {0: 1.0, 1: 3.0}},
            LogisticRegression(class_weight={0: 1, 1: 3}, solver="newton-cg", **CONVERGED),
        ),
        (3, {}, LogisticRegression(solver="newton-cholesky", **CONVERGED)),
        (3, {"C": 100.0}, LogisticRegression(C=100.0, solver="newton-cholesky", **CONVERGED)),
        (3, {"class_weight": "balanced"}, LogisticRegression(class_weight="balanced", solver="newton-cg", **CONVERGED)),
        (2, SVM, LinearSVC(**CONVERGED)),
        (2, SVM | {"class_weight": "balanced"}, LinearSVC(class_weight="balanced", **CONVERGED)),
        (3, SVM, LinearSVC(**CONVERGED)),
        (3, SVM | {"class_weight": {0: 1.0, 1: 3.0, 2: 0.5}}, LinearSVC(class_weight={1: 3, 2: 0.5}, **CONVERGED)),
        (2, SVM | {"intercept_scaling": 3.0, "C": 0.1}, LinearSVC(C=0.1, intercept_scaling=3.0, **CONVERGED)),
    ],
)
def test_values_are_those_of_a_converged_estimator(n_classes, ours, theirs, score):
    if score == "neg_log_loss" and "loss" in ours:
        pytest.skip("there are no probabilities")
    X, y = made(n_classes)
    splits = list(StratifiedKFold(4).split(X, y))
    cursor = LinearModel(**ours, folds=partition(splits, len(y)), score=score).bind(Dataset(X, y))
    draws = np.random.default_rng(1)
    for size in (1, 3, 12):
        members = np.sort(draws.choice(12, size, replace=False))
        expected = cross_val_score(theirs, X[:, members], y, cv=splits, scoring=score).mean()
        assert cursor.evaluate(members) == pytest.approx(expected, abs=1e-8 if score == "neg_log_loss" else 1e-14)


@pytest.mark.parametrize("loss", [LOGISTIC, SQUARED_HINGE])
def test_an_optimum_is_as_near_as_it_says(loss):
    X, y = made(2)
    weights, penalties = np.random.default_rng(2).uniform(0.5, 2.0, len(y)), np.linspace(0.1, 2.0, 12)
    fit = Fit(Task(loss, y.astype(float), weights, 1), np.ascontiguousarray(X.T), penalties)
    expected = optimum({LOGISTIC: "logistic", SQUARED_HINGE: "squared_hinge"}[loss], X, y, weights, penalties)
    assert fit.is_sound
    assert np.all(np.abs(fit.outputs[0] - X @ expected) <= fit.errors(X.T.copy()) + 1e-12)
    assert fit.errors(X.T.copy()).max() < 1e-11


def test_a_sample_on_the_bend_leaves_a_hinge_to_its_penalties():
    X, y = made(2)
    penalties = np.linspace(0.1, 2.0, 12)

    def fitted(X, y):
        return Fit(Task(SQUARED_HINGE, y.astype(float), np.ones(len(y)), 1), np.ascontiguousarray(X.T), penalties)

    plain = fitted(X, y)
    right = np.flatnonzero((y == 1) & (plain.outputs[0] > 1.0))[0]
    bent = fitted(np.vstack([X, X[right] / plain.outputs[0, right]]), np.append(y, 1))  # which changes no optimum
    assert bent.certainty <= 1.0 < plain.certainty
    assert np.all(np.abs(bent.outputs[0, :-1] - plain.outputs[0]) <= bent.errors(X.T.copy()))
    assert np.all(bent.errors(X.T.copy()) > plain.errors(X.T.copy()))


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(
    "criterion",
    [
        LinearModel(folds=FOLDS),
        LinearModel(C=100.0, folds=SPLIT, ties="nan", fit_intercept=False),
        LinearModel(folds=SPLIT, ties="nan", score="neg_log_loss"),
    ],
    ids=["logistic", "weak penalty", "log loss"],
)
def test_neighbours_have_the_bits_of_the_definition(name, criterion):
    X, labels = CASES[name]
    keeps_the_law(criterion, X, labels, 2)


@pytest.mark.parametrize(
    "name", ["ordinary", "binary", "constant columns", "mixed scales", "duplicate rows of other classes"]
)
@pytest.mark.parametrize(
    "criterion", [LinearModel(folds=FOLDS, **SVM), LinearModel(folds=FOLDS, ties="nan", score="roc_auc")]
)
def test_two_classes_keep_the_law_on_margins_and_ranks(name, criterion):
    keeps_the_law(criterion, *CASES[name], 4)


@pytest.mark.parametrize("name", ["three unsorted classes", "a small class", "small integers"])
@pytest.mark.parametrize(
    "criterion",
    [
        LinearModel(folds=FOLDS, **SVM),
        LinearModel(folds=SPLIT, ties="nan", **SVM),
        LinearModel(folds=SPLIT, ties="nan", score=PRECISION, **SVM),
    ],
)
def test_machines_of_several_classes_keep_the_law(name, criterion):
    keeps_the_law(criterion, *CASES[name], 2)


def keeps_the_law(criterion, X, labels, n_moves):
    cursor = criterion.bind(Dataset(X, labels))
    for _ in wander(cursor, n_moves, np.random.default_rng(1)):
        for direction, pool in neighbors(cursor):
            np.testing.assert_array_equal(cursor.peek(direction, pool), from_scratch(cursor, direction, pool))


@pytest.mark.parametrize("seed", range(8))
def test_features_that_nearly_repeat_keep_the_law(seed):
    draws = np.random.default_rng(seed)
    X = draws.normal(size=(60, 4)) + 100.0 * draws.normal(size=4)
    X[:, 3] = X[:, 0] + 10.0 ** draws.uniform(-8, 0) * X[:, 3]
    options = {"intercept_scaling": 1.0} if seed % 2 else {"fit_intercept": False}
    C = 10.0 ** draws.uniform(-1, 4)
    keeps_the_law(LinearModel(C=C, folds=2, ties="nan", **options), X, draws.permutation(np.arange(60) % 2), 4)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_contract_is_kept(n_classes):
    X, y = made(n_classes)
    check_criterion(LinearModel(folds=3), Dataset(X[:60], y[:60]), n_rounds=3)


def test_nearly_all_neighbours_are_proven_without_a_fit():
    data = Dataset(*load_breast_cancer(return_X_y=True))
    cursor = LinearModel(folds=5).bind(data)
    cursor.jump([1, 7, 20])
    asked = []
    cursor.evaluate = lambda members: asked.append(members) or 0.0
    cursor.peek(Direction.ADD, np.setdiff1d(np.arange(30), [1, 7, 20]))
    assert len(asked) <= 2


@pytest.mark.parametrize("seed", range(6))
def test_machines_are_exact_however_small_their_last_steps_are(seed):
    X, y = make_classification(400, 12, n_informative=8, n_classes=4, random_state=seed)
    cursor = LinearModel(folds=3, ties="nan", **SVM).bind(Dataset(X, y))
    assert all(np.isfinite(cursor.evaluate(np.arange(size))) for size in range(1, 13))


def test_more_features_than_samples_and_a_split():
    draws = np.random.default_rng(3)
    X, y = draws.normal(size=(30, 60)), np.arange(30) % 2
    cursor = LinearModel(folds=Split(range(20), range(20, 28))).bind(Dataset(X, y))
    cursor.jump(np.arange(40))
    np.testing.assert_array_equal(
        cursor.peek(Direction.ADD, np.arange(40, 60)), from_scratch(cursor, Direction.ADD, np.arange(40, 60))
    )


def test_a_class_that_was_not_trained_is_never_right():
    draws = np.random.default_rng(4)
    X, y = draws.normal(size=(30, 3)), np.array([0, 1] * 12 + [2] * 6)
    split = Split(range(24), range(24, 30))
    assert LinearModel(folds=split).bind(Dataset(X, y)).evaluate([0, 1]) == 0.0


def test_equal_outputs_have_no_value_or_count_for_the_first_class():
    X = np.array([[1.0], [-1.0], [1.0], [-1.0], [0.0]])
    y = np.array([1, 0, 1, 0, 0])
    data, split = Dataset(X, y), Split(range(4), [4])
    assert np.isnan(LinearModel(folds=split, ties="nan").bind(data).evaluate([0]))
    assert LinearModel(folds=split).bind(data).evaluate([0]) == 1.0


@pytest.mark.parametrize(
    ("n_classes", "options"),
    [
        (2, {"score": "roc_auc"}),
        (2, {"score": "average_precision", **SVM}),
        (3, {"score": "roc_auc_ovo"}),
        (3, {"score": PRECISION}),
        (3, {"score": PRECISION, **SVM}),
    ],
)
def test_outputs_that_nearly_tie_are_told_apart(n_classes, options):
    X, y = made(n_classes)
    split, low = Split(range(100), range(100, 150)), np.flatnonzero(y[100:149] != y[101:])[0] + 100
    found = {}
    for gap in (1e-6, 5e-9, 1e-13):
        X[low + 1] = X[low] + gap * np.linspace(-1.0, 1.0, 12)
        cursor = LinearModel(folds=split, ties="nan", **options).bind(Dataset(X, y))
        found[gap] = cursor.evaluate(np.arange(10))
        for direction, size, candidates in ((Direction.ADD, 8, [8, 9, 10, 11]), (Direction.REMOVE, 11, [2, 9])):
            cursor.jump(np.arange(size))
            peeked = cursor.peek(direction, np.array(candidates))
            np.testing.assert_array_equal(peeked, from_scratch(cursor, direction, np.array(candidates)))
    assert found[5e-9] == found[1e-6]
    assert np.isnan(found[1e-13])


def test_separated_classes_with_hardly_a_penalty_have_no_value():
    X = np.concatenate([np.linspace(1, 2, 20), np.linspace(-2, -1, 20)])[:, None]
    data = Dataset(X, np.repeat([1, 0], 20))
    assert np.isnan(LinearModel(C=1e18, ties="nan").bind(data).evaluate([0]))
    assert np.isfinite(LinearModel(C=1e3, ties="nan").bind(data).evaluate([0]))


def test_a_holdout_is_scored_by_a_fit_to_all_of_the_rest():
    X, y = made(3)
    train, test = Dataset(X[:100], y[:100]), Dataset(X[100:], y[100:])
    fitted = LogisticRegression(solver="newton-cholesky", **CONVERGED).fit(X[:100, [0, 4]], y[:100])
    assert LinearModel().validate(train, test, np.array([4, 0])) == fitted.score(X[100:, [0, 4]], y[100:])


def test_invalid_arguments_and_data_are_refused():
    with pytest.raises(InputError, match="`loss` must be one of logistic, squared_hinge, got 'hinge'"):
        LinearModel("hinge")
    with pytest.raises(InputError, match="`intercept_scaling` must be finite for loss='squared_hinge', got inf"):
        LinearModel("squared_hinge")
    with pytest.raises(InputError, match="`intercept_scaling` must be positive, got 0"):
        LinearModel(intercept_scaling=0)
    with pytest.raises(InputError, match="`score` must need no probabilities for loss='squared_hinge'"):
        LinearModel(**SVM, score="neg_log_loss")
    with pytest.raises(DataError, match="every fold of data must hold samples and leave two classes to train on"):
        LinearModel(folds=[0, 0, 1, 1]).bind(Dataset(np.eye(4), [0, 0, 1, 1]))
    with pytest.raises(DataError, match="every training part of data must hold all classes for score='neg_log_loss'"):
        LinearModel(folds=[0, 0, 1, 1, 1], score="neg_log_loss").bind(Dataset(np.eye(5), [0, 1, 0, 1, 2]))
    with pytest.raises(InputError, match="`class_weight` must be one of balanced"):
        LinearModel(class_weight="none")


@pytest.mark.parametrize("ties", ["nan", "class"])
@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_a_precision_is_the_same_on_any_path_where_two_of_a_class_nearly_tie(loss, ties):
    for seed in range(8):
        draws = np.random.default_rng(seed)
        y = np.arange(60) % 2
        X = draws.normal(size=(60, 5)) + 0.5 * y[:, None]
        X[3::8] = X[1::8][: len(X[3::8])] + 10.0 ** -draws.uniform(9, 13) * draws.normal(size=(len(X[3::8]), 5))
        model = LinearModel(loss, intercept_scaling=1.0, folds=2, ties=ties, score="average_precision")
        cursor = model.bind(Dataset(X, y))
        for _ in wander(cursor, 3, draws):
            for direction, pool in neighbors(cursor):
                np.testing.assert_array_equal(cursor.peek(direction, pool), from_scratch(cursor, direction, pool))
