"""What single features promise: R² with the target, in the order of an F test."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import rankdata
from sklearn.feature_selection import f_classif, f_regression

from sweepless import Dataset
from sweepless.criteria import KNN, FunctionCriterion, Mean, RidgeCriterion, Units
from sweepless.criteria.promise import promise_of


def counts(n_samples: int = 60, n_features: int = 40) -> np.ndarray:
    rng = np.random.default_rng(0)
    return rng.poisson(rng.uniform(0.05, 2.0, n_features), (n_samples, n_features)).astype(np.float64)


def naive(X: np.ndarray, codes: np.ndarray | None, y: np.ndarray) -> np.ndarray:
    """R² of least squares on an indicator of every class, or on the numbers."""
    found = []
    for column in X.T:
        centered = column - column.mean()
        if not centered.any():
            found.append(0.0)
            continue
        inputs = np.column_stack([np.ones(len(y)), y]) if codes is None else np.eye(codes.max() + 1)[codes]
        fitted = inputs @ np.linalg.lstsq(inputs, column, rcond=None)[0]
        found.append(1.0 - np.sum((column - fitted) ** 2) / np.sum(centered**2))
    return np.array(found)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, sparse.csc_array])
@pytest.mark.parametrize("n_classes", [2, 5, None])
def test_it_is_r2_and_in_the_order_of_f(form, n_classes: int | None) -> None:
    X = counts()
    X[:, 3] = 2.0  # a constant
    rng = np.random.default_rng(1)
    y = (
        rng.normal(size=len(X)) + X[:, 7]
        if n_classes is None
        else (X[:, 7] + rng.integers(n_classes, size=60)) % n_classes
    )
    y = y if n_classes is None else y.astype(int)
    data = Dataset(form(X), y, task="regression" if n_classes is None else "classification")
    found = promise_of(data)
    codes = None if n_classes is None else np.unique(y, return_inverse=True)[1]
    np.testing.assert_allclose(found, naive(X, codes, y), rtol=0.0, atol=2.0**-24)  # to which it is rounded
    assert found[3] == 0.0
    with np.errstate(all="ignore"):
        F = np.nan_to_num((f_regression if n_classes is None else f_classif)(X, y)[0])
    assert np.array_equal(rankdata(found.round(10)), rankdata(F.round(8)))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_it_does_not_depend_on_the_order_of_sums(form) -> None:
    X, y = counts(200, 400), np.arange(200) % 3
    order = np.random.default_rng(2).permutation(200)
    assert np.array_equal(promise_of(Dataset(form(X), y)), promise_of(Dataset(form(X[order]), y[order])))


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_scales_do_not_matter(scale: float) -> None:
    X, y = counts(), np.arange(60) % 3
    np.testing.assert_allclose(promise_of(Dataset(X * scale, y)), promise_of(Dataset(X, y)), rtol=0.0, atol=2.0**-24)
    np.testing.assert_allclose(
        promise_of(Dataset(sparse.csc_matrix(X * scale), y)), promise_of(Dataset(X, y)), atol=1e-12
    )


def test_nothing_is_promised_without_one_target_that_is_known() -> None:
    X = counts()
    holes = X.copy()
    holes[0, 0] = np.nan
    assert promise_of(Dataset(X)) is None
    assert promise_of(Dataset(X, X[:, :2])) is None
    assert promise_of(Dataset(holes, np.arange(60) % 2, allow_missing=True)) is None
    assert FunctionCriterion(len).promise(Dataset(X, np.arange(60) % 2)) is None


def test_a_target_of_one_value_promises_nothing() -> None:
    assert not promise_of(Dataset(counts(), np.full(60, 1.5), task="regression")).any()


def test_units_promise_what_their_best_feature_does() -> None:
    data = Dataset(counts(), np.arange(60) % 2)
    single = promise_of(data)
    units = Units(Mean([KNN(), RidgeCriterion(score="class_r2")]), [[0, 5, 9], [2], [30, 31]])
    assert units.promise(data).tolist() == [single[[0, 5, 9]].max(), single[2], single[[30, 31]].max()]
    assert Mean([units, units]).promise(data).tolist() == units.promise(data).tolist()


def test_what_rounding_leaves_of_a_constant_promises_nothing() -> None:
    X = counts()
    X[:, 3], X[:, 4] = 0.1, -1 / 3  # whose means are not exactly their values
    assert promise_of(Dataset(X, np.arange(len(X)) % 3))[[3, 4]].tolist() == [0.0, 0.0]
