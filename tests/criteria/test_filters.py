"""Filters from pairs: exact whatever the path, and equal to their formulas."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from sweepless import Dataset, Direction
from sweepless.criteria.filters import CFS, JointMutualInformation, discretized
from sweepless.errors import DataError, InputError
from sweepless.testing import check_criterion
from tests.reference.cases import knn_cases
from tests.reference.filters import binned, cfs_value, jmi_value
from tests.reference.moves import require_peeks_by_definition, wander

CASES = knn_cases(n_samples=40)
KINDS = [(CFS, cfs_value, 10), (JointMutualInformation, jmi_value, 5)]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(("kind", "naive", "bins"), KINDS)
def test_values_are_those_of_the_formulas(kind, naive, bins, name):
    X, y = CASES[name]
    cursor = kind().bind(Dataset(X, y))
    draws = np.random.default_rng(0)
    for size in {1, min(2, X.shape[1]), min(4, X.shape[1]), X.shape[1]}:
        members = np.sort(draws.choice(X.shape[1], size, replace=False))
        assert cursor.evaluate(members) == pytest.approx(naive(X, y.tolist(), members.tolist(), bins), abs=1e-7)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("kind", [CFS, JointMutualInformation])
def test_j_is_a_function_of_the_set(kind, name):
    check_criterion(kind(bins=4), Dataset(*CASES[name]), n_rounds=2)


@pytest.mark.parametrize("kind", [CFS, JointMutualInformation])
def test_hundreds_of_moves_leave_no_trace(kind):
    cursor = kind().bind(Dataset(*CASES["three unsorted classes"]))
    for _ in wander(cursor, 300, np.random.default_rng(1)):
        pass
    assert 1 < cursor.size < cursor.n_features  # neighbors in both directions
    require_peeks_by_definition(cursor)


def test_a_copy_adds_nothing_to_correlation_but_an_independent_feature_does():
    draws = np.random.default_rng(2)
    y = np.arange(400) % 2
    first, second = ((y ^ (draws.random(400) < 0.2)) for _ in range(2))
    cursor = CFS().bind(Dataset(np.column_stack([first, first, second]), y))
    cursor.move(Direction.ADD, 0)
    copy, other = cursor.peek(Direction.ADD, np.array([1, 2]))
    assert other > copy == pytest.approx(cursor.evaluate([0]))


def test_joint_information_sees_what_only_a_pair_tells():
    draws = np.random.default_rng(3)
    bits = draws.integers(0, 2, (400, 3))
    cursor = JointMutualInformation().bind(Dataset(bits, bits[:, 0] ^ bits[:, 1]))
    assert cursor.evaluate([0, 1]) == pytest.approx(np.log(2), abs=0.02)
    assert cursor.evaluate([0, 2]) < 0.05


@pytest.mark.parametrize("bins", [2, 5, 10])
@pytest.mark.parametrize("name", ["ordinary", "small integers", "binary", "constant columns", "mixed scales", "bytes"])
def test_bins_are_of_equal_frequency_and_never_part_equal_values(name, bins):
    for column in CASES[name][0].T.astype(float):
        codes, naive = discretized(column, bins).tolist(), binned(column, bins)
        assert max(codes) < bins
        assert len(set(zip(codes, naive))) == len(set(codes)) == len(set(naive))


def test_sparse_columns_have_the_same_values():
    X, y = CASES["small integers"]
    for kind in (CFS, JointMutualInformation):
        assert kind().bind(Dataset(sparse.csc_matrix(X), y)).evaluate([1, 4]) == kind().bind(Dataset(X, y)).evaluate(
            [1, 4]
        )


@pytest.mark.parametrize("kind", [CFS, JointMutualInformation])
def test_invalid_arguments_are_refused(kind):
    with pytest.raises(InputError, match=r"^`bins` must be an integer from 2 to 255, got 1\.$"):
        kind(bins=1)
    with pytest.raises(DataError, match="at least two classes, got 1"):
        kind().bind(Dataset(np.eye(4), np.zeros(4, dtype=int)))
    with pytest.raises(InputError, match="has no holdout validation"):
        kind().validate(Dataset(np.eye(2), [0, 1]), Dataset(np.eye(2), [0, 1]), np.array([0]))
