"""Parquet, through pyarrow: one column of labels, numbers in the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sweepless._typing import AnyArray, Values
from sweepless.data.columns import (
    counts_rows,
    dropped_columns,
    is_index_name,
    label_column,
    refuse_words,
    say_index_left_out,
)
from sweepless.data.files import PathLike, build_dataset, existing_file, most_bytes, reason
from sweepless.data.numbers import whole_if_possible
from sweepless.dataset import Dataset
from sweepless.errors import DataError


def read_parquet(path: PathLike, *, label: str | int | None = None, drop: Sequence[str | int] = ()) -> Dataset:
    """Read a Parquet file, which needs pyarrow (`pip install sweepless[parquet]`).

    Parameters
    ----------
    path : path-like
    label, drop : as for `read_delimited`
        An index that pandas stored is left out, which is logged.

    Returns
    -------
    Dataset
        Labels as they are stored; reals that are all whole become integers.
    """
    table = _read(path)
    names = list(table.column_names)
    if len(set(names)) < len(names):
        raise DataError(f"{path}: column names must be distinct, got {len(names) - len(set(names))} of them again.")
    if len(names) < 2 or table.num_rows == 0:
        raise DataError(
            f"{path} must hold rows of a label and at least one value, got {len(names)} column(s) and "
            f"{table.num_rows} row(s)."
        )
    column = label_column(path, names, label)
    dropped = dropped_columns(path, names, drop, column)
    for index in _index_columns(table, names):
        if index != column and index not in dropped:
            say_index_left_out(path, names[index])
            dropped.add(index)
    features = [k for k in range(len(names)) if k != column and k not in dropped]
    numbers = {k: _is_numeric(table.column(k).type) for k in features}
    different = {k: len(table.column(k).unique()) for k in features if not numbers[k]}
    refuse_words(path, different, names, table.num_rows)
    matrix = np.empty((table.num_rows, len(features)), order="F")
    for k, feature in enumerate(features):
        matrix[:, k] = _numbers(path, names[feature], table.column(feature))
    labels = _labels(path, names[column], table.column(column))
    return build_dataset(path, matrix, labels, feature_names=[names[k] for k in features])


def _read(path: PathLike) -> Any:
    try:
        import pyarrow as pa
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise DataError(f"{path} must be read with pyarrow, got none: pip install sweepless[parquet].") from None
    file = existing_file(path)
    try:
        with ParquetFile(file) as source:
            needed = 8 * source.metadata.num_rows * source.metadata.num_columns
            if needed > (most := most_bytes(file.stat().st_size)):
                raise DataError(f"{file} must hold at most {most} bytes, got {needed}.")
            return source.read()
    except (pa.ArrowException, OSError, MemoryError) as error:
        raise DataError(f"{file} must be a complete Parquet file, got: {reason(error)}.") from error


def _index_columns(table: Any, names: list[str]) -> list[int]:
    """Return the columns that pandas says are its index, or else a first one without a name that counts the rows."""
    try:
        stored = (table.schema.pandas_metadata or {}).get("index_columns", [])
    except (ValueError, AttributeError):  # metadata may be any bytes
        stored = []
    found = [names.index(name) for name in stored if isinstance(name, str) and name in names]
    if not found and is_index_name(names[0]) and counts_rows(map(str, table.column(0).to_pylist())):
        return [0]
    return found


def _is_numeric(kind: Any) -> bool:
    import pyarrow.types as kinds

    return bool(kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_boolean(kind) or kinds.is_decimal(kind))


def _numbers(path: PathLike, name: str, column: Any) -> Values:
    """Return a column as finite numbers."""
    values = column.cast("float64").to_numpy() if not column.null_count else np.array(column.is_valid(), dtype=float)
    bad = ~np.isfinite(values) if not column.null_count else values == 0.0
    if bad.any():
        row = int(np.argmax(bad))
        got = column[row].as_py()
        found = "a missing value" if got is None else str(got)
        raise DataError(f"{path}, row {row} of column {name!r}: a value must be a finite number, got {found}.")
    return np.asarray(values, dtype=np.float64)


def _labels(path: PathLike, name: str, column: Any) -> AnyArray:
    if column.null_count:
        row = column.is_valid().to_pylist().index(False)
        raise DataError(f"{path}, row {row} of column {name!r}: a label must not be missing, got none.")
    labels = np.array(column.to_pylist())
    return whole_if_possible(labels) if labels.dtype.kind in "biufU" else labels.astype(str)
