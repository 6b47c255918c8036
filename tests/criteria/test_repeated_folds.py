"""Several partitions at once: the mean of their values, exactly, whatever lists and filters prove."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless import Dataset
from sweepless.criteria import KNN, KNNRegression, Partition
from sweepless.errors import DataError, InputError
from sweepless.testing import check_criterion
from tests.reference.cases import knn_cases
from tests.reference.knn import distances, votes_of, worth
from tests.reference.moves import require_peeks_by_definition, wander

CASES = knn_cases()
N_SAMPLES = 36
DRAWS = np.random.default_rng(7)
THIRDS = np.array([DRAWS.permutation(np.arange(N_SAMPLES) % 3) for _ in range(4)])
UNEVEN = Partition(np.array([np.arange(N_SAMPLES) // 30, np.arange(N_SAMPLES) % 2]))  # a big fold, and halves
VARIANTS = [
    KNN(folds=THIRDS),
    KNN(folds=UNEVEN, score="brier"),
    KNN(n_neighbors=3, folds=THIRDS, score="brier"),
    KNN(n_neighbors=5, folds=UNEVEN, ties="index", metric="manhattan"),
    KNN(n_neighbors=4, folds=UNEVEN, score="log_loss", memory_limit=0),
    KNN(n_neighbors=2, folds=THIRDS[:1], score="brier", n_jobs=2),
]
pytestmark = pytest.mark.filterwarnings("ignore:the distances of")


def naive(criterion, X, codes, members):
    distance = distances(X, members, criterion.metric)
    values = []
    for partition in criterion.folds.each():
        means = []
        for fold in range(max(partition.folds) + 1):
            test = [i for i, own in enumerate(partition.folds) if own == fold]
            train = [i for i, own in enumerate(partition.folds) if own != fold]
            votes = [votes_of(distance[i], codes, train, criterion.n_neighbors, criterion.ties) for i in test]
            means.append(np.mean([worth(each, codes[i], criterion.score) for each, i in zip(votes, test)]))
        values.append(np.mean(means))
    return np.mean(values)


@pytest.mark.parametrize("name", CASES)
def test_every_value_is_the_mean_over_the_partitions(name):
    X, y = CASES[name]
    data = Dataset(X, y)
    draws = np.random.default_rng(1)
    for criterion in VARIANTS:
        cursor = criterion.bind(data)
        for _ in wander(cursor, 4, draws):
            require_peeks_by_definition(cursor)
            sizes = draws.integers(1, data.n_features + 1, size=3)
            subsets = [np.sort(draws.choice(data.n_features, size, replace=False)) for size in sizes]
            values = [cursor.evaluate(members) for members in subsets]
            assert cursor.evaluate_many(subsets).tolist() == values
            assert values[0] == pytest.approx(naive(criterion, X, data.codes.tolist(), subsets[0].tolist()), abs=1e-9)


def test_the_contract_holds():
    check_criterion(KNN(n_neighbors=3, folds=THIRDS, score="log_loss"), Dataset(*CASES["three unsorted classes"]))


def test_one_partition_and_repeated_ones_have_the_value_of_a_partition():
    data = Dataset(*CASES["small integers"])
    members = np.array([0, 2, 5])
    once = KNN(3, Partition(THIRDS[0])).bind(data).evaluate(members)
    assert KNN(3, Partition(THIRDS[:1])).bind(data).evaluate(members) == once
    assert KNN(3, Partition(THIRDS[[0, 0]])).bind(data).evaluate(members) == pytest.approx(once, abs=1e-15)


def test_an_array_of_two_dimensions_means_repeats():
    assert KNN(folds=THIRDS) == KNN(folds=Partition(THIRDS)) != KNN(folds=Partition(THIRDS[1:]))
    assert repr(KNN(folds=THIRDS).folds) == "Partition(3 folds of 36 samples, 4 repeats)"


def test_what_makes_no_sense_is_refused():
    X, y = CASES["ordinary"]
    with pytest.raises(DataError, match="a fold for each of the 36 samples of data, got 35"):
        KNN(folds=THIRDS[:, :-1]).bind(Dataset(X, y))
    with pytest.raises(DataError, match="must be at most 6, the smallest training part"):
        KNN(n_neighbors=7, folds=UNEVEN).bind(Dataset(X, y))
    with pytest.raises(InputError, match="`folds` must be one partition here, got 4 repeats"):
        KNNRegression(folds=THIRDS).bind(Dataset(X, np.arange(36.0)))
