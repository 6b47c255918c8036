"""What tells one data set from another: shape, type and a hash of the content, made block by block."""

from __future__ import annotations

import hashlib

import numpy as np
from scipy import sparse

from sweepless._typing import AnyArray
from sweepless.dataset import Dataset
from sweepless.schema.journal import Fingerprint

_BLOCK_CELLS = 1 << 20  # no second copy of X: only of so many cells at a time


def fingerprint(data: Dataset) -> Fingerprint:
    """Describe what a criterion can see of the data; the order in memory and the byte order do not count."""
    matrix = data.X
    is_sparse = sparse.issparse(matrix)
    # A part of a larger set may know the classes of the whole, which some criteria weigh by.
    classes, population = data._given_classes, data._population
    return Fingerprint(
        kind="sparse" if is_sparse else "dense",
        shape=tuple(matrix.shape),
        dtype=str(matrix.dtype.newbyteorder("=")),
        X=content(matrix.data, matrix.indices, matrix.indptr) if is_sparse else content(matrix),
        y=None if data.y is None else content(data.y),
        classes=None if classes is None else content(np.asarray(classes)),
        class_sizes=None if population is None else tuple(population.tolist()),
    )


def content(*arrays: AnyArray) -> str:
    """Hash arrays as rows of numbers; integers of any width are the same numbers."""
    digest = hashlib.sha256()
    for array in arrays:
        dtype = np.dtype("<i8") if array.dtype.kind == "i" else array.dtype.newbyteorder("<")
        digest.update(f"{array.dtype.kind}{array.shape}".encode())
        width = max(1, int(np.prod(array.shape[1:], dtype=np.int64)))
        rows = max(1, _BLOCK_CELLS // width)
        for start in range(0, len(array), rows):
            digest.update(np.ascontiguousarray(array[start : start + rows], dtype=dtype).view(np.uint8).data)
    return digest.hexdigest()[:32]
