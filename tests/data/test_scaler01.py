"""Scaling to [0, 1]."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from sweepless.data import Scaler01
from sweepless.dataset import Dataset
from sweepless.errors import DataError, InputError


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_every_value_is_one_true_division(table_strategy, data):
    X, codes = data.draw(table_strategy(st.floats(-1e6, 1e6)))
    scaled = Scaler01.fit(Dataset(X, codes)).apply(Dataset(X, codes)).X
    low, span = X.min(axis=0), X.max(axis=0) - X.min(axis=0)
    for row, column in np.ndindex(*X.shape):
        expected = 0.0 if span[column] == 0 else float(X[row, column] - low[column]) / float(span[column])
        assert scaled[row, column] == expected
    assert scaled.min() >= 0 and scaled.max() <= 1


def test_a_reciprocal_would_show():
    X = np.array([[0.0], [5.0], [49.0]])
    assert Scaler01.fit(Dataset(X)).apply(Dataset(X)).X[1, 0] == 5.0 / 49.0 != 5.0 * (1 / 49.0)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, bool, np.float32, np.int64])
def test_narrow_values_do_not_wrap_and_input_is_untouched(dtype):
    X = np.array([[0, 1], [100, 1], [120, 0]]).astype(dtype)
    before = X.copy()
    data = Dataset(X, [0, 1, 1], feature_names=["a", "b"], classes=[1, 0], name="n")
    scaled = Scaler01.fit(data).apply(data)
    wide = X.astype(np.float64)
    np.testing.assert_array_equal(scaled.X, wide / wide.max(axis=0))
    np.testing.assert_array_equal(X, before)
    assert scaled.feature_names == ("a", "b") and scaled.classes.tolist() == [1, 0] and scaled.name == "n"


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_sparse_agrees_with_dense(table_strategy, data):
    X, codes = data.draw(table_strategy(st.sampled_from([0, 0, 1, 3, 49])))
    X = np.vstack([X, np.zeros(X.shape[1])])
    thin = Dataset(sparse.csr_matrix(X.astype(np.int8)), [*codes, 0])
    scaled = Scaler01.fit(thin).apply(thin)
    assert sparse.issparse(scaled.X)
    np.testing.assert_array_equal(scaled.X.toarray(), Scaler01.fit(Dataset(X)).apply(Dataset(X)).X)


def test_constant_features_stay_zero_on_new_data():
    scaler = Scaler01.fit(Dataset([[0, 0], [0, 2]]))
    assert scaler.apply(Dataset([[7, 4]])).X.tolist() == [[0, 2]]
    assert scaler.apply(Dataset(sparse.csc_matrix([[7, 4]]))).X.toarray().tolist() == [[0, 2]]


@pytest.mark.parametrize("X", [[[0, 5], [1, 6]], [[0, -5], [1, 0]]])
def test_sparse_minimum_must_be_zero(X):
    with pytest.raises(DataError, match=r"minimum of every sparse feature must be 0 .* at feature 1"):
        Scaler01.fit(Dataset(sparse.csc_matrix(X)))
    with pytest.raises(DataError, match=r"minimum of every sparse feature must be 0 .* at feature 1"):
        Scaler01.fit(Dataset(X)).apply(Dataset(sparse.csc_matrix(X)))


def test_duplicate_entries_are_summed_for_the_range_without_touching_the_input():
    matrix = sparse.csc_matrix((np.array([1.0, 2.0, 1.0]), np.array([0, 0, 1]), np.array([0, 3])), shape=(3, 1))
    data = Dataset(matrix)
    scaler = Scaler01.fit(data)
    assert scaler.span.tolist() == [3]
    assert matrix.nnz == 3
    np.testing.assert_allclose(scaler.apply(data).X.toarray(), [[1], [1 / 3], [0]])


def test_errors():
    with pytest.raises(InputError, match="`dataset` must have 2 features, got 1"):
        Scaler01.fit(Dataset([[0, 1]])).apply(Dataset([[0]]))
    with pytest.raises(DataError, match="range of a feature must be finite, got an overflow at feature 0"):
        Scaler01.fit(Dataset([[1e308], [-1e308]]))
