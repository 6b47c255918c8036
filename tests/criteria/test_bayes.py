"""Naive Bayes: every value is that of the definition, and the definition is the textbook's."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.naive_bayes
from scipy import sparse
from sklearn.model_selection import cross_val_score

from sweepless import Dataset, Direction
from sweepless.criteria.bayes.gaussian import GaussianNB
from sweepless.criteria.bayes.multinomial import MultinomialNB
from sweepless.criteria.folds import positional_folds
from sweepless.errors import DataError, InputError
from sweepless.testing import check_criterion
from tests.reference.bayes import counted, counts_cases, gaussian, multinomial, value_range
from tests.reference.cases import knn_cases
from tests.reference.moves import from_scratch, neighbors, require_peeks_by_definition, wander

REALS, COUNTS = knn_cases(), counts_cases()
# Here variances overflow or vanish.
NOT_FOR_FORMULAS = {"huge", "huge but one", "tiny"}
BOTH = [(GaussianNB, name) for name in REALS] + [(MultinomialNB, name) for name in COUNTS]


def case(kind, name):
    X, y = (REALS if kind is GaussianNB else COUNTS)[name]
    return X, Dataset(X, y)


@pytest.mark.parametrize(("kind", "name"), BOTH)
def test_j_is_a_function_of_the_set(kind, name):
    _, data = case(kind, name)
    check_criterion(kind(), data, n_rounds=2)
    check_criterion(kind(folds=10), data, n_rounds=1)


@pytest.mark.parametrize("score", ["accuracy", "log_loss"])
@pytest.mark.parametrize(("kind", "name"), BOTH)
def test_j_is_a_function_of_the_set_where_samples_have_weights(kind, name, score):
    _, data = case(kind, name)
    weights = np.random.default_rng(3).exponential(size=data.n_samples)
    cursor = kind(score=score, sample_weight=weights).bind(data)
    for _ in wander(cursor, 4, np.random.default_rng(4)):
        require_peeks_by_definition(cursor)


@pytest.mark.parametrize("kind", [GaussianNB, MultinomialNB])
def test_whole_weights_are_repetitions(kind):
    draws = np.random.default_rng(5)
    y, weights = np.arange(40) % 2, draws.integers(1, 4, 40)
    X = draws.poisson(2.0 + y[:, None], size=(40, 4))
    if kind is GaussianNB:  # whose greatest variance knows no weights
        weights[:] = 2
    rows = np.repeat(np.arange(40), weights)
    folds = np.arange(40) % 4 // 2
    once = kind(folds=folds, score="log_loss", sample_weight=weights).bind(Dataset(X, y)).evaluate([0, 2, 3])
    train = [np.flatnonzero((folds != fold)[rows]) for fold in range(2)]
    parts = [Dataset(X[rows], y[rows]).take(some) for some in train], [Dataset(X, y).take(folds == k) for k in range(2)]
    values = [kind(score="log_loss").validate(one, other, np.array([0, 2, 3])) for one, other in zip(*parts)]
    assert once == pytest.approx(np.mean(values), abs=1e-12)


@pytest.mark.parametrize(("kind", "name"), [pair for pair in BOTH if pair[1] not in NOT_FOR_FORMULAS])
def test_values_are_those_of_the_formulas(kind, name):
    X, data = case(kind, name)
    model, smoothing = (gaussian, 1e-9) if kind is GaussianNB else (multinomial, 1.0)
    draws = np.random.default_rng(1)
    for folds in (2, 5):
        cursor = kind(folds=folds).bind(data)
        for size in {1, min(2, data.n_features), data.n_features}:
            members = np.sort(draws.choice(data.n_features, size, replace=False))
            low, high = value_range(model, X, data.codes.tolist(), members.tolist(), folds, smoothing)
            assert low - 1e-12 <= cursor.evaluate(members) <= high + 1e-12, members


@pytest.mark.parametrize(
    ("kind", "name"),
    [(GaussianNB, name) for name in ("mixed scales", "binary", "huge but one")]
    + [(MultinomialNB, name) for name in ("thirds", "mixed scales", "rare words")],
)
def test_hundreds_of_moves_leave_no_trace(kind, name):
    _, data = case(kind, name)
    draws = np.random.default_rng(2)
    cursor, newcomer = kind().bind(data), kind().bind(data)
    for step in wander(cursor, 400, draws):
        if step % 25 == 0:
            newcomer.jump(np.flatnonzero(cursor.members))
            for direction, pool in neighbors(cursor):
                values = cursor.peek(direction, pool).tolist()
                assert values == from_scratch(cursor, direction, pool)
                assert values == newcomer.peek(direction, pool).tolist()


def wide(kind, seed, n_classes, n_samples=300, n_features=60):
    draws = np.random.default_rng(seed)
    y = draws.permutation(np.arange(n_samples) % n_classes)
    shift = draws.random((n_classes, n_features)) * 0.5
    if kind is GaussianNB:
        return draws.normal(shift[y], draws.random(n_features) + 0.2), y
    return draws.poisson(1.0 + shift[y]), y


def positional_splits(y, n_folds):
    folds = positional_folds(np.unique(y, return_inverse=True)[1], n_folds)
    return [(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(n_folds)]


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("kind", [GaussianNB, MultinomialNB])
def test_scikit_learn_agrees(kind, n_classes):
    X, y = wide(kind, 3, n_classes)
    options = {"var_smoothing": 1e-3} if kind is GaussianNB else {"alpha": 0.3}
    estimator = getattr(sklearn.naive_bayes, kind.__name__)(**options)
    cursor = kind(folds=4, **options).bind(Dataset(X, y))
    cursor.jump(np.arange(5, 25))
    for direction, pool in neighbors(cursor):
        for feature, value in zip(pool[:6], cursor.peek(direction, pool[:6]), strict=True):
            members = np.flatnonzero(direction.applied(cursor.members, feature))
            theirs = cross_val_score(estimator, X[:, members], y, cv=positional_splits(y, 4))
            assert value == pytest.approx(theirs.mean(), abs=1e-15)


@pytest.mark.parametrize("kind", [GaussianNB, MultinomialNB])
def test_more_samples_and_candidates_than_fit_one_block(kind):
    X, y = wide(kind, 4, 2, n_samples=2600, n_features=130)
    cursor = kind(folds=2).bind(Dataset(X, y))
    cursor.jump(np.array([3, 50, 119]))
    require_peeks_by_definition(cursor)


@pytest.mark.parametrize("kind", [GaussianNB, MultinomialNB])
def test_more_subsets_than_fit_one_block(kind):
    X, y = wide(kind, 4, 2, n_samples=2600, n_features=130)
    cursor = kind(folds=2).bind(Dataset(X, y))
    draws = np.random.default_rng(0)
    subsets = [np.sort(draws.choice(130, size, replace=False)) for size in (3, 120, 1, 1, 60, 50, 130, 2)]
    assert cursor.evaluate_many(subsets).tolist() == [cursor.evaluate(members) for members in subsets]
    assert len(cursor.evaluate_many([])) == 0


@pytest.mark.parametrize("kind", [GaussianNB, MultinomialNB])
def test_sparse_columns_have_the_same_values(kind):
    X, y = wide(MultinomialNB, 5, 3, n_samples=60, n_features=12)
    dense, compressed = kind().bind(Dataset(X, y)), kind().bind(Dataset(sparse.csr_matrix(X), y))
    for cursor in (dense, compressed):
        cursor.jump(np.array([1, 4]))
    pool = Direction.ADD.pool(dense.members)
    assert dense.peek(Direction.ADD, pool).tolist() == compressed.peek(Direction.ADD, pool).tolist()


def test_candidates_that_change_the_greatest_variance_change_every_term():
    X, y = wide(GaussianNB, 6, 3, n_samples=90, n_features=8)
    X *= 10.0 ** np.arange(8)  # every feature dwarfs the ones before, and smoothing by a tenth tells
    cursor = GaussianNB(var_smoothing=0.1).bind(Dataset(X, y))
    cursor.jump(np.array([2, 4]))
    require_peeks_by_definition(cursor)


def test_where_nothing_varies_the_priors_decide():
    X = np.column_stack([np.full(9, 0.1), np.arange(9.0)])
    y = np.array([0, 0, 0, 1, 1, 1, 1, 1, 1])
    assert GaussianNB().bind(Dataset(X, y)).evaluate([0]) == 6 / 9


def test_a_sample_without_words_is_given_the_first_of_the_commonest_classes():
    X = np.column_stack([np.zeros(6), [3, 0, 3, 1, 0, 1]])
    assert MultinomialNB(folds=2).bind(Dataset(X, [1, 1, 1, 0, 0, 0])).evaluate([0]) == 0.5


def test_empty_folds_count_zero():
    X = np.arange(4.0)[:, None] * [1, 2]
    for kind in (GaussianNB, MultinomialNB):
        assert kind(folds=5).bind(Dataset(X, [0, 0, 1, 1])).evaluate([0, 1]) <= 2 / 5


def test_a_class_seen_nowhere_changes_nothing():
    X, y = COUNTS["counts"]
    for kind in (GaussianNB, MultinomialNB):
        more = Dataset(X, y, classes=[0, 3, 1, 2])
        assert kind().bind(more).evaluate([1, 2]) == kind().bind(Dataset(X, y)).evaluate([1, 2])


@pytest.mark.parametrize("name", ["counts", "binary", "fractions"])
@pytest.mark.parametrize("kind", [GaussianNB, MultinomialNB])
def test_validation_is_one_pooled_holdout(kind, name):
    X, y = COUNTS[name]
    train, test = Dataset(X[:20], y[:20]), Dataset(X[20:], y[20:])
    model, smoothing = (gaussian, 1e-9) if kind is GaussianNB else (multinomial, 1.0)
    low, high = counted(model, X, y.tolist(), list(range(20)), list(range(20, 36)), [0, 3, 5], smoothing)
    assert low / 16 <= kind().validate(train, test, np.array([5, 0, 3])) <= high / 16
    assert high - low <= 1


@pytest.mark.parametrize("kind", [GaussianNB, MultinomialNB])
def test_a_class_never_trained_on_is_never_right(kind):
    train = Dataset([[0.0, 9.0], [1.0, 9.0], [9.0, 0.0], [9.0, 1.0]], ["a", "a", "b", "b"])
    test = Dataset([[0.0, 8.0], [8.0, 0.0], [8.0, 1.0]], ["a", "c", "b"])
    assert kind().validate(train, test, np.array([0, 1])) == 2 / 3


@pytest.mark.parametrize(
    ("kind", "arguments", "message"),
    [
        (GaussianNB, {"folds": 1}, "`folds` must be an integer of at least 2, got 1."),
        (GaussianNB, {"var_smoothing": 0}, "`var_smoothing` must be a positive number of at most 1e100, got 0."),
        (MultinomialNB, {"alpha": np.nan}, "`alpha` must be a positive number of at most 1e100, got nan."),
        (MultinomialNB, {"alpha": "1"}, "`alpha` must be a positive number of at most 1e100, got '1'."),
        (MultinomialNB, {"folds": 2.0}, "`folds` must be an integer of at least 2, got 2.0."),
    ],
)
def test_invalid_arguments_are_refused(kind, arguments, message):
    with pytest.raises(InputError) as caught:
        kind(**arguments)
    assert str(caught.value) == message


def test_data_that_cannot_be_classified_are_refused():
    X = np.arange(12.0).reshape(6, 2)
    for kind in (GaussianNB, MultinomialNB):
        with pytest.raises(DataError, match="at least two classes, got 1"):
            kind().bind(Dataset(X, np.zeros(6, dtype=int)))
        with pytest.raises(DataError, match="2 constant columns"):
            kind().bind(Dataset(np.ones((6, 2)), [0, 1] * 3))
    with pytest.raises(DataError, match="not negative"):
        MultinomialNB().bind(Dataset(X - 1, [0, 1] * 3))
    with pytest.raises(DataError, match="less than 2\\*\\*900"):
        MultinomialNB().bind(Dataset(X * 1e300, [0, 1] * 3))


def test_weights_that_make_no_sense_are_refused():
    with pytest.raises(InputError, match="`sample_weight` must come with folds, got it with leave-one-out"):
        GaussianNB(folds="loo", sample_weight=np.ones(6))
    with pytest.raises(DataError, match="a weight for each of the 6 samples of data, got 5"):
        MultinomialNB(sample_weight=np.ones(5)).bind(Dataset(np.eye(6), np.arange(6) % 2))
