"""NPZ archives: dense with labels inside, or sparse with labels in a sibling file."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from sweepless._typing import AnyArray
from sweepless.data._files import MAX_FEATURES, PathLike, build_dataset, existing_file, read_bytes, split_name
from sweepless.dataset import Dataset
from sweepless.errors import DataError

_SPARSE_MEMBERS = {"format", "shape", "data"}


def read_npz(path: PathLike) -> Dataset:
    """Read an NPZ archive; nothing in it is ever unpickled.

    Parameters
    ----------
    path : path-like
        Either an archive with the members `X` and `y`, and possibly `feature_names` and `classes`;
        or a matrix written by `scipy.sparse.save_npz`, whose labels stand beside it in an NPY file:
        `name_y.npy` for `name_X.npz` and for `name.npz`.

    Returns
    -------
    Dataset
    """
    file = existing_file(path)
    members = _members(file)
    if members.keys() >= _SPARSE_MEMBERS:
        return build_dataset(path, read_sparse(file), _sibling_labels(file))
    if "X" not in members or "y" not in members:
        held = ", ".join(members) or "nothing"
        raise DataError(f"{path} must hold the members X and y, or one scipy sparse matrix, got {held}.")
    names, classes = members.get("feature_names"), members.get("classes")
    return build_dataset(
        path,
        members["X"],
        members["y"],
        feature_names=None if names is None else [str(name) for name in np.ravel(names)],
        classes=None if classes is None else np.ravel(classes).tolist(),
    )


def read_sparse(path: PathLike) -> Any:
    """Read a scipy sparse matrix and check that its indices stay inside it.

    scipy trusts the indices it is given and would follow them out of its memory.
    """
    file = existing_file(path)
    try:
        matrix = sparse.load_npz(_source(file))
        if matrix.format in ("csr", "csc", "bsr"):
            matrix.check_format(full_check=True)
    except Exception as error:  # whatever scipy, NumPy, zipfile and zlib make of broken bytes
        raise DataError(f"{path} must hold a scipy sparse matrix, got: {_brief(error)}.") from error
    if matrix.format not in ("csr", "csc", "bsr", "coo"):
        raise DataError(f"{path} must hold a csr, csc, bsr or coo matrix, got {matrix.format}.")
    if matrix.ndim == 2 and matrix.shape[1] > MAX_FEATURES:
        raise DataError(f"{path} must have at most {MAX_FEATURES} features, got {matrix.shape[1]}.")
    return matrix


def read_npy(path: PathLike) -> AnyArray:
    """Read one plain array."""
    content = read_bytes(path)
    if not content.startswith(b"\x93NUMPY"):
        raise DataError(f"{path} must be an NPY file, got something else.")
    try:
        return np.asarray(np.load(io.BytesIO(content), allow_pickle=False))
    except Exception as error:  # whatever NumPy makes of broken bytes
        raise DataError(f"{path} must hold one plain array, got: {_brief(error)}.") from error


def _members(file: Path) -> Mapping[str, AnyArray]:
    """Read every array of an archive."""
    source = _source(file)
    if not zipfile.is_zipfile(source):
        raise DataError(f"{file} must be an NPZ archive, got something else or a part of one.")
    members: dict[str, AnyArray] = {}
    name = "the archive"
    try:
        with np.load(source, allow_pickle=False) as archive:
            for name in archive.files:
                members[name] = np.asarray(archive[name])
    except Exception as error:  # whatever NumPy, zipfile and zlib make of broken bytes
        raise DataError(f"{file}: {name} must be a plain array, got: {_brief(error)}.") from error
    return members


def _source(file: Path) -> Any:
    """Return what NumPy can open: the path itself, or the unpacked bytes of a gzipped archive."""
    return io.BytesIO(read_bytes(file)) if file.suffix.lower() == ".gz" else file


def _sibling_labels(file: Path) -> AnyArray:
    """Read the labels that stand beside a sparse matrix."""
    stem, _ = split_name(file)
    sibling = file.with_name(stem.removesuffix("_X") + "_y.npy")
    if not sibling.is_file():
        raise DataError(f"{file} must have its labels beside it in {sibling.name}, got no such file.")
    return read_npy(sibling)


def _brief(error: Exception) -> str:
    """Say in a few words what was wrong with the bytes."""
    if "allow_pickle" in str(error):
        return "pickled Python objects"
    return (str(error) or type(error).__name__).splitlines()[0].rstrip(".")
