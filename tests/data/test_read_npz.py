"""NPZ archives."""

from __future__ import annotations

import gzip
import io
import warnings
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from sweepless.data import read_npz
from sweepless.errors import DataError


def packed(**members):
    buffer = io.BytesIO()
    np.savez(buffer, **members)
    return buffer.getvalue()


@settings(max_examples=25, deadline=None)
@given(data=st.data())
@pytest.mark.parametrize("name", ["d.npz", "d.npz.gz"])
def test_dense_round_trip(write, table_strategy, name, data):
    X, codes = data.draw(table_strategy())
    names = [f"f{k}" for k in range(X.shape[1])]
    dataset = read_npz(write(name, packed(X=X, y=codes, feature_names=names, classes=[2, 0, 1])))
    np.testing.assert_array_equal(dataset.X, X)
    np.testing.assert_array_equal(dataset.y, codes)
    assert dataset.feature_names == tuple(names)
    assert dataset.classes.tolist() == [2, 0, 1]
    assert dataset.name == "d"


@settings(max_examples=25, deadline=None)
@given(data=st.data())
@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr"])
def test_sparse_round_trip(write, table_strategy, kind, data):
    X, codes = data.draw(table_strategy(st.sampled_from([0, 0, 1, -2])))
    buffer, labels = io.BytesIO(), io.BytesIO()
    sparse.save_npz(buffer, sparse.csr_matrix(X.astype(np.int8)).asformat(kind))
    np.save(labels, codes)
    write("s_y.npy", labels.getvalue())
    for name in ("s_X.npz", "s.npz", "s_X.npz.gz"):
        dataset = read_npz(write(name, buffer.getvalue()))
        assert sparse.issparse(dataset.X) and dataset.X.dtype == np.int8
        np.testing.assert_array_equal(dataset.X.toarray(), X)
        np.testing.assert_array_equal(dataset.y, codes)


OBJECTS = np.array([1, "a"], dtype=object)
SPARSE = {"format": b"csr", "shape": np.array([2, 3]), "data": np.ones(2), "indptr": np.array([0, 1, 2])}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (packed(X=np.ones((2, 2))), "must hold the members X and y, or one scipy sparse matrix, got 'X'"),
        (packed(X=OBJECTS, y=[0, 1]), "'X' must be a plain array, got: pickled Python objects"),
        (packed(X=np.ones((2, 2)), y=OBJECTS), "'y' must be a plain array, got: pickled Python objects"),
        (packed(X=np.ones(2), y=[0, 1]), "X must have two dimensions"),
        (packed(X=np.ones((2, 2)), y=[0, 1, 2]), "y must hold one entry for each of the 2 samples"),
        (packed(X=[[1, np.nan]], y=[0]), "X must be finite"),
        (packed(X=np.ones((2, 2)), y=[0, 1], classes=[0]), "`classes` must name every label once"),
        (packed(X=np.ones((2, 2)), y=[0, 1], feature_names=["a"]), "`feature_names` must hold 2 names"),
        (packed(X=np.ones((2, 2)), y=[0, 1])[:200], "must be an NPZ archive"),
        (b"not a zip at all", "must be an NPZ archive"),
        (packed(**SPARSE, indices=np.array([0, 99])), "must hold a scipy sparse matrix, got: "),
        (packed(**SPARSE, indices=np.array([0, -1])), "must hold a scipy sparse matrix, got: "),
        (packed(**(SPARSE | {"format": b"xyz"}), indices=np.array([0, 1])), "bsr or coo matrix, got 'xyz'"),
        (
            packed(**(SPARSE | {"shape": np.array([2, 10**12])}), indices=np.array([0, 1])),
            "must have at most 16777216 features with its 2 entries, got 1000000000000",
        ),
        (packed(**SPARSE, indices=np.array([0, 1])), "must have its labels beside it in bad_y.npy"),
    ],
)
def test_bad_archives(write, content, message):
    with pytest.raises(DataError, match=message) as caught:
        read_npz(write("bad.npz", content))
    assert "\n" not in str(caught.value)


def test_dia_matrices_are_refused(write):
    buffer = io.BytesIO()
    sparse.save_npz(buffer, sparse.dia_matrix(np.eye(3)))
    with pytest.raises(DataError, match="must hold a csr, csc, bsr or coo matrix, got 'dia'"):
        read_npz(write("dia.npz", buffer.getvalue()))


def test_member_that_declares_more_than_it_holds(write):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (10**7, 10**6)})
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("X.npy", header.getvalue())
    with pytest.raises(
        DataError, match="'X' must be a plain array, got: 0 bytes instead of the 80000000000000 that it declares"
    ):
        read_npz(write("huge.npz", buffer.getvalue()))


def test_bad_siblings(write):
    buffer, labels = io.BytesIO(), io.BytesIO()
    sparse.save_npz(buffer, sparse.csr_matrix(np.eye(2)))
    path = write("sib_X.npz", buffer.getvalue())
    write("sib_y.npy", b"nothing of the kind")
    with pytest.raises(DataError, match="must be an NPY file"):
        read_npz(path)
    np.save(labels, OBJECTS)
    write("sib_y.npy", labels.getvalue())
    with pytest.raises(DataError, match="must hold one plain array, got: pickled Python objects"):
        read_npz(path)


@settings(max_examples=25, deadline=None)
@given(position=st.integers(0, 400), byte=st.integers(0, 255))
def test_damage_is_an_error_or_harmless(write, position, byte):
    content = bytearray(packed(X=np.ones((2, 2)), y=np.array([0, 1])))
    content[position % len(content)] = byte
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            read_npz(write("damaged.npz", bytes(content)))
        except DataError as error:
            assert "\n" not in str(error)


def test_gzip_by_content(write):
    path = write("plain.npz", packed(X=np.ones((2, 2)), y=[0, 1]))
    path.with_suffix(".npz.gz").write_bytes(gzip.compress(path.read_bytes()))
    assert read_npz(path.with_suffix(".npz.gz")).n_samples == 2
