"""Criteria on standardized features and on some of the samples."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from sweepless import Dataset
from sweepless.criteria import KNN, GaussianNB, RidgeCriterion, SoftNeighbors, Standardized, Thinned
from sweepless.errors import InputError
from sweepless.testing import check_criterion

RNG = np.random.default_rng(0)
X = np.column_stack(
    [RNG.normal(size=(40, 4)) * [1, 100, 1e-3, 5] + [0, 5, 1, -3], RNG.poisson(0.4, (40, 3)), np.ones(40)]
)
Y = (X[:, 0] + X[:, 4] > 0.4).astype(int)


def standardized(X, clip=None):
    """Standardize as the definition says."""

    def once(Z):
        spread = Z.std(axis=0)
        return np.where(spread > 0, (Z - Z.mean(axis=0)) / np.where(spread > 0, spread, 1.0), 0.0)

    return once(X) if clip is None else once(np.clip(once(X), -clip, clip))


@pytest.mark.parametrize("clip", [None, 1.0, 2.0])
@pytest.mark.parametrize("make", [np.asarray, sparse.csc_matrix, np.asfortranarray], ids=["rows", "sparse", "columns"])
def test_a_value_is_that_on_standardized_features(clip, make):
    for criterion in (KNN(), RidgeCriterion(3.0, score="class_r2"), SoftNeighbors()):
        value = Standardized(criterion, clip).bind(Dataset(make(X), Y)).evaluate([0, 1, 4, 7])
        expected = criterion.bind(Dataset(standardized(X, clip), Y)).evaluate([0, 1, 4, 7])
        assert value == pytest.approx(expected, abs=1e-9)


def test_the_contract_holds():
    check_criterion(Standardized(KNN(), 2.0), Dataset(X, Y))
    check_criterion(Standardized(RidgeCriterion(40.0, score="class_r2")), Dataset(sparse.csc_matrix(X), Y))
    check_criterion(Thinned(KNN(), 20), Dataset(X, Y))


def test_scale_and_shift_change_nothing():
    members = [0, 2, 5]
    other = X * 2.0 ** np.arange(8) + np.arange(8)
    first, second = (Standardized(KNN(), 2.0).bind(Dataset(some, Y)).evaluate(members) for some in (X, other))
    assert first == second


def test_extreme_values_count_as_constant():
    wide = np.column_stack([X, np.where(np.arange(40) % 2, 1e300, -1e300), np.full(40, 0.1)])
    cursor = Standardized(SoftNeighbors()).bind(Dataset(wide, Y))
    assert cursor.evaluate([0, 8, 9]) == cursor.evaluate([0])


def test_validation_uses_the_scales_of_the_training_part():
    train, test = Dataset(X[:30], Y[:30]), Dataset(X[30:] * 1000.0, Y[30:])
    mean, spread = X[:30].mean(axis=0), np.where(X[:30].std(axis=0) > 0, X[:30].std(axis=0), 1.0)
    by_hand = KNN().validate(
        Dataset((X[:30] - mean) / spread, Y[:30]), Dataset((X[30:] * 1000.0 - mean) / spread, Y[30:]), [0, 1]
    )
    assert Standardized(KNN()).validate(train, test, [0, 1]) == by_hand


def test_thinning_keeps_the_shares_of_classes():
    labels = np.repeat([0, 1, 2], [60, 30, 10])
    data = Dataset(RNG.normal(size=(100, 3)), labels)
    assert Thinned(KNN(), 20).bind(data).data.class_sizes.tolist() == pytest.approx([12, 6, 2], abs=1)
    assert Thinned(GaussianNB(), 200).bind(data).data is data
    numbers = Dataset(RNG.normal(size=(100, 3)), RNG.normal(size=100))
    kept = Thinned(RidgeCriterion(), 10).bind(numbers).data.target
    assert len(kept) == 10
    assert kept.min() == numbers.target.min() and kept.max() == numbers.target.max()


def test_what_makes_no_sense_is_refused():
    with pytest.raises(InputError, match="`clip` must be"):
        Standardized(KNN(), 0.0)
    with pytest.raises(InputError, match="`most` must be"):
        Thinned(KNN(), 1)
    with pytest.raises(InputError, match="must be made of criteria"):
        Standardized("knn")  # type: ignore[arg-type]
