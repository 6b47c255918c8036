"""CSV and TSV: one sample per line, one column of labels."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence, Set
from pathlib import Path

from sweepless.data._columns import (
    LABEL_NAMES,
    counts_rows,
    dropped_columns,
    is_index_name,
    label_column,
    refuse_words,
    say_index_left_out,
)
from sweepless.data._files import PathLike, read_text, split_name
from sweepless.data._numbers import NotANumber, is_missing, is_number
from sweepless.data._table import Table
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
    header = (
        isinstance(label, str) or any(isinstance(each, str) for each in drop) or _is_header(first, {column, *dropped})
    )
    # A header of numbers (0, 1, 2, class) is what dataframes without column names are saved with.
    doubtful = not header and names[column].lower() in LABEL_NAMES
    may_count = (header or doubtful) and is_index_name(names[0]) and column != 0 and 0 not in dropped
    if may_count and counts_rows(row[0] for _, row in _rows_after_header(path, text, delimiter)):
        say_index_left_out(path, names[0])
        dropped.add(0)
    table = Table(path, len(first), column, dropped, names if header else None)
    if not header and not doubtful:
        table.append(line, list(first))
    try:
        for row in rows:
            table.append(*row)
    except NotANumber:
        _refuse_words(path, list(_rows_after_header(path, text, delimiter)), table, names if header else None)
        raise
    if doubtful and first[column] in table.labels:
        table.prepend(line, list(first))
    elif header or doubtful:
        _check_header(path, line, names, dropped)
        return table.dataset(names)
    return table.dataset(None)


def _rows_after_header(path: PathLike, text: str, delimiter: str) -> Iterator[Row]:
    rows = _rows(path, text, delimiter)
    next(rows)
    return rows


def _refuse_words(path: PathLike, rows: list[Row], table: Table, names: Sequence[str] | None) -> None:
    """Raise if some columns hold no number at all: then it is they that do not belong here, not a single value."""
    whole = [row for _, row in rows if len(row) == table.width]
    n_different: dict[int, int] = {}
    for column in table.features:
        words = [row[column].strip() for row in whole]
        if all(is_missing(word) or not is_number(word) for word in words) and not all(map(is_missing, words)):
            n_different[column] = len(set(words))
    refuse_words(path, n_different, names, len(whole))


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
