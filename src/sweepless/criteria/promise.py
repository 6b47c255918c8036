"""What single features promise before any subset was valued: their R² with the target, from one pass over the data."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from sweepless._typing import Values
from sweepless.dataset import Dataset

_BLOCK_CELLS = 1 << 20  # values worked on at a time
_STEPS = 2.0**24  # between 0 and 1: no two features are told apart by the last digits of a product of matrices


def promise_of(data: Dataset) -> Values | None:
    """Return R² of every feature with the classes or the numbers to predict; None if there is nothing to tell.

    An F test puts features in the same order. A feature that does not vary promises nothing. Promises are rounded: the
    last digits would depend on the number of threads, and words that occur in as many texts would promise other things.
    """
    y = data.y
    if y is None or y.ndim != 1 or data.has_missing or not (data.has_classes or y.dtype.kind in "biuf"):
        return None
    outputs = _outputs(data)
    found = _of_entries(data, outputs) if sparse.issparse(data.X) else _of_columns(data, outputs)
    return np.asarray(np.rint(found * _STEPS) / _STEPS)


def _of_columns(data: Dataset, outputs: Values) -> Values:
    """Return R² from centered columns, some at a time."""
    found = np.empty(data.n_features)
    width = max(1, _BLOCK_CELLS // data.n_samples)
    for start in range(0, data.n_features, width):
        part = slice(start, start + width)
        columns = data.columns(np.arange(data.n_features)[part])
        with np.errstate(all="ignore"):
            means = columns.mean(axis=1, keepdims=True)
            columns -= means
            spreads = np.abs(columns).max(axis=1, keepdims=True)
            spreads[spreads <= 1e-13 * np.abs(means)] = 0.0  # only rounding is left of a constant
            columns /= spreads  # whose squares might overflow or vanish
            found[part] = np.sum((columns @ outputs.T) ** 2, axis=1) / np.sum(columns * columns, axis=1)
    return np.nan_to_num(found, nan=0.0)


def _outputs(data: Dataset) -> Values:
    """Return what is to be predicted, in rows of norm 1: a centered target, or one indicator per class."""
    if data.has_classes:
        sizes = data.class_sizes[:, None]
        return np.where(data.codes == np.arange(len(sizes))[:, None], 1.0 / np.sqrt(np.maximum(sizes, 1)), 0.0)
    values = np.asarray(data.target, dtype=np.float64)
    values = values / max(float(np.abs(values).max()), np.finfo(np.float64).tiny)
    values -= values.mean()
    return values[None] / max(float(np.linalg.norm(values)), np.finfo(np.float64).tiny)


def _of_entries(data: Dataset, outputs: Values) -> Values:
    """Return R² from the entries of sparse data alone; what centering would take away is subtracted from the sums."""
    X = data.X.astype(np.float64)
    with np.errstate(all="ignore"):
        X.data /= max(float(np.abs(X.data).max(initial=0.0)), np.finfo(np.float64).tiny)
        mean = np.asarray(X.mean(axis=0)).ravel()
        constant = data.n_samples * mean * mean
        squares = np.asarray(X.multiply(X).sum(axis=0)).ravel()
        explained = np.sum(np.asarray(X.T @ outputs.T) ** 2, axis=1) - (constant if data.has_classes else 0.0)
        varies = squares - constant > 1e-12 * squares
        return np.where(varies, explained / np.where(varies, squares - constant, 1.0), 0.0)
