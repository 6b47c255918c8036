"""The public benchmark sets, found on this machine and checked; nothing is ever downloaded."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sweepless._typing import AnyArray
from sweepless.data._cache import cache_dir
from sweepless.data._files import PathLike, read_text
from sweepless.data._numbers import parse_numbers
from sweepless.data.npz import read_npy, read_sparse
from sweepless.dataset import Dataset
from sweepless.errors import DataError, InputError
from sweepless.paper.reuters_files import FILES, read_reuters

DATA_VARIABLE = "SWEEPLESS_DATA"
"""The environment variable that says where the benchmark sets are."""

ROW_ORDER_FILE = "paper_row_order.txt"
_ROW_ORDERS = ("auto", "paper", "file")


@dataclass(frozen=True)
class _Named:
    """One set: its files, what must be in them, and how to read them."""

    matrix: str
    labels: str
    shape: tuple[int, int]
    classes: tuple[int, int]
    read_matrix: Callable[[Path], Any]
    read_labels: Callable[[Path], AnyArray]


def _read_table(path: Path) -> AnyArray:
    """Read a table of numbers separated by blanks."""
    values, width = array("d"), 0
    for line, text in enumerate(read_text(path).split("\n"), start=1):
        words = text.split()
        if not words:
            continue
        width = width or len(words)
        if len(words) != width:
            raise DataError(f"{path}, line {line}: a row must hold {width} numbers, got {len(words)}.")
        values.frombytes(parse_numbers(words, lambda k, line=line: f"{path}, line {line}, number {k + 1}").tobytes())  # type: ignore[misc]
    return np.frombuffer(values).reshape(-1, width)


def _read_column(path: Path) -> AnyArray:
    """Read one number per line."""
    return _read_table(path).ravel()


NAMED: dict[str, _Named] = {
    "madelon": _Named("madelon_train.data", "madelon_train.labels", (2000, 500), (-1, 1), _read_table, _read_column),
    "gisette": _Named("gisette_valid.data", "gisette_valid.labels", (1000, 5000), (1, -1), _read_table, _read_column),
    "dorothea": _Named("dorothea_train_X.npz", "dorothea_train_y.npy", (800, 100_000), (-1, 1), read_sparse, read_npy),
}

REUTERS = "reuters"
NAMES = (*NAMED, REUTERS)
_DIRECTORIES = {REUTERS: "reuters21578"}


def find_data_dir(name: str, data_dir: PathLike | None = None) -> Path:
    """Find the directory that holds the files of a named set.

    Parameters
    ----------
    name : {"madelon", "gisette", "dorothea", "reuters"}
    data_dir : path-like, optional
        Where to look. By default the directory in the environment variable `SWEEPLESS_DATA`, then
        the user's cache (`$XDG_CACHE_HOME/sweepless`, else `~/.cache/sweepless`).

    Returns
    -------
    Path
        The looked-at directory itself or its subdirectory called `name` (of reuters: `reuters21578`).
    """
    files = FILES if name == REUTERS else (_entry(name).matrix, _entry(name).labels)
    roots = _roots(data_dir)
    for root in roots:
        for directory in (root / _DIRECTORIES.get(name, name), root):
            if all(_member(directory, file) for file in files):
                return directory
    needed = f"{files[0]} {'to' if len(files) > 2 else 'and'} {files[-1]}"
    raise DataError(
        f"{name} needs {needed}, gzipped or not, got no such files in "
        f"{' or '.join(map(str, roots))}; pass `data_dir`, set {DATA_VARIABLE}, or put them into {cache_dir()}."
    )


def load_named(name: str, *, data_dir: PathLike | None = None, row_order: str = "auto") -> Dataset:
    """Read one of the benchmark sets.

    Parameters
    ----------
    name : {"madelon", "gisette", "dorothea", "reuters"}
        The training part of madelon, the validation part of gisette (as in the paper), the training
        part of dorothea; of Reuters-21578 the terms of the documents of one topic, see `read_reuters`.
    data_dir : path-like, optional
        Where the files are; see `find_data_dir`.
    row_order : {"auto", "paper", "file"}
        The order of the samples, on which splits for a given seed depend: the paper's, which needs
        `paper_row_order.txt` beside the data, or the files'. By default the paper's if it is there.
        That of reuters is not public.

    Returns
    -------
    Dataset
        With classes in the paper's order.
    """
    check_row_order(row_order)
    if name == REUTERS:
        if row_order == "paper":
            raise InputError("`row_order` must be auto or file for reuters, got 'paper', which is not public.")
        directory = find_data_dir(name, data_dir)
        return read_reuters([_member(directory, file) or directory / file for file in FILES])
    entry = _entry(name)
    directory = find_data_dir(name, data_dir)
    matrix_path = _member(directory, entry.matrix) or directory / entry.matrix
    labels_path = _member(directory, entry.labels) or directory / entry.labels
    X, y = entry.read_matrix(matrix_path), entry.read_labels(labels_path)
    if X.shape != entry.shape:
        raise DataError(f"{matrix_path} must be a table of shape {entry.shape}, got {X.shape}.")
    if y.shape != entry.shape[:1]:
        raise DataError(f"{labels_path} must hold {entry.shape[0]} labels, got shape {y.shape}.")
    if set(np.unique(y).tolist()) != set(entry.classes):
        raise DataError(f"{labels_path} must hold the labels -1 and 1, got {np.unique(y).tolist()[:8]}.")
    order_path = directory / ROW_ORDER_FILE
    if row_order == "paper" or (row_order == "auto" and order_path.is_file()):
        order = _read_row_order(order_path, entry.shape[0])
        X, y = X[order], y[order]
    return Dataset(X, y.astype(np.int64), classes=entry.classes, name=name)


def check_row_order(row_order: str) -> None:
    """Refuse an unknown row order."""
    if row_order not in _ROW_ORDERS:
        raise InputError(f"`row_order` must be one of {', '.join(_ROW_ORDERS)}, got {row_order!r}.")


def _entry(name: str) -> _Named:
    """Look a set up by its name."""
    if name not in NAMED:
        raise InputError(f"`name` must be one of {', '.join(NAMES)}, got {name!r}.")
    return NAMED[name]


def _roots(data_dir: PathLike | None) -> list[Path]:
    """List where to look; a directory that was asked for is the only one."""
    if data_dir is not None:
        return [Path(data_dir).expanduser()]
    given = os.environ.get(DATA_VARIABLE)
    return ([Path(given).expanduser()] if given else []) + [cache_dir()]


def _member(directory: Path, file: str) -> Path | None:
    """Return the path of a file that may be gzipped."""
    candidates = (directory / file, directory / f"{file}.gz")
    return next((path for path in candidates if path.is_file()), None)


def _read_row_order(path: Path, n_samples: int) -> AnyArray:
    """Read the row of the original file that stands at every position."""
    order = _read_column(path)
    if not np.array_equal(np.sort(order), np.arange(n_samples)):
        raise DataError(f"{path} must hold each of 0..{n_samples - 1} once, got {len(order)} other numbers.")
    return order.astype(np.intp)
