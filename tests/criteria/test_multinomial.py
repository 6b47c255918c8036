"""The multinomial model: exact whatever the path, and equal to the formulas."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from sweepless import Dataset, Direction
from sweepless.criteria import MultinomialBhattacharyya
from sweepless.errors import CriterionError, DataError, InputError
from tests.reference.moves import require_peeks_by_definition, wander
from tests.reference.multinomial import Multinomial

CLOSE = 1e-9


def counts(seed=0, n_samples=40, n_features=9, n_classes=3):
    draws = np.random.default_rng(seed)
    codes = draws.permutation(np.arange(n_samples) % n_classes)
    rates = draws.gamma(0.6, 3.0, (n_classes, n_features))
    return draws.poisson(rates[codes]), codes


def cases():
    ordinary, codes = counts()
    empty_column = ordinary.copy()
    empty_column[:, 4] = 0
    draws = np.random.default_rng(1)
    return {
        "counts": (ordinary, codes),
        "two classes": counts(2, n_classes=2),
        "many classes": counts(3, n_samples=66, n_classes=33),
        "a word never used": (empty_column, codes),
        "binary": (np.minimum(ordinary, 1), codes),
        "bytes": (ordinary.astype(np.uint8), codes),
        "large counts": (ordinary * 10**8, codes),
        "halves": (ordinary / 2, codes),
        "fractions": (draws.random(ordinary.shape) * 5, codes),
        "two features": counts(4, n_features=2),
    }


CASES = cases()


@pytest.mark.parametrize("name", CASES)
def test_values_are_those_of_the_formula(name):
    X, codes = CASES[name]
    cursor = MultinomialBhattacharyya().bind(Dataset(X, codes))
    naive = Multinomial(X, codes.tolist())
    draws = np.random.default_rng(5)
    # Fractions are rounded once to a grid of about 1e-6; whole counts and halves are not.
    close = 1e-5 if name == "fractions" else CLOSE
    for size in range(1, X.shape[1] + 1):
        members = np.sort(draws.choice(X.shape[1], size, replace=False))
        assert cursor.evaluate(members) == pytest.approx(naive.value(members.tolist()), rel=close, abs=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_peeks_are_the_values_bit_for_bit(name):
    X, codes = CASES[name]
    cursor = MultinomialBhattacharyya().bind(Dataset(X, codes))
    for _ in wander(cursor, 60, np.random.default_rng(6)):
        require_peeks_by_definition(cursor)


@pytest.mark.parametrize("name", CASES)
def test_sparse_counts_have_the_same_values(name):
    X, codes = CASES[name]
    dense = MultinomialBhattacharyya().bind(Dataset(X, codes))
    compressed = MultinomialBhattacharyya().bind(Dataset(sparse.csr_matrix(X), codes))
    close = 0 if name != "fractions" else 1e-5  # sums of fractions may round to neighboring grid points
    for size in range(1, X.shape[1] + 1):
        members = np.arange(size)
        assert compressed.evaluate(members) == pytest.approx(dense.evaluate(members), rel=close, abs=0)


@pytest.mark.parametrize("name", CASES)
def test_single_features_are_valued_by_the_individual_measures(name):
    X, codes = CASES[name]
    cursor = MultinomialBhattacharyya().bind(Dataset(X, codes))
    naive = Multinomial(X, codes.tolist())
    features = range(X.shape[1])
    close = 1e-5 if name == "fractions" else CLOSE
    bhattacharyya = [naive.individual_bhattacharyya(f) for f in features]
    information = [naive.individual_information(f) for f in features]
    assert cursor.individual("bhattacharyya") == pytest.approx(bhattacharyya, rel=close, abs=1e-12)
    assert cursor.individual("mutual_information") == pytest.approx(information, rel=close, abs=1e-12)
    assert cursor.peek(Direction.ADD, np.array(features)).tolist() == cursor.individual("bhattacharyya").tolist()


def test_a_measure_handed_out_is_not_part_of_the_criterion():
    cursor = MultinomialBhattacharyya().bind(Dataset(*counts()))
    before = cursor.evaluate([0])
    cursor.individual("bhattacharyya")[:] = 0.0
    assert cursor.evaluate([0]) == before


def test_an_unknown_measure_is_refused():
    with pytest.raises(InputError, match="`measure` must be one of bhattacharyya, mutual_information, got 'x'"):
        MultinomialBhattacharyya().bind(Dataset(*counts())).individual("x")


def test_priors_come_from_the_whole_data_or_from_the_training_part():
    X, codes = counts(7)
    whole = Dataset(X, codes)
    rows = np.flatnonzero((codes != 1) | (np.arange(len(codes)) % 3 == 0))  # class 1 is thinned out
    part = whole.take(rows)
    members = [0, 2, 5]
    naive_whole = Multinomial(X[rows], codes[rows].tolist(), sizes=np.bincount(codes).tolist())
    naive_part = Multinomial(X[rows], codes[rows].tolist())
    assert MultinomialBhattacharyya("whole").bind(part).evaluate(members) == pytest.approx(
        naive_whole.value(members), rel=CLOSE
    )
    assert MultinomialBhattacharyya("training").bind(part).evaluate(members) == pytest.approx(
        naive_part.value(members), rel=CLOSE
    )


@pytest.mark.parametrize("kept", [np.asarray, sparse.csc_matrix])
def test_validation_is_naive_bayes_on_the_subset(kept):
    X, codes = counts(8, n_samples=90)
    whole = Dataset(kept(X), codes)
    train, test = whole.take(np.arange(60)), whole.take(np.arange(60, 90))
    naive = Multinomial(X[:60], codes[:60].tolist(), sizes=np.bincount(codes).tolist())
    members = [6, 1, 3]
    right = [naive.predicted(X[i], sorted(members)) == codes[i] for i in range(60, 90)]
    assert MultinomialBhattacharyya().validate(train, test, members) == sum(right) / 30
    assert MultinomialBhattacharyya().validate(train, test, [1]) == 0.0


def test_what_is_not_a_count_is_refused():
    X, codes = counts()
    with pytest.raises(DataError, match="not negative"):
        MultinomialBhattacharyya().bind(Dataset(X - 1.0, codes))
    with pytest.raises(DataError, match="less than 2\\*\\*41"):
        MultinomialBhattacharyya().bind(Dataset(X * 1e12, codes))
    with pytest.raises(DataError, match="empty class"):
        MultinomialBhattacharyya().bind(Dataset(X, codes, classes=[0, 1, 2, 3]))
    with pytest.raises(InputError, match="`prior` must be one of whole, training, got 'flat'"):
        MultinomialBhattacharyya("flat")


@pytest.mark.parametrize("name", CASES)
def test_many_subsets_have_the_values_of_each_bit_for_bit(name):
    X, codes = CASES[name]
    cursor = MultinomialBhattacharyya().bind(Dataset(X, codes))
    draws = np.random.default_rng(7)
    subsets = [np.sort(draws.choice(X.shape[1], 1 + k % X.shape[1], replace=False)) for k in range(50)]
    expected = [cursor.evaluate(members) for members in subsets]
    assert cursor.evaluate_many(subsets).tolist() == expected
    naive = [Multinomial(X, codes.tolist()).value(members.tolist()) for members in subsets[:12]]
    assert expected[:12] == pytest.approx(naive, rel=1e-5 if name == "fractions" else CLOSE, abs=1e-12)
    assert cursor.evaluate_many([members[::-1].tolist() for members in subsets]).tolist() == expected
    assert cursor.evaluate_many([]).tolist() == []
    with pytest.raises(CriterionError, match="the empty subset has no value"):
        cursor.evaluate_many([subsets[0], np.empty(0, dtype=np.intp)])
