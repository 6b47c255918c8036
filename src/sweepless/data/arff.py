"""ARFF, dense and sparse: numeric attributes and one nominal class."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sweepless.data._arff_header import read_header, without_comment
from sweepless.data._arff_rows import DenseRows, Rows, SparseRows
from sweepless.data._files import PathLike, build_dataset, read_text
from sweepless.dataset import Dataset
from sweepless.errors import DataError


def read_arff(path: PathLike, *, label: str | int | None = None) -> Dataset:
    """Read an ARFF file.

    Parameters
    ----------
    path : path-like
        A UTF-8 text, possibly gzipped. Its attributes are numeric, real or integer, except for one
        nominal attribute, the class.
    label : str, optional
        Name of the class attribute. By default the last nominal attribute named `class`, in any case.

    Returns
    -------
    Dataset
        Samples regrouped class by class, in file order within each class; classes in the order of
        their declaration, named by strings; values rounded to 32-bit floats and widened, as the
        reference program has them; compressed columns if the rows are sparse.
    """
    lines = enumerate(read_text(path).split("\n"), start=1)
    header = read_header(path, lines, label)
    rows = _rows(lines)
    line, first = next(rows, (0, ""))
    if not line:
        raise DataError(f"{path} must hold at least one row after @data, got none.")
    reader: Rows = SparseRows(path, header) if first.startswith("{") else DenseRows(path, header)
    reader.append(line, first)
    for line, row in rows:
        reader.append(line, row)
    codes = np.array(reader.codes, dtype=np.int64)
    order = np.argsort(codes, kind="stable")
    labels = np.array(header.classes)[codes[order]]
    return build_dataset(path, reader.matrix(order), labels, feature_names=header.feature_names, classes=header.classes)


def _rows(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield every line of data that says something."""
    for line, raw in lines:
        row = without_comment(raw).strip()
        if row:
            yield line, row
