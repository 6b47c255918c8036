"""k-NN by inverse distances: the same bits next door, the plain formula, no value where rounding would decide."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless import Dataset
from sweepless.criteria.folds import Split
from sweepless.criteria.neighbors.distance import DistanceKNN
from sweepless.errors import DataError, InputError
from tests.reference.cases import knn_cases
from tests.reference.knn import distances, weighed_mean
from tests.reference.moves import from_scratch, neighbors, wander

CASES = knn_cases(n_samples=24, n_features=5)
OVERFLOWING = ("huge", "huge but one", "tiny")
FOLDS = np.arange(24) % 3


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(
    "criterion",
    [
        DistanceKNN(3, FOLDS),
        DistanceKNN(4, FOLDS, "neg_mean_squared_error", exact_size=3),
        DistanceKNN(2, Split(range(6, 24), range(5)), "neg_mean_absolute_error", "manhattan"),
        DistanceKNN(2, FOLDS, "balanced_accuracy", exact_size=9, memory_limit=0),
    ],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore:the distances of", "ignore::RuntimeWarning")
def test_neighbours_have_the_bits_of_the_definition(name, criterion):
    X, labels = CASES[name]
    target = np.random.default_rng(0).normal(size=len(X)) if "neg" in criterion.score else labels
    cursor = criterion.bind(Dataset(X, target))
    for _ in wander(cursor, 6, np.random.default_rng(1)):
        for direction, pool in neighbors(cursor):
            np.testing.assert_array_equal(cursor.peek(direction, pool), from_scratch(cursor, direction, pool))


@pytest.mark.parametrize("name", [name for name in CASES if name not in OVERFLOWING])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_values_are_those_of_the_formula(name, metric):
    X, labels = CASES[name]
    target = np.random.default_rng(0).normal(size=len(X))
    codes = np.unique(labels, return_inverse=True)[1]
    numbers = DistanceKNN(3, FOLDS, "neg_mean_squared_error", metric, exact_size=9).bind(Dataset(X, target))
    classes = DistanceKNN(3, FOLDS, "accuracy", metric, exact_size=9).bind(Dataset(X, labels))
    for members in ([0], list(range(X.shape[1]))):
        apart = distances(X, members, metric)
        errors, is_right, is_close = np.empty((3, len(X)))
        for i in range(len(X)):
            train = np.flatnonzero(FOLDS[i] != FOLDS).tolist()
            errors[i] = (weighed_mean(apart[i], target, train, 3) - target[i]) ** 2
            shares = [weighed_mean(apart[i], codes == code, train, 3) for code in range(codes.max() + 1)]
            is_right[i], is_close[i] = np.argmax(shares) == codes[i], np.diff(np.sort(shares)[-2:])[0] < 4e-12
        assert numbers.evaluate(members) == pytest.approx(-np.mean(errors), rel=1e-9)
        value = classes.evaluate(members)
        assert np.isnan(value) if is_close.any() else value == pytest.approx(is_right.mean(), abs=1e-12)


def test_expanded_distances_that_lose_digits_have_no_value():
    draws = np.random.default_rng(2)
    X = draws.normal(size=(24, 3))
    X[1] = X[0] + 1e-3
    data = Dataset(X, draws.normal(size=24))
    assert np.isfinite(DistanceKNN(3, FOLDS, "r2", exact_size=2).bind(data).evaluate([0, 1]))
    assert np.isnan(DistanceKNN(3, FOLDS, "r2", exact_size=1).bind(data).evaluate([0, 1]))


def test_invalid_arguments_and_data_are_refused():
    with pytest.raises(InputError, match="`exact_size` must be an integer of at least 0, got -1"):
        DistanceKNN(exact_size=-1)
    with pytest.raises(InputError, match="`metric` must be one of euclidean, manhattan, got 'cosine'"):
        DistanceKNN(metric="cosine")
    with pytest.raises(DataError, match="smallest training part"):
        DistanceKNN(20, FOLDS).bind(Dataset(*CASES["ordinary"]))
