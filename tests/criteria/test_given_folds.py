"""Folds and splits that are given instead of counted off."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless import Dataset, Direction
from sweepless.criteria.bayes.gaussian import GaussianNB
from sweepless.criteria.bayes.multinomial import MultinomialNB
from sweepless.criteria.folds import Partition, Split, positional_folds
from sweepless.criteria.linear.least_squares import LeastSquares
from sweepless.criteria.linear.ridge import RidgeCriterion
from sweepless.criteria.neighbors.knn import KNN
from sweepless.criteria.neighbors.regression import KNNRegression
from sweepless.criteria.svm import SVM
from sweepless.errors import DataError, InputError
from sweepless.testing import check_criterion

DRAWS = np.random.default_rng(0)
Y = DRAWS.permutation(np.arange(33) % 3)
X = np.abs(DRAWS.normal(size=(33, 5)) + 0.3 * Y[:, None])
STRATIFIED = [KNN, GaussianNB, MultinomialNB, SVM]
REPEATABLE = [GaussianNB, MultinomialNB, SVM, RidgeCriterion, LeastSquares]


@pytest.mark.parametrize("criterion", [*STRATIFIED, KNNRegression, RidgeCriterion, LeastSquares])
def test_given_folds_are_the_same_as_counted_ones(criterion):
    data = Dataset(X, Y)
    strata = Y if criterion in STRATIFIED else np.zeros_like(Y)
    counted, given = criterion(folds=4).bind(data), criterion(folds=positional_folds(strata, 4)).bind(data)
    for cursor in (counted, given):
        cursor.jump([1, 3])
    for direction in Direction:
        pool = direction.pool(counted.members)
        assert np.array_equal(counted.peek(direction, pool), given.peek(direction, pool))
    assert counted.evaluate([0, 2, 4]) == given.evaluate([0, 2, 4])


@pytest.mark.parametrize("criterion", [*STRATIFIED, KNNRegression, LeastSquares])
def test_a_partition_is_the_mean_of_its_splits(criterion):
    data = Dataset(X, Y)
    folds = DRAWS.permutation(np.arange(33) % 3)
    whole = criterion(folds=folds).bind(data)
    splits = [Split(np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)) for fold in range(3)]
    parts = [criterion(folds=split).bind(data) for split in splits]
    for cursor in (whole, *parts):
        cursor.jump([0, 1, 4])
    for direction in Direction:
        pool = direction.pool(whole.members)
        mean = np.mean([part.peek(direction, pool) for part in parts], axis=0)
        np.testing.assert_allclose(whole.peek(direction, pool), mean, rtol=1e-14)


@pytest.mark.parametrize("criterion", REPEATABLE)
def test_repeated_folds_have_the_mean_of_their_partitions(criterion):
    data = Dataset(X, Y)
    table = np.array([DRAWS.permutation(np.arange(33) % 3) for _ in range(4)])
    whole, parts = criterion(folds=table).bind(data), [criterion(folds=row).bind(data) for row in table]
    for cursor in (whole, *parts):
        cursor.jump([0, 1, 4])
    for direction in Direction:
        pool = direction.pool(whole.members)
        mean = np.mean([part.peek(direction, pool) for part in parts], axis=0)
        np.testing.assert_allclose(whole.peek(direction, pool), mean, rtol=1e-14)
    check_criterion(criterion(folds=table), data, n_rounds=2)


def test_repeats_are_counted_and_taken_apart():
    table = [[0, 1, 2, 0], [2, 1, 0, 0]]
    repeated = Partition(table)
    assert (repeated.repeats, repeated.n_folds) == (2, 3)
    assert repeated.each() == [Partition(row) for row in table]
    assert Partition([[0, 1, 1]]) == Partition([0, 1, 1])
    assert repr(repeated) == "Partition(3 folds of 4 samples, 2 repeats)"


@pytest.mark.parametrize("folds", [[[0, 1, 1], [0, 0, 0]], [[0, 1, 2], [0, 1, 1]], [[0, 1], [0]], [[], []]])
def test_every_repeat_must_number_the_same_folds(folds):
    with pytest.raises(InputError, match="`folds` must"):
        Partition(folds)


def test_samples_of_neither_part_do_not_count():
    split = Split(range(10, 25), range(25, 33))
    alone = Split(range(15), range(15, 23))
    for criterion in (KNN, GaussianNB, SVM, LeastSquares):
        within = criterion(folds=split).bind(Dataset(X, Y)).evaluate([0, 2, 3])
        assert within == pytest.approx(criterion(folds=alone).bind(Dataset(X[10:], Y[10:])).evaluate([0, 2, 3]))


@pytest.mark.parametrize("folds", [[0, 0, 0], [0, 2, 2], [1, 2, 1], [-1, 0, 1], [0.0, 1.0], [[[0, 1], [1, 0]]], []])
def test_folds_must_be_numbered_from_zero(folds):
    with pytest.raises(InputError, match="`folds` must"):
        Partition(folds)


@pytest.mark.parametrize(("train", "test"), [([0, 1], [1]), ([0, 0], [1]), ([], [1]), ([0], []), ([0.5], [1])])
def test_a_split_holds_every_sample_once(train, test):
    with pytest.raises(InputError, match="must"):
        Split(train, test)


def test_folds_must_fit_the_data():
    with pytest.raises(DataError, match="`folds` must name a fold for each of the 33 samples of data, got 3"):
        KNN(folds=[0, 1, 0]).bind(Dataset(X, Y))
    with pytest.raises(DataError, match="the given split must hold rows of the 33 samples of data, got others"):
        GaussianNB(folds=Split([0, 1], [33])).bind(Dataset(X, Y))
    with pytest.raises(InputError, match="`folds` must be an integer of at least 2"):
        RidgeCriterion(folds=Split([0, 1], [2]))


def test_criteria_with_given_folds_are_comparable_and_short_to_print():
    assert KNN(folds=[0, 1, 0]) == KNN(folds=np.array([0, 1, 0])) != KNN(folds=[0, 1, 1])
    assert hash(KNN(folds=[0, 1])) == hash(KNN(folds=(0, 1)))
    assert repr(SVM(folds=[0, 1, 0]).folds) == "Partition(2 folds of 3 samples)"
    assert repr(Split([0, 1], [5])) == "Split(2 train, 1 test)"
