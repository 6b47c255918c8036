"""NPZ archives: dense with labels inside, or sparse with labels in a sibling file."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Callable, Mapping
from math import prod
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from scipy import sparse

from sweepless._typing import AnyArray
from sweepless.data.files import (
    PathLike,
    build_dataset,
    check_width,
    existing_file,
    most_bytes,
    read_bytes,
    reason,
    split_name,
)
from sweepless.dataset import Dataset
from sweepless.errors import DataError

_SPARSE_MEMBERS = {"format", "shape", "data"}
_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


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
        return build_dataset(path, _sparse(file, members), _sibling_labels(file))
    if "X" not in members or "y" not in members:
        held = ", ".join(members)[:80] or "nothing"
        raise DataError(f"{path} must hold the members X and y, or one scipy sparse matrix, got {held!r}.")
    names, classes = members.get("feature_names"), members.get("classes")
    return build_dataset(
        path,
        members["X"],
        members["y"],
        feature_names=None if names is None else [str(name) for name in np.ravel(names)],
        classes=None if classes is None else np.ravel(classes).tolist(),
    )


def read_sparse(path: PathLike) -> Any:
    """Read a scipy sparse matrix."""
    file = existing_file(path)
    return _sparse(file, _members(file))


def read_npy(path: PathLike) -> AnyArray:
    """Read one plain array."""
    content = read_bytes(path)
    if not content.startswith(npy.MAGIC_PREFIX):
        raise DataError(f"{path} must be an NPY file, got something else.")
    try:
        return _array(lambda: io.BytesIO(content), len(content))
    except Exception as error:  # whatever NumPy makes of broken bytes
        raise DataError(f"{path} must hold one plain array, got: {reason(error)}.") from error


def _members(file: Path) -> Mapping[str, AnyArray]:
    """Read every array of an archive."""
    members: dict[str, AnyArray] = {}
    name = "the archive"
    try:
        with zipfile.ZipFile(_source(file)) as archive:
            listed = archive.infolist()
            declared, most = sum(member.file_size for member in listed), most_bytes(file.stat().st_size)
            if declared > most:
                raise DataError(f"{file} must unpack to at most {most} bytes, got {declared}.")
            for member in listed:
                name = member.filename.removesuffix(".npy")
                members[name] = _array(lambda member=member: archive.open(member), member.file_size)  # type: ignore[misc]
    except DataError:
        raise
    except Exception as error:  # whatever NumPy, zipfile and zlib make of broken bytes
        if name == "the archive":
            raise DataError(f"{file} must be an NPZ archive, got something else or a part of one.") from error
        raise DataError(f"{file}: {name[:40]!r} must be a plain array, got: {reason(error)}.") from error
    return members


def _source(file: Path) -> Any:
    """Return what can be opened: the path itself, or the unpacked bytes of a gzipped archive."""
    return io.BytesIO(read_bytes(file)) if file.suffix.lower() == ".gz" else file


def _array(opened: Callable[[], IO[bytes]], size: int) -> AnyArray:
    """Read an array after a look at what its header declares: no memory is taken for more than there is."""
    with opened() as stream, warnings.catch_warnings():  # of headers by other versions of Python
        warnings.simplefilter("ignore")
        version = npy.read_magic(stream)
        if version not in _HEADERS:
            raise ValueError(f"version {version} of the format")
        shape, _, dtype = _HEADERS[version](stream)
        if dtype.hasobject:
            raise ValueError("pickled Python objects")
        declared, held = prod(shape) * dtype.itemsize, size - stream.tell()
        if min(shape, default=0) < 0 or declared != held:
            raise ValueError(f"{held} bytes instead of the {declared} that it declares")
    with opened() as stream, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        array = np.asarray(npy.read_array(stream, allow_pickle=False))
    if dtype.kind == "U" and declared and not _is_text(array):
        raise ValueError("characters that do not exist")
    return array


def _is_text(array: AnyArray) -> bool:
    """Tell whether NumPy can make strings of these letters, which it never checks."""
    letters = np.ascontiguousarray(array).reshape(-1).view(array.dtype.byteorder.replace("|", "=") + "u4")
    return not np.any((letters > 0x10FFFF) | ((letters >= 0xD800) & (letters < 0xE000)))


def _sparse(file: Path, members: Mapping[str, AnyArray]) -> Any:
    """Put a scipy sparse matrix together and check that its indices stay inside it.

    scipy trusts the indices it is given and would follow them out of its memory.
    """
    try:
        kind = str(np.asarray(members["format"]).astype(np.str_).item())
        if kind not in ("csr", "csc", "bsr", "coo"):
            raise DataError(f"{file} must hold a csr, csc, bsr or coo matrix, got {kind[:20]!r}.")
        data, (n_samples, n_features) = members["data"], (int(length) for length in members["shape"])
        if data.dtype.kind not in "biuf":
            raise ValueError(f"entries of dtype {data.dtype}")
        check_width(file, n_features, data.size)
        if kind == "coo":
            matrix = sparse.coo_matrix((data, (members["row"], members["col"])), shape=(n_samples, n_features))
        else:
            parts = (data, members["indices"], members["indptr"])
            matrix = getattr(sparse, f"{kind}_matrix")(parts, shape=(n_samples, n_features))
            matrix.check_format(full_check=True)
    except DataError:
        raise
    except Exception as error:  # whatever scipy makes of arrays that do not fit
        raise DataError(f"{file} must hold a scipy sparse matrix, got: {reason(error)}.") from error
    return matrix


def _sibling_labels(file: Path) -> AnyArray:
    """Read the labels that stand beside a sparse matrix."""
    stem, _ = split_name(file)
    sibling = file.with_name(stem.removesuffix("_X") + "_y.npy")
    if not sibling.is_file():
        raise DataError(f"{file} must have its labels beside it in {sibling.name}, got no such file.")
    return read_npy(sibling)
