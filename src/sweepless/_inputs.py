"""Checks of X, its names and y, made once when data come in."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse

from sweepless._typing import AnyArray
from sweepless.errors import DataError

_BLOCK_CELLS = 1 << 22  # numbers of X that are checked at a time


def checked_matrix(X: Any, allow_missing: bool, names: Sequence[str] | None) -> tuple[Any, bool]:
    """Return X in the form in which it is kept, and whether values are missing."""
    if sparse.issparse(X):
        _require_numbers(X)  # first, because other matrices cannot even be converted
        matrix = X.tocsc()
        if matrix.ndim == 2 and not matrix.has_canonical_format:  # duplicate entries are added up in a copy
            matrix = matrix.copy()
            matrix.sum_duplicates()
        values = matrix.data
    else:
        matrix = X if isinstance(X, np.ndarray) else _as_array(X, "X")
        if matrix.dtype.kind == "O" and all(isinstance(cell, Real) for cell in matrix.flat):
            matrix = matrix.astype(np.float64)  # a dataframe of mixed number types
        values = matrix
    if np.ma.isMaskedArray(X):
        raise DataError("X must be a plain array, got a masked one; fill the missing values first.")
    if matrix.ndim != 2:
        raise DataError(f"X must have two dimensions (samples, features), got {matrix.ndim}.")
    _require_numbers(matrix)
    if min(matrix.shape) == 0:
        raise DataError(f"X must hold at least one sample and one feature, got shape {matrix.shape}.")
    return matrix, matrix.dtype.kind == "f" and _check_finite(values, allow_missing, names)


def _require_numbers(matrix: Any) -> None:
    if matrix.dtype.kind not in "biuf":
        raise DataError(f"X must hold real numbers, got dtype {matrix.dtype}.")


def _as_array(data: Any, name: str) -> AnyArray:
    try:
        return np.asarray(data)
    except ValueError:
        raise DataError(f"{name} must have rows of equal length.") from None


def _check_finite(values: AnyArray, allow_missing: bool, names: Sequence[str] | None) -> bool:
    """Look for NaN and infinity block by block, to save memory; return whether there is a NaN."""
    has_missing = False
    width = int(np.prod(values.shape[1:], dtype=np.int64)) if values.ndim > 1 else 1
    rows = max(1, _BLOCK_CELLS // max(1, width))
    for start in range(0, len(values), rows):
        block = values[start : start + rows]
        good = np.isfinite(_as_double(block))
        if good.all():
            continue
        if allow_missing:
            good |= np.isnan(block)
            has_missing = True
        if not good.all():
            where = np.argwhere(~good)[0]
            place = "a stored entry"
            if values.ndim > 1:
                named = "" if names is None or len(names) != values.shape[1] else f" ({names[where[1]]!r})"
                place = f"sample {start + where[0]}, feature {where[1]}{named}"
            if np.isfinite(block[tuple(where)]):
                raise DataError(f"X must hold numbers within the range of doubles, got a greater one at {place}.")
            what = "finite or NaN, got infinity" if allow_missing else "finite, got NaN or infinity"
            raise DataError(f"X must be {what} at {place}.")
    return has_missing


def _as_double(values: AnyArray) -> AnyArray:
    """Return long doubles as doubles, and anything else unchanged."""
    with np.errstate(over="ignore"):
        return values.astype(np.float64) if values.dtype.itemsize > 8 else values


def checked_names(names: Sequence[str] | None, n_features: int) -> tuple[str, ...] | None:
    if names is None:
        return None
    names = tuple(str(name) for name in names)
    if len(names) != n_features:
        raise DataError(f"`feature_names` must hold {n_features} names, got {len(names)}.")
    if len(set(names)) != len(names):
        seen: set[str] = set()
        twice = next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise DataError(f"`feature_names` must be distinct, got {twice!r} twice.")
    return names


def checked_target(y: Any, n_samples: int) -> AnyArray:
    if np.ma.is_masked(y):
        raise DataError("y must hold a label for every sample, got a masked one.")
    target = _as_array(y, "y")
    if len(target.shape) == 0 or len(target) != n_samples:
        raise DataError(f"y must hold one entry for each of the {n_samples} samples, got shape {target.shape}.")
    if target.dtype.kind == "O":
        if any(label is None or label != label for label in target.ravel()):
            raise DataError("y must hold a label for every sample, got a missing one.")
        target = np.array(target.tolist())
    if target.dtype.kind == "f" and not np.isfinite(target).all():
        raise DataError("y must hold a label for every sample, got NaN or infinity.")
    if target.dtype.kind == "f" and not np.isfinite(_as_double(target)).all():
        raise DataError("y must hold numbers within the range of doubles, got a greater one.")
    if target.dtype.kind not in "biufUS":
        raise DataError(f"y must hold numbers or strings, got dtype {target.dtype}.")
    return target
