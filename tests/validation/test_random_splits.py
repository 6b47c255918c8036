"""Stratified random splits: known vectors, and what holds for every split."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sweepless import Dataset, RandomSplits, run
from sweepless.criteria import FunctionCriterion
from sweepless.engine import PortableRng, ReferenceRng
from sweepless.engine.generator import make_rng
from sweepless.errors import DataError, InputError

law = settings(max_examples=40, deadline=None, derandomize=True, database=None)


def labelled(*sizes: int) -> Dataset:
    return Dataset(np.zeros((sum(sizes), 2)), np.repeat(np.arange(len(sizes)), sizes))


def only_split(splits: RandomSplits, data: Dataset, rng):
    (split,) = splits.split(data, rng)
    return split.train.tolist(), split.test.tolist()


@pytest.mark.parametrize(
    "n_samples, shares, train, test",
    [
        (10, (50, 50), [0, 1, 4, 7, 9], [2, 3, 5, 6, 8]),
        (11, (50, 50), [1, 7, 8, 9, 10], [0, 2, 3, 4, 5, 6]),
        (20, (50, 40), [0, 1, 2, 4, 5, 7, 9, 14, 18, 19], [3, 10, 11, 12, 13, 15, 16, 17]),
        (10, (80, 20), [0, 2, 3, 4, 5, 6, 8, 9], [1, 7]),
    ],
)
def test_one_class_as_the_reference_splits_it(n_samples, shares, train, test):
    assert only_split(RandomSplits(1, *shares), labelled(n_samples), ReferenceRng(1)) == (train, test)


def test_the_reference_goes_on_with_the_same_stream_after_the_split():
    rng = ReferenceRng(1)
    only_split(RandomSplits(), labelled(10), rng)
    assert rng.output() == 15724


def test_two_classes_share_one_stream():
    train, test = only_split(RandomSplits(), labelled(6, 7), ReferenceRng(1))
    assert train == [0, 4, 5, 6 + 2, 6 + 3, 6 + 5]
    assert test == [1, 2, 3, 6 + 0, 6 + 1, 6 + 4, 6 + 6]


@pytest.mark.parametrize(
    "n_items, size, members",
    [(20, 5, [0, 1, 7, 9, 14]), (500, 10, [0, 41, 169, 224, 334, 358, 462, 464, 467, 478])],
)
def test_random_subsets_of_the_reference(n_items, size, members):
    assert ReferenceRng(1).subset(n_items, size).tolist() == members


@law
@given(
    st.lists(st.integers(2, 40), min_size=1, max_size=4),
    st.integers(50, 90),
    st.integers(0, 50),
    st.integers(0, 99),
    st.sampled_from([PortableRng, ReferenceRng]),
)
def test_parts_are_disjoint_stratified_and_of_the_size_asked(sizes, train_share, test_share, seed, engine):
    test_share = min(test_share, 100 - train_share)
    data = labelled(*sizes)
    train, test = only_split(RandomSplits(1, train_share, test_share), data, engine(seed))
    assert len(set(train) | set(test)) == len(train) + len(test)
    for code, size in enumerate(sizes):
        n_train = sum(data.codes[row] == code for row in train)
        n_test = sum(data.codes[row] == code for row in test)
        assert n_train == size * train_share // 100
        rest = size - n_train
        assert n_test == (rest if train_share + test_share == 100 else size * test_share // 100)
    assert train == sorted(train) and test == sorted(test)  # the labels of this data are sorted


def test_rows_may_come_in_any_order():
    data = Dataset(np.zeros((12, 2)), ["b", "a"] * 6)
    train, test = only_split(RandomSplits(), data, PortableRng(3))
    assert sorted(train + test) == list(range(12))
    assert all(row % 2 for row in train[:3]) and not any(row % 2 for row in train[3:])


def test_a_split_depends_on_data_and_seed_only():
    """Methods with equal seeds are paired: no search, and no draw before it, changes the split (A56)."""
    data = labelled(20, 20)
    rng = PortableRng(7)
    before = only_split(RandomSplits(), data, rng)
    run("sSFS", FunctionCriterion(len), Dataset(np.zeros((1, 9))), rng=rng, budget=3)
    rng.uniforms(5)
    assert only_split(RandomSplits(), data, rng) == before
    assert only_split(RandomSplits(), data, PortableRng(7)) == before
    assert only_split(RandomSplits(), data, PortableRng(8)) != before


def test_several_splits_are_independent_and_the_first_does_not_depend_on_their_number():
    data = labelled(30)
    splits = [split.train.tolist() for split in RandomSplits(4).split(data, PortableRng(0))]
    assert len(set(map(tuple, splits))) == 4
    assert splits[0] == only_split(RandomSplits(), data, PortableRng(0))[0]


def test_applying_a_split_takes_the_rows_and_remembers_the_whole():
    data = Dataset(np.arange(20).reshape(10, 2), [0, 0, 0, 0, 0, 0, 1, 1, 1, 1], name="ten")
    (split,) = RandomSplits().split(data, PortableRng(1))
    train, test = split.apply(data)
    assert train.X.tolist() == data.X[split.train].tolist() and test.n_samples == 5
    assert train.population_class_sizes.tolist() == [6, 4]
    assert (train.name, test.name) == ("ten (train)", "ten (test)")


@pytest.mark.parametrize("arguments", [(0, 50, 50), (1, 0, 50), (1, 60, 50), (1, 50, -1)])
def test_shares_that_cannot_be_meant_are_refused(arguments):
    with pytest.raises(InputError):
        RandomSplits(*arguments)


def test_a_split_without_training_samples_is_refused():
    with pytest.raises(DataError, match="must leave training samples"):
        next(RandomSplits(1, 10, 90).split(labelled(3, 4), PortableRng(0)))


@pytest.mark.parametrize("rng", ["portable", "reference"])
def test_numbers_are_split_without_strata(rng):
    numbers = Dataset(np.arange(20.0).reshape(10, 2), np.linspace(0.1, 1, 10))
    whole = Dataset(numbers.X, np.arange(10), task="regression")
    for data in (numbers, whole):
        split = next(RandomSplits(1, 60, 40).split(data, make_rng(rng, 1)))
        assert len(split.train) == 6 and sorted([*split.train, *split.test]) == list(range(10))
        assert np.all(np.diff(split.train) > 0)
