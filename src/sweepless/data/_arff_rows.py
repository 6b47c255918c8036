"""The rows of an ARFF file, dense or sparse, gathered into a matrix."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from array import array

import numpy as np
from scipy import sparse

from sweepless._typing import Counts
from sweepless.data._arff_header import Header, split_values, unquote
from sweepless.data._files import PathLike
from sweepless.data._numbers import parse_float32
from sweepless.errors import DataError

_INDEX = re.compile(r"[0-9]{1,18}")


class Rows(ABC):
    """The rows read so far."""

    def __init__(self, path: PathLike, header: Header) -> None:
        self.path, self.header = path, header
        self.number = {name: code for code, name in enumerate(header.classes)}
        self.codes: list[int] = []
        self.values = array("d")

    @abstractmethod
    def append(self, line: int, row: str) -> None:
        """Add one row."""

    @abstractmethod
    def matrix(self, order: Counts) -> object:
        """Return the rows in the given order."""

    def class_number(self, line: int, word: str) -> int:
        """Return the number of a class from its name."""
        name = unquote(word)
        if name not in self.number:
            allowed = ", ".join(self.header.classes[:8]) + (", …" if len(self.header.classes) > 8 else "")
            raise DataError(f"{self.path}, line {line}: the class must be one of {allowed}, got {name!r}.")
        return self.number[name]


class DenseRows(Rows):
    """Rows that list the value of every attribute."""

    def append(self, line: int, row: str) -> None:
        if row.startswith("{"):
            raise DataError(f"{self.path}, line {line}: a row must be dense like the rows above, got {row[:30]!r}.")
        words = split_values(row)
        width = len(self.header.roles)
        if len(words) != width:
            raise DataError(f"{self.path}, line {line}: a row must hold {width} values, got {len(words)}.")
        self.codes.append(self.class_number(line, words[self.header.class_column]))
        columns = self.header.feature_columns
        if len(columns) == width - 1:  # the usual case, without a list of columns
            del words[self.header.class_column]
        else:
            words = [words[column] for column in columns]
        numbers = parse_float32(words, lambda k: f"{self.path}, line {line}, column {columns[k] + 1}")
        self.values.frombytes(numbers.tobytes())

    def matrix(self, order: Counts) -> object:
        table = np.frombuffer(self.values, dtype=np.float64).reshape(len(self.codes), -1)
        return table[order]


class SparseRows(Rows):
    """Rows that list the attributes that are not zero: {index value, …}."""

    def __init__(self, path: PathLike, header: Header) -> None:
        super().__init__(path, header)
        self.columns = array("q")
        self.starts = array("q", [0])

    def append(self, line: int, row: str) -> None:
        if not (row.startswith("{") and row.endswith("}")):
            raise DataError(
                f"{self.path}, line {line}: a row must be {{index value, …}} as the first, got {row[:20]!r}."
            )
        code = 0  # an omitted class is the first one, as an omitted number is zero
        columns: list[int] = []
        words: list[str] = []
        seen: set[int] = set()
        for entry in split_values(row[1:-1]) if row[1:-1].strip() else []:
            column, word = self._entry(line, entry)
            if column in seen:
                raise DataError(f"{self.path}, line {line}: indices must be distinct, got {column} twice.")
            seen.add(column)
            role = self.header.roles[column]
            if column == self.header.class_column:
                code = self.class_number(line, word)
            elif role >= 0:
                columns.append(role)
                words.append(word)
        places = columns
        numbers = parse_float32(
            words,
            lambda k: f"{self.path}, line {line}, index {self.header.feature_columns[places[k]]}",
        )
        self.codes.append(code)
        self.columns.extend(columns)
        self.values.frombytes(numbers.tobytes())
        self.starts.append(len(self.columns))

    def _entry(self, line: int, entry: str) -> tuple[int, str]:
        """Split an index from its value."""
        words = entry.strip().split(maxsplit=1)
        if len(words) < 2 or not _INDEX.fullmatch(words[0]):
            raise DataError(f"{self.path}, line {line}: an entry must be an index and a value, got {entry[:30]!r}.")
        column = int(words[0])
        if column >= len(self.header.roles):
            last = len(self.header.roles) - 1
            raise DataError(f"{self.path}, line {line}: an index must be from 0 to {last}, got {column}.")
        return column, words[1]

    def matrix(self, order: Counts) -> object:
        shape = (len(self.codes), len(self.header.feature_columns))
        if not len(self.values):  # an empty array lends no buffer
            return sparse.csc_matrix(shape, dtype=np.float64)
        parts = (np.frombuffer(self.values), np.frombuffer(self.columns, np.int64), np.array(self.starts))
        matrix = sparse.csr_matrix(parts, shape=shape)[order].tocsc()
        matrix.eliminate_zeros()
        matrix.sort_indices()
        return matrix
