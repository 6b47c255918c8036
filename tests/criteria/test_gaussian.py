"""Distances between normal classes: equal to the formulas, and a function of the set whatever the data."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from sweepless import Dataset, Direction
from sweepless.criteria.gaussian.distances import GaussianBhattacharyya, GaussianDivergence, GeneralizedMahalanobis
from sweepless.errors import DataError, InputError
from sweepless.testing import check_criterion
from tests.reference.cases import knn_cases
from tests.reference.gaussian import Gaussian
from tests.reference.moves import require_peeks_by_definition, wander

CRITERIA = {
    "bhattacharyya": GaussianBhattacharyya,
    "divergence": GaussianDivergence,
    "mahalanobis": GeneralizedMahalanobis,
}
CASES = knn_cases()
HARD = [
    "three unsorted classes",
    "binary",
    "constant columns",
    "duplicate columns",
    "classes of one sample",
    "one feature",
    "huge but one",
    "tiny",
    "mixed scales",
    "offset with few digits left",
]


def normal(seed=0, n_samples=120, n_features=9, n_classes=2):
    draws = np.random.default_rng(seed)
    codes = draws.permutation(np.minimum(np.arange(n_samples) % (n_classes + 1), n_classes - 1))
    spread = draws.normal(size=(n_classes, n_features, n_features)) * 0.4 + np.eye(n_features)
    X = np.einsum("nij,nj->ni", spread[codes], draws.normal(size=(n_samples, n_features)))
    return X + 0.7 * draws.normal(size=(n_classes, n_features))[codes], codes


def collinear():
    X, codes = normal(3, n_samples=40)
    X[:, 4] = X[:, 0] - 2 * X[:, 1]
    X[:, 7] = X[:, 2]
    X[:, 8] = 5.0
    return X, codes


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("name", CRITERIA)
def test_values_are_those_of_the_formula(name, n_classes):
    X, codes = normal(n_classes, n_classes=n_classes)
    cursor, naive = CRITERIA[name]().bind(Dataset(X, codes)), Gaussian(X, codes)
    draws = np.random.default_rng(1)
    for size in range(1, X.shape[1] + 1):
        members = np.sort(draws.choice(X.shape[1], size, replace=False))
        assert cursor.evaluate(members) == pytest.approx(naive.value(name, members.tolist()), rel=1e-7, abs=2e-8)


@pytest.mark.parametrize("name", CRITERIA)
def test_two_classes_are_the_two_class_formula(name):
    X, codes = normal()
    value = CRITERIA[name]().bind(Dataset(X, codes)).evaluate([1, 4, 6])
    assert value == pytest.approx(getattr(Gaussian(X, codes), name)(0, 1, [1, 4, 6]), abs=2e-8)


@pytest.mark.parametrize("name", CRITERIA)
def test_a_singular_covariance_has_the_regularised_value(name):
    X, codes = collinear()
    naive = Gaussian(X, codes, 1e-3)
    cursor = CRITERIA[name](1e-3).bind(Dataset(X, codes))
    for members in ([0, 1, 4], [2, 7], [8], [3, 8], list(range(9))):
        assert cursor.evaluate(members) == pytest.approx(naive.value(name, members), rel=1e-6, abs=2e-8)


@pytest.mark.parametrize("name", CRITERIA)
def test_a_constant_feature_alone_is_worth_nothing(name):
    X, codes = collinear()
    assert CRITERIA[name]().bind(Dataset(X, codes)).evaluate([8]) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.parametrize("data", [normal(), normal(4, n_classes=4), collinear()], ids=["two", "four", "collinear"])
def test_the_contract_is_kept(name, data):
    check_criterion(CRITERIA[name](), Dataset(*data), n_rounds=4)


@pytest.mark.parametrize("case", HARD)
def test_hard_data_keep_the_contract(case):
    check_criterion(list(CRITERIA.values())[HARD.index(case) % 3](), Dataset(*CASES[case]), n_rounds=3)


@pytest.mark.parametrize("name", CRITERIA)
def test_hundreds_of_moves_leave_no_trace(name):
    X, codes = normal(5, n_features=14)
    cursor = CRITERIA[name]().bind(Dataset(X, codes))
    for step in wander(cursor, 400, np.random.default_rng(6)):
        if step % 20 == 19:
            require_peeks_by_definition(cursor)


@pytest.mark.parametrize("name", CRITERIA)
def test_ordinary_neighbours_are_not_computed_from_scratch(name, monkeypatch):
    X, codes = normal(7, n_samples=300, n_features=60)
    cursor = CRITERIA[name]().bind(Dataset(X, codes))
    cursor.jump(np.arange(10))
    calls = []
    evaluate = cursor.evaluate
    monkeypatch.setattr(cursor, "evaluate", lambda members: calls.append(1) or evaluate(members))
    cursor.peek(Direction.ADD, np.arange(10, 60))
    cursor.peek(Direction.REMOVE, np.arange(10))
    assert len(calls) <= 6


def test_units_do_not_matter_and_sparse_is_the_same():
    X, codes = normal(8)
    dense = GaussianBhattacharyya().bind(Dataset(X, codes)).evaluate([0, 3, 5])
    scaled = GaussianBhattacharyya().bind(Dataset(X * 10.0 ** np.arange(-4, 5) + 3.0, codes)).evaluate([0, 3, 5])
    assert scaled == pytest.approx(dense, abs=2e-8)
    assert GaussianBhattacharyya().bind(Dataset(sparse.csc_matrix(X), codes)).evaluate([0, 3, 5]) == dense


def test_invalid_arguments_are_refused():
    X, codes = normal()
    with pytest.raises(DataError, match="no labels"):
        GaussianBhattacharyya().bind(Dataset(X))
    with pytest.raises(DataError, match="at least two classes, got 1"):
        GaussianDivergence().bind(Dataset(X, np.zeros(len(X), dtype=int)))
    with pytest.raises(DataError, match="a feature that varies"):
        GeneralizedMahalanobis().bind(Dataset(np.ones_like(X), codes))
    for wrong in (0.0, -1.0, 2.0, float("nan"), "small", True):
        with pytest.raises(InputError, match="`regularization` must be a number from 1e-12 to 1, got"):
            GaussianBhattacharyya(wrong)
    with pytest.raises(InputError, match="no holdout validation"):
        GaussianBhattacharyya().validate(Dataset(X, codes), Dataset(X, codes), [0])
