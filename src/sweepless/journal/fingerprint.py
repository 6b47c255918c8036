"""Identify a data set by its shape, its type and a hash of its content, made block by block."""

from __future__ import annotations

import hashlib

import numpy as np
from scipy import sparse

from sweepless._typing import AnyArray
from sweepless.dataset import Dataset
from sweepless.schema.journal import Fingerprint

_BLOCK_CELLS = 1 << 20  # cells hashed at a time, so that X is never copied as a whole


def fingerprint(data: Dataset) -> Fingerprint:
    """Describe the data as criteria see them, without the order in memory and the byte order."""
    matrix = data.X
    is_sparse = sparse.issparse(matrix)
    # A part of a data set keeps the class sizes of the whole, by which some criteria weight.
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
    """Hash arrays as rows of numbers, with equal hashes for integers of any width."""
    digest = hashlib.sha256()
    for array in arrays:
        dtype = np.dtype("<i8") if array.dtype.kind == "i" else array.dtype.newbyteorder("<")
        digest.update(f"{array.dtype.kind}{array.shape}".encode())
        width = max(1, int(np.prod(array.shape[1:], dtype=np.int64)))
        rows = max(1, _BLOCK_CELLS // width)
        for start in range(0, len(array), rows):
            digest.update(np.ascontiguousarray(array[start : start + rows], dtype=dtype).view(np.uint8).data)
    return digest.hexdigest()[:32]
