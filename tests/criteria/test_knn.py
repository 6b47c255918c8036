"""k-NN: every value equals the definition bit for bit, on data made to break fast arithmetic."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from sweepless import Dataset, Direction
from sweepless.criteria import KNN
from sweepless.criteria.folds import fold_sizes, positional_folds
from sweepless.errors import CriterionError, DataError, InputError
from tests.reference.cases import knn_cases
from tests.reference.knn import fold_sizes as naive_fold_sizes
from tests.reference.knn import holdout_value, knn_value
from tests.reference.moves import from_scratch, neighbors, toggle, wander

CASES = knn_cases()
VARIANTS = [
    KNN(),
    KNN(ties="index"),
    KNN(folds=2, ties="index"),
    KNN(folds=10),  # more than eight folds share one set of columns
    KNN(n_neighbors=2, folds=5),
    KNN(n_neighbors=3, ties="index"),
    KNN(n_neighbors=5, folds=10, ties="index"),
    KNN(folds="loo"),
    KNN(metric="manhattan"),
    KNN(n_neighbors=3, folds="loo", ties="index", metric="manhattan"),
    KNN(memory_limit=0),
    KNN(n_neighbors=2, folds=10, memory_limit=0),
    KNN(n_jobs=2),
    KNN(score="brier"),
    KNN(folds="loo", score="log_loss"),
    KNN(n_neighbors=5, score="brier"),
    KNN(n_neighbors=4, folds=10, ties="index", score="log_loss", memory_limit=0),
    KNN(n_neighbors=3, folds="loo", score="log_loss"),
]
pytestmark = pytest.mark.filterwarnings("ignore:the distances of")


@pytest.mark.parametrize("name", CASES)
def test_every_value_is_that_of_the_definition(name):
    X, y = CASES[name]
    data = Dataset(X, y)
    draws = np.random.default_rng(1)
    for criterion in VARIANTS:
        cursor = criterion.bind(data)
        for _ in range(8):
            for direction, pool in neighbors(cursor):
                values = cursor.peek(direction, pool)
                assert values.tolist() == from_scratch(cursor, direction, pool)
                k = draws.integers(len(pool))
                members = np.flatnonzero(direction.applied(cursor.members, pool[k])).tolist()
                options = criterion.n_neighbors, criterion.folds, criterion.ties, criterion.metric, criterion.score
                naive = knn_value(X, data.codes.tolist(), members, *options)
                # A logarithm is rounded to a multiple of 2**-32, and the naive sum of squares is rounded at all.
                expected = naive if criterion.score == "accuracy" else pytest.approx(naive, abs=2.0**-32)
                assert values[k] == expected, (criterion, members)
            toggle(cursor, int(draws.integers(data.n_features)))


@pytest.mark.parametrize("name", CASES)
def test_many_subsets_at_once_have_the_values_of_each(name):
    data = Dataset(*CASES[name])
    draws = np.random.default_rng(4)
    sizes = draws.integers(1, data.n_features + 1, size=12)
    subsets = [np.sort(draws.choice(data.n_features, size, replace=False)) for size in sizes]
    for criterion in VARIANTS:
        cursor = criterion.bind(data)
        assert cursor.evaluate_many(subsets).tolist() == [cursor.evaluate(members) for members in subsets]


@pytest.mark.parametrize("kind", ["words", "standardized words", "duplicates", "differences that sums absorb"])
def test_values_are_those_of_the_definition_where_most_samples_coincide(kind):
    draws = np.random.default_rng(7)
    words = (draws.random((70, 14)) < draws.choice([0.05, 0.2], 14)) * draws.integers(1, 3, (70, 14))
    X = {
        "words": words,
        "standardized words": (words - words.mean(axis=0)) / np.maximum(words.std(axis=0), 0.1),
        "duplicates": draws.normal(size=(3, 14))[draws.integers(0, 3, 70)],
        "differences that sums absorb": words + 1e-9 * draws.integers(0, 2, words.shape),
    }[kind]
    data = Dataset(X, draws.integers(0, 3, 70))
    for criterion in VARIANTS:
        cursor = criterion.bind(data)
        for _ in wander(cursor, 6, draws):
            for direction, pool in neighbors(cursor):
                assert cursor.peek(direction, pool).tolist() == from_scratch(cursor, direction, pool), criterion


def test_a_sweep_over_sparse_data_needs_little_memory():
    n_samples, n_features = 400, 40_000
    X = sparse.random(n_samples, n_features, density=0.01, format="csc", random_state=1)
    cursor = KNN().bind(Dataset(X, np.arange(n_samples) % 2))
    cursor.move(Direction.ADD, [0, 1])
    cursor.peek(Direction.ADD, [2, 3])  # compiles
    tracemalloc.start()
    cursor.peek(Direction.ADD, np.arange(2, n_features))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.4 * 8 * n_samples * n_features


def test_a_memory_limit_is_kept_with_a_warning():
    data = Dataset(*CASES["ordinary"])
    with pytest.warns(UserWarning, match="computed when needed"):
        limited = KNN(memory_limit=1000).bind(data)
    assert limited._distances._sums.size == limited._distances._largest.size == 0


@pytest.mark.parametrize("n_neighbors", [1, 3])  # by lists, and row by row
def test_where_no_distances_are_kept_few_are_held_at_a_time(n_neighbors):
    n_samples = 6000
    X = np.random.default_rng(2).random((n_samples, 3))
    cursor = KNN(n_neighbors, memory_limit=0).bind(Dataset(X, np.arange(n_samples) % 2))
    cursor.jump([0])
    cursor.peek(Direction.ADD, np.array([1]))  # whatever has to be compiled is compiled now
    cursor.move(Direction.ADD, 1)
    tracemalloc.start()
    cursor.peek(Direction.ADD, np.array([2]))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * 2**20, peak


@pytest.mark.parametrize("name", ["ordinary", "binary", "mixed scales", "huge but one", "tied to float32 only"])
def test_hundreds_of_moves_leave_no_trace(name):
    X, y = CASES[name]
    data = Dataset(X, y)
    draws = np.random.default_rng(2)
    for criterion in (KNN(), KNN(n_neighbors=3, folds=10, ties="index")):
        cursor, newcomer = criterion.bind(data), criterion.bind(data)
        for step in wander(cursor, 400, draws):
            if step % 20 == 0:
                newcomer.jump(np.flatnonzero(cursor.members))
                for direction, pool in neighbors(cursor):
                    values = cursor.peek(direction, pool).tolist()
                    assert values == from_scratch(cursor, direction, pool)
                    assert values == newcomer.peek(direction, pool).tolist()


def test_a_wide_feature_that_left_does_not_blind_the_filter():
    draws = np.random.default_rng(3)
    X = draws.normal(size=(30, 4)) * [1e8, 1.0, 1.0, 1.0]
    cursor = KNN().bind(Dataset(X, np.arange(30) % 2))
    for feature in (0, 1):
        cursor.move(Direction.ADD, feature)
    cursor.move(Direction.REMOVE, 0)
    assert cursor._distances.error() < 1e-4  # on a grid that suits the others


@pytest.mark.parametrize("name", CASES)
def test_lists_of_neighbours_that_end_early_prove_nothing_false(name):
    data = Dataset(*knn_cases(seed=5, n_samples=90, n_features=10)[name])
    draws = np.random.default_rng(6)
    for criterion in (KNN(), KNN(folds=9, ties="index"), KNN(n_neighbors=3), KNN(5, "loo", metric="manhattan")):
        cursor = criterion.bind(data)
        for _ in range(15):
            toggle(cursor, int(draws.integers(data.n_features)))
            for direction, pool in neighbors(cursor):
                assert cursor.peek(direction, pool).tolist() == from_scratch(cursor, direction, pool)


def test_more_candidates_than_fit_one_block():
    draws = np.random.default_rng(4)
    X = draws.integers(0, 6, (150, 140))
    data = Dataset(X, draws.integers(0, 3, 150))
    cursor = KNN().bind(data)
    cursor.jump(np.array([3, 50, 119]))
    for direction, pool in neighbors(cursor):
        assert cursor.peek(direction, pool).tolist() == from_scratch(cursor, direction, pool)


@pytest.mark.parametrize("criterion", [KNN(), KNN(n_neighbors=3), KNN(memory_limit=0), KNN(n_jobs=2)])
def test_no_candidates_have_no_values(criterion):
    X, y = CASES["ordinary"]
    cursor = criterion.bind(Dataset(X, y))
    cursor.jump([0])
    assert cursor.peek(Direction.ADD, np.empty(0, dtype=np.intp)).tolist() == []


def test_sparse_columns_have_the_same_values():
    sparse = pytest.importorskip("scipy.sparse")
    X, y = CASES["small integers"]
    dense, compressed = KNN().bind(Dataset(X, y)), KNN().bind(Dataset(sparse.csr_matrix(X), y))
    for cursor in (dense, compressed):
        cursor.jump(np.array([1, 4]))
    pool = Direction.ADD.pool(dense.members)
    assert dense.peek(Direction.ADD, pool).tolist() == compressed.peek(Direction.ADD, pool).tolist()


def test_an_equally_near_sample_is_chosen_by_class_or_by_index():
    # Sample 0 is tested; 2 (class 1) and 5 (class 0) are equally near.
    X = np.array([[0.0], [9.0], [1.0], [9.5], [7.0], [1.0], [8.0], [9.2]])
    y = np.array([0, 0, 1, 1, 0, 0, 1, 1])
    data = Dataset(X, y)
    by_class, by_index = KNN(folds=2).bind(data), KNN(folds=2, ties="index").bind(data)
    codes = y.tolist()
    assert by_class.evaluate([0]) == knn_value(X, codes, [0], n_folds=2, ties="class")
    assert by_index.evaluate([0]) == knn_value(X, codes, [0], n_folds=2, ties="index")


def test_equal_votes_go_to_the_lowest_class():
    X = np.array([[0.0], [0.0], [1.0], [1.1], [2.0], [2.1]])
    y = np.array([1, 0, 0, 1, 0, 1])
    value = KNN(n_neighbors=4, folds=3).bind(Dataset(X, y)).evaluate([0])
    assert value == knn_value(X, y.tolist(), [0], n_neighbors=4) == 0.5  # two against two, always class 0


def test_the_order_of_the_classes_is_the_one_given():
    X, y = CASES["binary"]
    labels = np.array(["b", "a"])[y]
    as_given = KNN().bind(Dataset(X, labels, classes=["b", "a"]))
    assert as_given.evaluate([0, 1, 2]) == knn_value(X, y.tolist(), [0, 1, 2])


def test_empty_folds_count_zero():
    X = np.arange(4.0)[:, None] * [1, 2]
    data = Dataset(X, [0, 0, 1, 1])
    value = KNN(folds=5).bind(data).evaluate([0, 1])
    assert value == knn_value(X, [0, 0, 1, 1], [0, 1], n_folds=5)
    assert value <= 2 / 5


@pytest.mark.parametrize(
    "criterion",
    [
        KNN(),
        KNN(n_neighbors=3),
        KNN(n_neighbors=5, ties="index"),
        KNN(n_neighbors=3, score="brier"),
        KNN(n_neighbors=30, score="log_loss"),  # more than there are
    ],
)
@pytest.mark.parametrize("name", ["ordinary", "small integers", "mixed scales", "many classes"])
def test_validation_is_one_pooled_holdout(name, criterion):
    X, y = CASES[name]
    train, test = Dataset(X[:20], y[:20], classes=np.unique(y)), Dataset(X[20:], y[20:], classes=np.unique(y))
    members = [5, 0, 3]
    samples = X[:20], train.codes.tolist(), X[20:], test.codes.tolist()
    naive = holdout_value(*samples, members, criterion.n_neighbors, criterion.ties, criterion.score)
    expected = naive if criterion.score == "accuracy" else pytest.approx(naive, abs=2.0**-32)
    assert criterion.validate(train, test, np.array(members)) == expected


def test_a_class_never_trained_on_is_never_right():
    train, test = Dataset([[0.0], [1.0]], ["a", "b"]), Dataset([[0.0], [1.0]], ["a", "c"])
    assert KNN().validate(train, test, np.array([0])) == 0.5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_neighbors": 0}, "`n_neighbors` must be an integer of at least 1, got 0."),
        ({"n_neighbors": True}, "`n_neighbors` must be an integer of at least 1, got True."),
        ({"folds": 1}, "`folds` must be an integer of at least 2, got 1."),
        ({"folds": 3.0}, "`folds` must be an integer of at least 2, got 3.0."),
        ({"ties": "random"}, "`ties` must be one of class, index, got 'random'."),
    ],
)
def test_invalid_arguments_are_refused(arguments, message):
    with pytest.raises(InputError) as caught:
        KNN(**arguments)
    assert str(caught.value) == message


def test_data_that_cannot_be_classified_are_refused():
    X = np.arange(12.0).reshape(6, 2)
    with pytest.raises(DataError, match="at least two classes, got 1"):
        KNN().bind(Dataset(X, np.zeros(6, dtype=int)))
    with pytest.raises(DataError, match="has no labels"):
        KNN().bind(Dataset(X))
    with pytest.raises(DataError, match="2 constant columns"):
        KNN().bind(Dataset(np.ones((6, 2)), [0, 1] * 3))
    with pytest.raises(DataError, match="`n_neighbors` must be at most 4"):
        KNN(n_neighbors=5).bind(Dataset(X, [0, 1] * 3))


def test_the_empty_subset_has_no_value():
    cursor = KNN().bind(Dataset(*CASES["ordinary"]))
    with pytest.raises(CriterionError, match="empty subset"):
        cursor.evaluate([])
    cursor.jump([2])
    with pytest.raises(InputError, match="must leave from 1 to"):
        cursor.peek(Direction.REMOVE, np.array([2]))


def test_a_member_named_twice_is_a_member_once():
    cursor = KNN().bind(Dataset(*CASES["ordinary"]))
    assert cursor.evaluate([3, 1, 3]) == cursor.evaluate([1, 3])


@pytest.mark.parametrize(
    ("n_samples", "sizes"), [(5, [1, 2, 2]), (3, [1, 1, 1]), (500, [166, 167, 167]), (2, [0, 1, 1]), (0, [0, 0, 0])]
)
def test_three_folds_have_the_published_sizes(n_samples, sizes):
    assert fold_sizes(n_samples, 3) == sizes == naive_fold_sizes(n_samples, 3)


def test_folds_are_contiguous_within_every_class():
    codes = np.array([0, 1, 0, 1, 0, 0, 1, 0])
    assert positional_folds(codes, 3).tolist() == [0, 0, 1, 1, 1, 2, 2, 2]


def test_a_centre_that_rounds_to_an_end_does_not_hide_an_unlisted_neighbour():
    # Feature 0 varies in the last digit of its numbers only, so that their center rounds to the lower end.
    # The sample that is nearest to the first one without it is the farthest one with it.
    digit = 2.0**-23
    first, own, other, crowd = (0, 0), (1, 0.95), (0, 1.0), (0, 1.2)
    X = digit * np.array([first, own] + [crowd] * 17 + [other] + [crowd] * 16) + [1e9, 0.0]
    cursor = KNN(folds=2).bind(Dataset(X, [0] * 2 + [1] * 34))
    cursor.jump([0, 1])
    assert cursor.peek(Direction.REMOVE, np.array([0])).tolist() == [cursor.evaluate([1])]


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("ties", ["class", "index"])
@pytest.mark.parametrize("scale", [1.0, 1e-170, 1e-310, 1e160, 1e300])
def test_single_features_whose_distances_round_have_the_values_of_the_definition(metric, ties, scale):
    rng = np.random.default_rng(8)
    X = 1.0 + 2.0**-52 * rng.integers(0, 4, size=(40, 60))  # next to equal
    X[:3] = [[-3.0], [9.0], [-30.0]]  # so far from the rest that differences round
    X *= scale
    cursor = KNN(metric=metric, ties=ties).bind(Dataset(X, rng.integers(0, 3, size=40)))
    pool = np.arange(60)
    assert cursor.peek(Direction.ADD, pool).tolist() == from_scratch(cursor, Direction.ADD, pool)
