"""Columns of sparse data: the same numbers as those of dense data, fetched from where they are."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from sweepless import Dataset
from sweepless.errors import DataError


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, np.uint16, np.bool_])
@pytest.mark.parametrize("make", [sparse.csc_matrix, sparse.csr_matrix, sparse.coo_matrix, sparse.csc_array])
def test_sparse_columns_are_the_dense_ones(make, dtype):
    draws = np.random.default_rng(0)
    X = (draws.integers(0, 5, (30, 40)) * (draws.random((30, 40)) < 0.2)).astype(dtype)
    dense, compressed = Dataset(X), Dataset(make(X))
    for features in ([0], [3, 1, 39, 3], np.arange(40), np.array([], dtype=int), X.any(axis=0)):
        found = compressed.columns(features)
        assert found.dtype == np.float64
        assert found.flags.c_contiguous
        assert np.array_equal(found, dense.columns(features))


def test_entries_given_in_parts_are_added_up_and_the_given_matrix_stays():
    given = sparse.csc_matrix((np.array([1.0, 2.0, 4.0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(3, 2))
    data = Dataset(given)
    assert data.columns([0, 1]).tolist() == [[0.0, 3.0, 0.0], [4.0, 0.0, 0.0]]
    assert given.nnz == 3


def test_variation_is_seen_without_spreading_columns_out():
    full = np.ones((4, 3))
    varied = full.copy()
    varied[2, 1] = 5.0
    explicit_zeros = sparse.csc_matrix((np.zeros(2), np.array([0, 1]), np.array([0, 1, 2])), shape=(4, 2))
    Dataset(sparse.csc_matrix(np.eye(4))).require_variation()
    Dataset(sparse.csc_matrix(varied)).require_variation()
    for constant in (sparse.csc_matrix(full), sparse.csc_matrix((4, 3)), explicit_zeros):
        with pytest.raises(DataError, match="feature that varies"):
            Dataset(constant).require_variation()


def test_a_memory_map_is_kept_as_it_is(tmp_path):
    stored = np.lib.format.open_memmap(tmp_path / "x.npy", mode="w+", dtype=np.int8, shape=(6, 50))
    stored[:] = np.arange(300).reshape(6, 50) % 7
    data = Dataset(np.load(tmp_path / "x.npy", mmap_mode="r"))
    assert isinstance(data.X, np.memmap)
    assert np.array_equal(data.columns([4, 2]), stored[:, [4, 2]].T)
