"""Data that nobody means, and data that somebody means in an unusual form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

DRAWS = np.random.default_rng(0)
X = DRAWS.integers(0, 5, (30, 6)).astype(np.float64)
Y = (X[:, 0] + X[:, 1] > 4).astype(np.int64)


def _changed(form: Any, **parts: Any) -> Any:
    for name, value in parts.items():
        setattr(form, name, value)
    return form


def _read_only() -> Any:
    matrix = X.copy()
    matrix.flags.writeable = False
    return matrix


def _unsorted() -> Any:
    matrix = sparse.csc_matrix(X)
    for first, last in zip(matrix.indptr, matrix.indptr[1:]):
        matrix.indices[first:last] = matrix.indices[first:last][::-1].copy()
        matrix.data[first:last] = matrix.data[first:last][::-1].copy()
    return sparse.csc_matrix((matrix.data, matrix.indices, matrix.indptr), shape=X.shape)


def _explicit_zeros() -> Any:
    rows, columns = np.indices(X.shape).reshape(2, -1)
    return sparse.coo_matrix((X.ravel(), (rows, columns)), shape=X.shape).tocsr()


def _in_parts() -> Any:
    """Every entry as two entries that add up to it."""
    rows, columns = np.indices(X.shape).reshape(2, -1)
    halves = np.concatenate([X.ravel() - 1, np.ones(X.size)])
    return sparse.coo_matrix((halves, (np.tile(rows, 2), np.tile(columns, 2))), shape=X.shape)


def _wide_indices() -> Any:
    matrix = sparse.csr_matrix(X)
    return _changed(matrix, indices=matrix.indices.astype(np.int64), indptr=matrix.indptr.astype(np.int64))


FRAME = {"a": X[:, 0].astype("i4"), "b": X[:, 1].astype("f4"), "c": X[:, 2], "d": X[:, 3].astype("u1")}

# The numbers of X in another form: what is found must not depend on it.
SAME: dict[str, Any] = {
    "int8": X.astype("i1"),
    "uint64": X.astype("u8"),
    "float16": X.astype("f2"),
    "long double": X.astype(np.longdouble),
    "objects": X.astype(object),
    "big-endian": X.astype(">f8"),
    "big-endian integers": X.astype(">i2"),
    "Fortran order": np.asfortranarray(X),
    "read-only": _read_only(),
    "strided": np.repeat(X, 2, axis=1)[:, ::2],
    "list": X.tolist(),
    "np.matrix": np.matrix(X),
    "dataframe": pd.DataFrame(X),
    "nullable dataframe": pd.DataFrame(X.astype("i8")).astype("Int64"),
    "csr": sparse.csr_matrix(X),
    "sparse array": sparse.csr_array(X),
    "lil": sparse.lil_matrix(X),
    "explicit zeros": _explicit_zeros(),
    "unsorted indices": _unsorted(),
    "entries in parts": _in_parts(),
    "int64 indices": _wide_indices(),
    "sparse int8": sparse.csr_matrix(X.astype("i1")),
}

# Other numbers: either a right answer, or a sentence.
STRANGE: dict[str, Any] = {
    "denormal": X * 5e-324,
    "small denormal": X * 1e-310,
    "1e300": X * 1e300,
    "1e154": X * 1e154,
    "1e-300": X * 1e-300,
    "all scales": X * 10.0 ** DRAWS.integers(-300, 300, 6),
    "negative": X - 2,
    "constant": np.ones_like(X),
    "duplicate and constant columns": np.column_stack([X[:, 0], X[:, 0], X[:, 2], np.full(30, 7.0), X[:, 2], X[:, 5]]),
    "far from zero": X + 1e15,
    "beyond doubles": X.astype("u8") + np.uint64(1 << 63),
    "smallest int8": (X * 60 - 128).astype("i1"),
    "booleans": X > 2,
    "mixed dataframe": pd.DataFrame(FRAME | {"e": X[:, 4] > 1, "f": X[:, 5]}),
    "sparse zeros": sparse.csr_matrix((30, 6)),
    "sparse booleans": sparse.csr_matrix(X > 2),
}

# No numbers at all: always a sentence.
UNUSABLE: dict[str, Any] = {
    "NaN": np.where(X > 3, np.nan, X),
    "inf": np.where(X > 3, np.inf, X),
    "-inf": np.where(X > 3, -np.inf, X),
    "sparse NaN": sparse.csr_matrix(np.where(X > 3, np.nan, X)),
    "complex": X.astype(complex),
    "sparse complex": sparse.csr_matrix(X.astype(complex)),
    "sparse objects": _changed(sparse.csr_matrix(X), data=sparse.csr_matrix(X).data.astype(object)),
    "strings": X.astype(str),
    "bytes": X.astype("S"),
    "mixed objects": np.where(X > 3, "a", X.astype(object)),
    "dates": X.astype("M8[s]"),
    "masked": np.ma.masked_array(X, X > 3),
    "no columns": X[:, :0],
    "no rows": X[:0],
    "one dimension": X[0],
    "three dimensions": X[None],
    "ragged": [[1, 2], [3]],
    "nothing": None,
    "text": "abc",
    "dataframe of text": pd.DataFrame({"a": X[:, 0], "b": ["x"] * 30}),
    "dataframe with gaps": pd.DataFrame({"a": pd.array([None] + [1] * 29, dtype="Int64"), "b": X[:, 1]}),
}

LABELS: dict[str, Any] = {
    "text": np.array(["a", "b"])[Y],
    "objects": Y.astype(object),
    "mixed objects": np.array([0, "a"] * 15, dtype=object),
    "booleans": Y.astype(bool),
    "uint64": Y.astype("u8") + np.uint64(1 << 63),
    "big-endian": Y.astype(">i4"),
    "huge": Y * 1e300,
    "series": pd.Series(Y),
    "categories": pd.Series(pd.Categorical(Y)),
    "a class of one": np.r_[np.zeros(29), 1],
    "fractions": Y + 0.5,
}
NO_LABELS: dict[str, Any] = {
    "NaN": np.where(Y, np.nan, 0),
    "inf": np.where(Y, np.inf, 0),
    "complex": Y.astype(complex),
    "masked": np.ma.masked_array(Y, Y > 0),
    "too few": Y[:5],
    "dates": pd.Series(pd.date_range("2020", periods=30)),
    "gaps": np.array([None, *Y[1:]], dtype=object),
}
