"""Soft neighbors: peeks equal the definition bit for bit, and the definition its naive twin."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from sweepless import Dataset, Direction
from sweepless.criteria import SoftNeighbors
from sweepless.errors import CriterionError, DataError, InputError
from sweepless.testing import check_criterion
from tests.reference.cases import knn_cases
from tests.reference.moves import require_peeks_by_definition, wander
from tests.reference.soft_neighbors import soft_value

CASES = knn_cases()
VARIANTS = [
    SoftNeighbors(),
    SoftNeighbors(score="log_loss"),
    SoftNeighbors(bandwidth=0.05, power=4),
    SoftNeighbors(bandwidth=1e-5, power=1),  # most weights round to zero
    SoftNeighbors(bandwidth=50.0, power=2, n_jobs=2),
    SoftNeighbors(memory_limit=0),
]
pytestmark = pytest.mark.filterwarnings("ignore:the distances of")


@pytest.mark.parametrize("name", CASES)
def test_every_value_is_that_of_the_definition(name):
    X, y = CASES[name]
    data = Dataset(X, y)
    draws = np.random.default_rng(1)
    for criterion in VARIANTS:
        cursor = criterion.bind(data)
        for _ in wander(cursor, 6, draws):
            require_peeks_by_definition(cursor)
            members = np.sort(draws.choice(data.n_features, draws.integers(1, data.n_features + 1), replace=False))
            options = criterion.bandwidth, criterion.power, criterion.score
            naive = soft_value(X, data.codes.tolist(), members.tolist(), *options)
            assert cursor.evaluate(members) == pytest.approx(naive, rel=1e-9, abs=1e-12), (criterion, members)


@pytest.mark.parametrize("name", ["ordinary", "many classes", "mixed scales", "one feature", "classes of one sample"])
def test_the_contract_holds(name):
    check_criterion(SoftNeighbors(), Dataset(*CASES[name]))


def test_the_value_needs_neither_the_unit_nor_the_order_of_the_samples():
    X, y = CASES["three unsorted classes"]
    value = SoftNeighbors().bind(Dataset(X, y)).evaluate([1, 2, 5])
    assert SoftNeighbors().bind(Dataset(8.0 * X, y)).evaluate([1, 2, 5]) == value
    shuffled = np.random.default_rng(3).permutation(len(y))
    assert SoftNeighbors().bind(Dataset(X[shuffled], y[shuffled])).evaluate([1, 2, 5]) == pytest.approx(value)


def test_informative_features_are_worth_more_and_constant_ones_nothing():
    rng = np.random.default_rng(2)
    y = np.arange(60) % 3
    X = np.column_stack([y + 0.1 * rng.normal(size=60), rng.normal(size=60), np.ones(60)])
    for score, worst in (("brier", -1.0), ("log_loss", -np.log(60))):
        cursor = SoftNeighbors(score=score).bind(Dataset(X, y))
        informative, noise, constant = cursor.peek(Direction.ADD, np.arange(3))
        assert worst < noise < informative < 0.0
        # All samples are equally near: 19 of the 59 others are of the own class, 20 of each other class.
        shares = np.array([19, 20, 20]) / 59
        known = -0.5 * ((1 - shares[0]) ** 2 + 2 * shares[1] ** 2) if score == "brier" else np.log(shares[0])
        assert constant == pytest.approx(known, abs=1e-12)
        assert cursor.evaluate([0, 2]) == informative


def test_a_bandwidth_keeps_its_meaning_as_copies_of_features_come_in():
    X, y = CASES["ordinary"]
    cursor = SoftNeighbors().bind(Dataset(np.hstack([X, X]), y))
    once = cursor.evaluate(np.arange(X.shape[1]))
    assert cursor.evaluate(np.arange(2 * X.shape[1])) == pytest.approx(once, abs=1e-12)


def test_new_samples_are_predicted_by_all_known_ones():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(80, 4))
    y = np.array(["no", "yes"])[(X[:, 1] > 0).astype(int)]
    train, test = Dataset(X[:50], y[:50]), Dataset(X[50:], y[50:])
    spread = X[:50, [1, 2]].var(axis=0).sum()
    for score in ("brier", "log_loss"):
        criterion = SoftNeighbors(score=score)
        losses = []
        for row, label in zip(X[50:], y[50:]):
            weights = (1 + ((row[[1, 2]] - X[:50, [1, 2]]) ** 2).sum(axis=1) / (0.49 * spread)) ** -8.0
            share = weights[y[:50] == label].sum() / weights.sum()
            losses.append((1 - share) ** 2 if score == "brier" else -np.log(max(share, 1 / 50)))
        assert criterion.validate(train, test, np.array([1, 2])) == pytest.approx(-np.mean(losses), abs=1e-9)
    stranger = Dataset(X[50:], np.where(y[50:] == "no", "perhaps", "yes"))
    assert SoftNeighbors().validate(train, stranger, np.array([1])) < SoftNeighbors().validate(
        train, test, np.array([1])
    )


def test_distances_that_are_not_kept_take_little_memory():
    n_samples = 3000
    X = np.random.default_rng(2).random((n_samples, 3))
    with pytest.warns(UserWarning, match="computed when needed"):
        cursor = SoftNeighbors(memory_limit=2**20).bind(Dataset(X, np.arange(n_samples) % 2))
    cursor.jump([0])
    cursor.peek(Direction.ADD, np.array([1]))
    tracemalloc.start()
    cursor.peek(Direction.ADD, np.array([1, 2]))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 2**20  # all pairs would take 34 MiB


def test_what_makes_no_sense_is_refused():
    X, y = CASES["ordinary"]
    with pytest.raises(DataError, match="at least two classes"):
        SoftNeighbors().bind(Dataset(X, np.zeros(len(y), int)))
    with pytest.raises(DataError, match="a feature that varies"):
        SoftNeighbors().bind(Dataset(np.ones((6, 2)), [0, 1, 0, 1, 0, 1]))
    with pytest.raises(CriterionError, match="the empty subset has no value"):
        SoftNeighbors().bind(Dataset(X, y)).evaluate([])
    with pytest.raises(InputError, match="`bandwidth` must be a positive number"):
        SoftNeighbors(bandwidth=0.0)
    with pytest.raises(InputError, match="`power` must be one of 1, 2, 4, 8, got 3"):
        SoftNeighbors(power=3)
    with pytest.raises(InputError, match="`score` must be one of brier, log_loss, got 'accuracy'"):
        SoftNeighbors(score="accuracy")
