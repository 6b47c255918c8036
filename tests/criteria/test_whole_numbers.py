"""1-NN on whole numbers: distances are exact, ties are decided by rank, and single features are not sorted."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless import Dataset, Direction
from sweepless.criteria import KNN, Split
from sweepless.criteria.neighbors import counted
from sweepless.criteria.neighbors.cursor import are_whole
from tests.reference.knn import knn_value
from tests.reference.moves import require_peeks_by_definition

N_SAMPLES, N_FEATURES = 240, 7


def numbers(kind):
    """Return data of some kind: lists of near samples hold a third of the others, and many are equally near."""
    draws = np.random.default_rng(5)
    narrow, wide = (draws.integers(0, most, size=(N_SAMPLES, N_FEATURES)) for most in (12, 90))
    steps = draws.integers(0, 2, size=wide.shape)
    lonely = np.where(draws.random(wide.shape) < 0.02, 60_000, wide)
    return {
        "narrow": narrow,
        "wide": wide,
        "wider than a sort takes": 9 * wide,
        "negative": 7 - wide,
        "far from zero": 1e12 + wide,
        "too far from zero": 2.0**52 + wide,
        "with distances that float32 rounds": lonely,
        "too wide": 1e6 * wide,
        "halves": wide / 2,
        "tenths": wide / 10,
        "a feature that is not whole": wide
        + 0.5 * (np.arange(N_FEATURES) == 2) * draws.integers(0, 2, size=wide.shape),
        "a constant feature": np.where(np.arange(N_FEATURES) == 2, 3, wide),
        "equal samples": np.repeat(wide[: N_SAMPLES // 8], 8, axis=0),
        "few values": 40 * steps,
        "more candidates than a block": np.tile(wide, 20) + draws.integers(0, 3, size=(N_SAMPLES, 20 * N_FEATURES)),
    }[kind].astype(np.float64)


KINDS = [
    "narrow",
    "wide",
    "wider than a sort takes",
    "negative",
    "far from zero",
    "too far from zero",
    "with distances that float32 rounds",
    "too wide",
    "halves",
    "tenths",
    "a feature that is not whole",
    "a constant feature",
    "equal samples",
    "few values",
    "more candidates than a block",
]
CRITERIA = [
    KNN(),
    KNN(ties="index"),
    KNN(ties="index", metric="manhattan"),
    KNN(folds=10, ties="index"),  # which share one set of columns
    KNN(folds="loo", metric="manhattan"),
    KNN(folds=Split(np.arange(0, N_SAMPLES, 2), np.arange(1, N_SAMPLES, 2)), ties="index"),
    KNN(ties="index", memory_limit=0),
    KNN(ties="index", n_jobs=2),
    KNN(score="brier"),
]


def labels(n_classes):
    return np.random.default_rng(6).integers(0, n_classes, size=N_SAMPLES)


@pytest.mark.filterwarnings("ignore:the distances of")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_value_is_that_of_the_definition(kind, n_classes):
    data = Dataset(numbers(kind), labels(n_classes))
    for criterion in CRITERIA:
        cursor = criterion.bind(data)
        require_peeks_by_definition(cursor)
        for feature in (2, 5, 0, 3):
            cursor.move(Direction.ADD, feature)
            require_peeks_by_definition(cursor)
        cursor.move(Direction.REMOVE, 5)
        require_peeks_by_definition(cursor)


@pytest.mark.parametrize("ties", ["class", "index"])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_ties_are_decided_as_by_a_plain_sort(ties, metric):
    X, y = numbers("narrow"), labels(3)
    cursor = KNN(ties=ties, metric=metric).bind(Dataset(X, y))
    for members in ([], [4], [1, 4]):
        cursor.jump(members)
        values = cursor.peek(Direction.ADD, [0, 6])
        plain = [knn_value(X, y.tolist(), [*members, k], ties=ties, metric=metric) for k in (0, 6)]
        assert values.tolist() == plain


@pytest.mark.parametrize("seed", range(4))
def test_ranks_are_not_lost_behind_distances_that_leave(seed):
    draws = np.random.default_rng(seed)
    X = draws.integers(0, [500, 6, 6], size=(900, 3))  # without the first feature, most samples are tied
    cursor = KNN(ties="index").bind(Dataset(X, draws.integers(0, 2, size=900)))
    cursor.jump([0, 1, 2])
    assert cursor.peek(Direction.REMOVE, [0]).tolist() == [cursor.evaluate([1, 2])]


@pytest.mark.parametrize("ties", ["class", "index"])
@pytest.mark.parametrize("direction", list(Direction))
def test_lists_settle_ties_of_a_few_and_all_of_whole_numbers(ties, direction, monkeypatch):
    def left_open(X):
        n_open = []

        def count(*arguments):
            n_open.append(np.count_nonzero(arguments[-3]))
            count_correct(*arguments)

        with monkeypatch.context() as patch:
            patch.setattr(counted, "count_correct", count)
            cursor = KNN(ties=ties).bind(Dataset(X, labels(2)))
            cursor.jump([0, 1, 2])
            cursor.peek(direction, direction.pool(cursor.members))
        return sum(n_open)

    count_correct = counted.count_correct
    narrow = numbers("narrow")
    assert left_open(narrow) == left_open(narrow / 10) == 0
    narrowest = np.floor(narrow / 3)  # far more columns are tied, but not as many equal as make a crowd
    assert left_open(narrowest) == 0
    assert left_open(narrowest / 10) > 0


def test_single_whole_numbers_are_proved_without_the_definition(monkeypatch):
    X, y = numbers("wide"), labels(2)
    cursor = KNN(ties="index").bind(Dataset(X, y))
    monkeypatch.setattr(cursor, "_count_by_definition", lambda columns: pytest.fail("by the definition"))
    monkeypatch.setattr("sweepless.kernels.neighbors.singles._order", lambda columns: pytest.fail("sorted"))
    expected = [knn_value(X, y.tolist(), [k], ties="index") for k in (3, 5)]
    assert cursor.peek(Direction.ADD, [3, 5]).tolist() == expected
    cursor.jump([3, 5])
    assert cursor.peek(Direction.REMOVE, [5, 3]).tolist() == expected  # what is left is a single feature


@pytest.mark.parametrize(
    ("column", "is_whole"),
    [
        ([0.0, -3.0, 9.0], True),
        ([4.0, 4.0, 4.0], True),
        ([-0.0, 1.0, 2.0], True),
        ([0.0, 0.5, 1.0], False),
        ([0.0, 1.0, 2.0**16], False),  # too wide
        ([2.0**50, 2.0**50, 2.0**50 + 1], False),  # too far from zero
        ([1e300, -1e300, 0.0], False),
    ],
)
def test_whole_numbers_are_recognized(column, is_whole):
    beside = np.array([column, [1.0, 2.0, 3.0]])
    assert are_whole(beside).tolist() == [is_whole, True]
