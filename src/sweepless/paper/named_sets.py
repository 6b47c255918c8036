"""The paper's data sets by name: found on this machine, checked, and made known to `sweepless.load`."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sweepless._checks import one_of
from sweepless._typing import AnyArray
from sweepless.data.files import PathLike, read_text
from sweepless.data.npz import read_npy, read_sparse
from sweepless.data.numbers import on_line, parse_numbers
from sweepless.data.sources import register
from sweepless.dataset import Dataset
from sweepless.errors import DataError, InputError
from sweepless.paper.cache import cache_dir
from sweepless.paper.reuters import FILES, read_reuters

DATA_VARIABLE = "SWEEPLESS_DATA"
"""The environment variable that says where the data sets are."""

ROW_ORDER_FILE = "paper_row_order.txt"
_ROW_ORDERS = ("auto", "paper", "file")


@dataclass(frozen=True)
class NamedSet:
    """The two files of a set, what must be in them, and how to read them."""

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
        values.frombytes(parse_numbers(words, on_line(path, line, "number")).tobytes())
    return np.frombuffer(values).reshape(-1, width)


def _read_column(path: Path) -> AnyArray:
    """Read one number per line."""
    return _read_table(path).ravel()


NAMED: dict[str, NamedSet] = {
    "madelon": NamedSet("madelon_train.data", "madelon_train.labels", (2000, 500), (-1, 1), _read_table, _read_column),
    "gisette": NamedSet("gisette_valid.data", "gisette_valid.labels", (1000, 5000), (1, -1), _read_table, _read_column),
    "dorothea": NamedSet(
        "dorothea_train_X.npz", "dorothea_train_y.npy", (800, 100_000), (-1, 1), read_sparse, read_npy
    ),
}
_REUTERS = "reuters"
NAMES = (*NAMED, _REUTERS)


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
    if name not in NAMES:
        raise InputError(f"`name` must be one of {', '.join(NAMES)}, got {name!r}.")
    files = FILES if name == _REUTERS else (NAMED[name].matrix, NAMED[name].labels)
    given = os.environ.get(DATA_VARIABLE)
    if data_dir is not None:
        roots = [Path(data_dir).expanduser()]  # a directory that was asked for is the only one
    else:
        roots = [*([Path(given).expanduser()] if given else []), cache_dir()]
    for root in roots:
        for directory in (root / ("reuters21578" if name == _REUTERS else name), root):
            if all(_member(directory, file).is_file() for file in files):
                return directory
    needed = f"{files[0]} {'to' if len(files) > 2 else 'and'} {files[-1]}"
    raise DataError(
        f"{name} needs {needed}, gzipped or not, got no such files in "
        f"{' or '.join(map(str, roots))}; pass `data_dir`, set {DATA_VARIABLE}, or put them into {cache_dir()}."
    )


def load_named(name: str, *, data_dir: PathLike | None = None, row_order: str = "auto") -> Dataset:
    """Load one of the paper's data sets; `sweepless.load` calls this.

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
    one_of("row_order", row_order, _ROW_ORDERS)
    if name == _REUTERS and row_order == "paper":
        raise InputError("`row_order` must be auto or file for reuters, got 'paper', which is not public.")
    directory = find_data_dir(name, data_dir)
    if name == _REUTERS:
        return read_reuters([_member(directory, file) for file in FILES])
    entry = NAMED[name]
    matrix_path, labels_path = _member(directory, entry.matrix), _member(directory, entry.labels)
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


def _member(directory: Path, file: str) -> Path:
    """Return the path of a file, with `.gz` if only that is there."""
    packed = directory / f"{file}.gz"
    return packed if packed.is_file() and not (directory / file).is_file() else directory / file


def _read_row_order(path: Path, n_samples: int) -> AnyArray:
    """Read the row of the original file that stands at every position."""
    order = _read_column(path)
    if not np.array_equal(np.sort(order), np.arange(n_samples)):
        raise DataError(f"{path} must hold each of 0..{n_samples - 1} once, got {len(order)} other numbers.")
    return order.astype(np.intp)


for _name in NAMES:
    register(_name, partial(load_named, _name))
