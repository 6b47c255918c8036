"""Naive Bayes by its probabilities: losses without steps that are still exact functions of the set."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.naive_bayes
from scipy import sparse
from sklearn.model_selection import LeaveOneOut, cross_val_predict, cross_val_score

from sweepless import Dataset, Direction
from sweepless.criteria.bayes.gaussian import GaussianNB
from sweepless.criteria.bayes.multinomial import MultinomialNB
from sweepless.criteria.folds import Split
from sweepless.errors import InputError
from sweepless.testing import check_criterion
from tests.criteria.test_bayes import BOTH, NOT_FOR_FORMULAS, case, positional_splits, wide
from tests.reference.bayes import gaussian, gaussian_left_out, multinomial, smooth_value
from tests.reference.moves import from_scratch, neighbors, require_peeks_by_definition, wander
from tests.scikit_learn import known

THEIRS = {"log_loss": "neg_log_loss", "brier": "neg_brier_score"}
GAUSSIAN = [name for kind, name in BOTH if kind is GaussianNB]
FORMULAS = [pair for pair in BOTH if pair[1] not in NOT_FOR_FORMULAS]


@pytest.mark.parametrize(("kind", "name"), BOTH)
def test_j_is_a_function_of_the_set(kind, name):
    _, data = case(kind, name)
    check_criterion(kind(score="log_loss"), data, n_rounds=2)
    check_criterion(kind(folds=10, score="brier", tempering=0.5), data, n_rounds=1)


@pytest.mark.parametrize("name", GAUSSIAN)
def test_leave_one_out_is_a_function_of_the_set(name):
    _, data = case(GaussianNB, name)
    for score in ("accuracy", "log_loss", "brier"):
        check_criterion(GaussianNB("loo", score=score), data, n_rounds=1)


@pytest.mark.parametrize(("kind", "name"), FORMULAS)
def test_values_are_those_of_the_formulas(kind, name):
    X, data = case(kind, name)
    model, smoothing = (gaussian, 1e-9) if kind is GaussianNB else (multinomial, 1.0)
    draws = np.random.default_rng(1)
    for folds, score, tempering in ((2, "log_loss", 0.0), (5, "brier", 0.0), (3, "log_loss", 1.0)):
        cursor = kind(folds=folds, score=score, tempering=tempering).bind(data)
        for size in {1, min(2, data.n_features), data.n_features}:
            members = np.sort(draws.choice(data.n_features, size, replace=False))
            drawn = (X, data.codes.tolist(), members.tolist(), folds, smoothing, score, tempering)
            assert cursor.evaluate(members) == pytest.approx(smooth_value(model, *drawn), abs=1e-6), members


def first_samples(name):
    X, data = case(GaussianNB, name)
    return X[:15], data.codes[:15].tolist()


def varies(name):
    X, y = first_samples(name)
    return len(set(y)) > 1 and bool(np.any(np.ptp(X, axis=0) > 0))


@pytest.mark.parametrize("name", [name for kind, name in FORMULAS if kind is GaussianNB and varies(name)])
def test_leave_one_out_leaves_out_one_by_one(name):
    X, y = first_samples(name)
    members = list(range(min(3, X.shape[1])))
    for score in ("log_loss", "brier"):
        value = GaussianNB("loo", var_smoothing=1e-3, score=score).bind(Dataset(X, y)).evaluate(members)
        assert value == pytest.approx(gaussian_left_out(X, y, members, 1e-3, score), abs=1e-8)


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("kind", [GaussianNB, MultinomialNB])
@pytest.mark.parametrize("score", ["log_loss", "brier"])
def test_scikit_learn_agrees(kind, n_classes, score):
    if not known([THEIRS[score]], n_classes):
        pytest.skip("scikit-learn has the Brier score of many classes from 1.7 on")
    X, y = wide(kind, 3, n_classes)
    estimator = getattr(sklearn.naive_bayes, kind.__name__)()
    cursor = kind(folds=4, score=score).bind(Dataset(X, y))
    cursor.jump(np.arange(5, 25))
    for direction, pool in neighbors(cursor):
        for feature, value in zip(pool[:4], cursor.peek(direction, pool[:4]), strict=True):
            members = np.flatnonzero(direction.applied(cursor.members, feature))
            theirs = cross_val_score(estimator, X[:, members], y, cv=positional_splits(y, 4), scoring=THEIRS[score])
            assert value == pytest.approx(theirs.mean(), abs=1e-11)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_scikit_learn_leaves_out_the_same(n_classes):
    X, y = wide(GaussianNB, 7, n_classes, n_samples=50, n_features=9)
    shares = cross_val_predict(sklearn.naive_bayes.GaussianNB(), X, y, cv=LeaveOneOut(), method="predict_proba")
    everything, data = np.arange(9), Dataset(X, y)
    own = np.log(shares[np.arange(50), y])
    assert GaussianNB("loo", score="log_loss").bind(data).evaluate(everything) == pytest.approx(own.mean(), abs=1e-8)
    assert GaussianNB("loo").bind(data).evaluate(everything) == np.mean(shares.argmax(axis=1) == y)


@pytest.mark.parametrize(
    ("kind", "name"), [(GaussianNB, "mixed scales"), (GaussianNB, "huge but one"), (MultinomialNB, "mixed scales")]
)
def test_hundreds_of_moves_leave_no_trace(kind, name):
    _, data = case(kind, name)
    draws = np.random.default_rng(2)
    cursor = kind(score="log_loss").bind(data)
    for step in wander(cursor, 400, draws):
        if step % 50 == 0:
            for direction, pool in neighbors(cursor):
                assert cursor.peek(direction, pool).tolist() == from_scratch(cursor, direction, pool)


@pytest.mark.parametrize("criterion", [GaussianNB("loo", score="brier"), MultinomialNB(2, score="log_loss")], ids=repr)
def test_more_samples_and_candidates_than_fit_one_block(criterion):
    X, y = wide(type(criterion), 4, 2, n_samples=2600, n_features=40)
    cursor = criterion.bind(Dataset(X, y))
    cursor.jump(np.array([3, 20, 39]))
    require_peeks_by_definition(cursor)


@pytest.mark.parametrize("criterion", [GaussianNB("loo", 0.1), GaussianNB(3, 0.1, score="log_loss")], ids=repr)
def test_candidates_that_change_the_greatest_variance_change_every_term(criterion):
    X, y = wide(GaussianNB, 6, 3, n_samples=90, n_features=8)
    cursor = criterion.bind(Dataset(X * 10.0 ** np.arange(8), y))
    cursor.jump(np.array([2, 4]))
    require_peeks_by_definition(cursor)


@pytest.mark.parametrize("kind", [GaussianNB, MultinomialNB])
def test_sparse_columns_have_the_same_values(kind):
    X, y = wide(MultinomialNB, 5, 3, n_samples=60, n_features=12)
    criterion = kind(score="log_loss")
    dense, compressed = criterion.bind(Dataset(X, y)), criterion.bind(Dataset(sparse.csr_matrix(X), y))
    pool = Direction.ADD.pool(dense.members)
    assert dense.peek(Direction.ADD, pool).tolist() == compressed.peek(Direction.ADD, pool).tolist()


@pytest.mark.parametrize("kind", [GaussianNB, MultinomialNB])
@pytest.mark.parametrize("score", ["log_loss", "brier"])
def test_validation_is_the_loss_on_the_holdout(kind, score):
    X, y = wide(kind, 8, 3, n_samples=60, n_features=6)
    members, criterion = np.array([0, 2, 5]), kind(score=score)
    value = criterion.validate(Dataset(X[:40], y[:40]), Dataset(X[40:], y[40:]), members)
    split = kind(folds=Split(range(40), range(40, 60)), score=score)
    assert value == pytest.approx(split.bind(Dataset(X, y)).evaluate(members), abs=1e-12)


@pytest.mark.parametrize("kind", [GaussianNB, MultinomialNB])
def test_a_class_never_trained_on_misses_by_most(kind):
    train = Dataset([[0.0, 9.0], [1.0, 9.0], [9.0, 0.0], [9.0, 1.0]], ["a", "a", "b", "b"])
    test = Dataset([[0.0, 8.0], [8.0, 0.0], [8.0, 1.0]], ["a", "c", "b"])
    assert kind(score="log_loss").validate(train, test, [0, 1]) == pytest.approx(-52 * np.log(2) / 3, abs=1e-6)
    assert kind(score="brier").validate(train, test, [0, 1]) == pytest.approx(-1 / 3, abs=1e-6)


def test_a_class_of_one_sample_misses_by_most_when_it_is_left_out():
    X = np.array([[0.0], [1.0], [0.5], [40.0]])
    data = Dataset(X, [0, 0, 0, 1])
    assert GaussianNB("loo", score="log_loss").bind(data).evaluate([0]) <= -13 * np.log(2)
    assert GaussianNB("loo").bind(data).evaluate([0]) == 3 / 4


def test_where_nothing_varies_the_priors_are_the_probabilities():
    X = np.column_stack([np.full(9, 0.1), np.arange(9.0)])
    y = np.array([0, 0, 0, 1, 1, 1, 1, 1, 1])
    expected = (3 * np.log(1 / 3) + 6 * np.log(2 / 3)) / 9
    assert GaussianNB(score="log_loss").bind(Dataset(X, y)).evaluate([0]) == pytest.approx(expected, abs=1e-15)
    assert MultinomialNB(score="log_loss").bind(Dataset(X, y)).evaluate([1]) == pytest.approx(expected, abs=1e-15)
    assert np.isnan(GaussianNB(score="log_loss", unvarying="nan").bind(Dataset(X, y)).evaluate([0]))


def test_losses_tell_candidates_apart_that_accuracy_does_not():
    X, y = wide(GaussianNB, 9, 2, n_samples=30, n_features=60)
    accuracy, smooth = GaussianNB("loo").bind(Dataset(X, y)), GaussianNB("loo", score="log_loss").bind(Dataset(X, y))
    pool = np.arange(60)
    assert len(set(accuracy.peek(Direction.ADD, pool))) < 25
    assert len(set(smooth.peek(Direction.ADD, pool))) == 60


@pytest.mark.parametrize("kind", [GaussianNB, MultinomialNB])
def test_invalid_arguments_are_refused(kind):
    with pytest.raises(InputError, match="`score` must be scikit-learn's name of a score of labels"):
        kind(score="auc")
    with pytest.raises(InputError, match="`tempering` must be a finite number of at least 0, got -1"):
        kind(tempering=-1)
    with pytest.raises(InputError, match="`folds` must be an integer of at least 2, got 'loo'"):
        MultinomialNB(folds="loo")
