"""CSV and TSV: one sample per line, one column of labels."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

from sweepless.data._files import PathLike, read_text, split_name
from sweepless.data._numbers import is_missing, is_number
from sweepless.data._table import Table
from sweepless.dataset import Dataset
from sweepless.errors import DataError, InputError

_LABEL_NAMES = ("class", "label", "target", "y")
_DELIMITERS = "\t;,"

Row = tuple[int, list[str]]
"""The line a row ends on, and its fields."""


def read_delimited(path: PathLike, *, label: str | int | None = None, delimiter: str | None = None) -> Dataset:
    """Read a table of numbers with one column of labels.

    Parameters
    ----------
    path : path-like
        A UTF-8 text, possibly gzipped.
    label : str or int, optional
        Name or index (negative: from the end) of the label column. By default the column named
        class, label, target or y in any case, else the last one.
    delimiter : str, optional
        One character. By default the tab for `.tsv` and `.tab`, else whichever of comma, semicolon
        and tab is the most frequent in the first line.

    Returns
    -------
    Dataset
        Labels are integers if all of them are whole numbers, reals if all are numbers, else strings.

    Notes
    -----
    The first row is a header if one of its fields outside the label column is not a number, or if
    its label field is a usual label name that no other row has for a label.
    """
    text = read_text(path)
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\n\r'):
        raise InputError(f"`delimiter` must be one character, got {delimiter!r}.")
    rows = _rows(path, text, delimiter or _delimiter(path, text))
    line, first = next(rows, (1, []))
    if len(first) < 2:
        raise DataError(
            f"{path}, line {line}: a row must hold a label and at least one value, got {len(first)} field(s)."
        )
    column = _label_column(path, first, label)
    table = Table(path, len(first), column)
    header = isinstance(label, str) or _is_header(first, column)
    # A header of numbers (0, 1, 2, class) is what dataframes without column names are saved with.
    doubtful = not header and first[column].strip().lower() in _LABEL_NAMES
    if not header and not doubtful:
        table.append(line, list(first))
    for row in rows:
        table.append(*row)
    if doubtful and first[column] in table.labels:
        table.prepend(line, list(first))
    elif header or doubtful:
        names = _checked_header(path, line, first)
        del names[column]
        return table.dataset(names)
    return table.dataset(None)


def _rows(path: PathLike, text: str, delimiter: str) -> Iterator[Row]:
    """Yield every row that is not blank."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        for row in reader:
            if len(row) > 1 or (row and row[0].strip()):
                yield reader.line_num, row
    except csv.Error as error:
        raise DataError(f"{path}, line {reader.line_num}: a row must be well-formed, got: {error}.") from error


def _delimiter(path: PathLike, text: str) -> str:
    """Know the delimiter from the extension or guess it from the first line."""
    if split_name(Path(path))[1] in (".tsv", ".tab"):
        return "\t"
    first = re.sub(r'"[^"]*"', "", text.lstrip("\n").split("\n", 1)[0])
    return max(_DELIMITERS, key=first.count) if any(mark in first for mark in _DELIMITERS) else ","


def _label_column(path: PathLike, first: list[str], label: str | int | None) -> int:
    """Find the label column in the first row."""
    names = [field.strip() for field in first]
    if isinstance(label, str):
        if label not in names:
            raise DataError(f"{path} must have the label column {label!r}, got columns {_listed(names)}.")
        return names.index(label)
    if label is not None:
        if isinstance(label, bool) or not -len(first) <= label < len(first):
            raise InputError(f"`label` must be a column index from {-len(first)} to {len(first) - 1}, got {label!r}.")
        return int(label) % len(first)
    for usual in _LABEL_NAMES:
        for column, name in enumerate(names):
            if name.lower() == usual:
                return column
    return len(first) - 1


def _is_header(first: list[str], column: int) -> bool:
    """Tell a header from a first sample; marks of missing values speak for neither."""
    others = first[:column] + first[column + 1 :]
    return any(not is_number(field) and not is_missing(field) for field in others)


def _checked_header(path: PathLike, line: int, first: list[str]) -> list[str]:
    """Return the column names, each present and distinct."""
    names = [field.strip() for field in first]
    seen: set[str] = set()
    for column, name in enumerate(names, start=1):
        if not name or name in seen:
            got = f"{name!r} twice" if name else "an empty name"
            raise DataError(f"{path}, line {line}, column {column}: column names must be distinct, got {got}.")
        seen.add(name)
    return names


def _listed(names: list[str]) -> str:
    """List the first few names."""
    return ", ".join(repr(name) for name in names[:8]) + (", …" if len(names) > 8 else "")
