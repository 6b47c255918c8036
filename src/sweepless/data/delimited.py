"""CSV and TSV: one sample per line, one column of labels."""

from __future__ import annotations

import csv
import re
from array import array
from collections.abc import Iterator, Sequence, Set
from itertools import islice
from pathlib import Path

import numpy as np

from sweepless._typing import Values
from sweepless.data.columns import (
    LABEL_NAMES,
    counts_rows,
    dropped_columns,
    is_index_name,
    label_column,
    refuse_words,
    say_index_left_out,
)
from sweepless.data.fast_table import fast_table
from sweepless.data.files import PathLike, build_dataset, read_text, split_name
from sweepless.data.numbers import NotANumber, is_missing, is_number, parse_labels, parse_numbers
from sweepless.dataset import Dataset
from sweepless.errors import DataError, InputError

_DELIMITERS = "\t;,"

Row = tuple[int, list[str]]
"""The line a row ends on, and its fields."""


def read_delimited(
    path: PathLike, *, label: str | int | None = None, drop: Sequence[str | int] = (), delimiter: str | None = None
) -> Dataset:
    """Read a table of numbers with one column of labels.

    Parameters
    ----------
    path : path-like
        A UTF-8 text, possibly gzipped.
    label : str or int, optional
        Name or index (negative: from the end) of the label column. By default the column named
        class, label, target or y in any case, else the last one.
    drop : sequence of str or int
        Names or indices of columns to leave out: identifiers, text.
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
    its label field is a usual label name that no other row has for a label. A first column without a name that
    counts the rows, as pandas writes an index, is left out, which is logged.
    """
    text = read_text(path)
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\n\r'):
        raise InputError(f"`delimiter` must be one character, got {delimiter!r}.")
    delimiter = delimiter or _delimiter(path, text)
    rows = _rows(path, text, delimiter)
    line, first = next(rows, (1, []))
    if len(first) < 2:
        raise DataError(
            f"{path}, line {line}: a row must hold a label and at least one value, got {len(first)} field(s)."
        )
    names = [field.strip() for field in first]
    column = label_column(path, names, label)
    dropped = dropped_columns(path, names, drop, column)

    def others() -> Iterator[Row]:
        """Go through all rows but the first once more."""
        return islice(_rows(path, text, delimiter), 1, None)

    has_header = (
        isinstance(label, str)
        or any(isinstance(each, str) for each in drop)
        or _is_header(first, {column, *dropped})
        # A header of numbers (0, 1, 2, class) is what dataframes without column names are saved with.
        or (names[column].lower() in LABEL_NAMES and all(row[column:][:1] != [first[column]] for _, row in others()))
    )
    may_count = has_header and is_index_name(names[0]) and column != 0 and 0 not in dropped
    if may_count and counts_rows(row[0] for _, row in others()):
        say_index_left_out(path, names[0])
        dropped.add(0)
    table = _Table(path, len(first), column, dropped, names if has_header else None)
    if found := fast_table(text, line if has_header else 0, len(first), column, table.features, delimiter):
        if has_header:
            _check_header(path, line, names, dropped)
        return table.made_of(*found)
    try:
        if not has_header:
            table.append(line, first)
        for row in rows:
            table.append(*row)
    except NotANumber:
        _refuse_words(table, [row for _, row in others() if len(row) == table.width])
        raise
    if has_header:
        _check_header(path, line, names, dropped)
    return table.dataset()


class _Table:
    """The values and labels read so far; `names` are those of all columns, if there is a header."""

    def __init__(self, path: PathLike, width: int, column: int, dropped: Set[int], names: Sequence[str] | None) -> None:
        self.path, self.width, self.column, self.names = path, width, column, names
        self.features = [k for k in range(width) if k != column and k not in dropped]
        self.values = array("d")
        self.labels: list[str] = []
        self.lines: list[int] = []

    def append(self, line: int, row: list[str]) -> None:
        """Add one row."""
        if len(row) != self.width:
            raise DataError(f"{self.path}, line {line}: a row must hold {self.width} fields, got {len(row)}.")
        self.lines.append(line)
        self.labels.append(row[self.column])
        words = [row[k] for k in self.features]
        self.values.frombytes(parse_numbers(words, lambda k: self._place(line, self.features[k])).tobytes())

    def dataset(self) -> Dataset:
        """Make the data set of all rows."""
        if not self.lines:
            raise DataError(f"{self.path} must hold at least one row after its header, got none.")
        matrix = np.frombuffer(self.values).reshape(len(self.lines), len(self.features))
        return self.made_of(matrix, self.labels)

    def made_of(self, matrix: Values, words: Sequence[str]) -> Dataset:
        """Make the data set of these values and labels."""
        labels = parse_labels(words, lambda k: self._place(self.lines[k], self.column))
        kept = None if self.names is None else [self.names[k] for k in self.features]
        return build_dataset(self.path, matrix, labels, feature_names=kept)

    def _place(self, line: int, column: int) -> str:
        """Say where a field stands, counting columns from 1."""
        name = f" ({self.names[column]!r})" if self.names is not None and self.names[column] else ""
        return f"{self.path}, line {line}, column {column + 1}{name}"


def _refuse_words(table: _Table, rows: list[list[str]]) -> None:
    """Raise if some columns hold no number at all: then it is they that do not belong here, not a single value."""
    n_different: dict[int, int] = {}
    for column in table.features:
        words = [row[column].strip() for row in rows]
        if all(is_missing(word) or not is_number(word) for word in words) and not all(map(is_missing, words)):
            n_different[column] = len(set(words))
    refuse_words(table.path, n_different, table.names, len(rows))


def _rows(path: PathLike, text: str, delimiter: str) -> Iterator[Row]:
    """Yield every row that is not blank."""
    reader = csv.reader(_lines(text), delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        for row in reader:
            if len(row) > 1 or (row and row[0].strip()):
                yield reader.line_num, row
    except csv.Error as error:
        raise DataError(f"{path}, line {reader.line_num}: a row must be well-formed, got: {error}.") from error


def _lines(text: str) -> Iterator[str]:
    """Yield one line after the other, where `StringIO` would copy the whole text first."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _delimiter(path: PathLike, text: str) -> str:
    """Know the delimiter from the extension or guess it from the first line."""
    if split_name(Path(path))[1] in (".tsv", ".tab"):
        return "\t"
    first = re.sub(r'"[^"]*"', "", next(_lines(text.lstrip("\n"))))
    return max(_DELIMITERS, key=first.count) if any(mark in first for mark in _DELIMITERS) else ","


def _is_header(first: list[str], apart: Set[int]) -> bool:
    """Tell a header from a first sample; marks of missing values speak for neither."""
    others = [field for column, field in enumerate(first) if column not in apart]
    return any(not is_number(field) and not is_missing(field) for field in others)


def _check_header(path: PathLike, line: int, names: list[str], dropped: Set[int]) -> None:
    """Raise unless the names of the columns are present and distinct."""
    seen: set[str] = set()
    for column, name in enumerate(names):
        if column in dropped:
            continue
        place = f"{path}, line {line}, column {column + 1}"
        if not name:
            raise DataError(f"{place}: a column must have a name, got none; --drop {column} leaves it out.")
        if name in seen:
            raise DataError(f"{place}: column names must be distinct, got {name!r} twice.")
        seen.add(name)
