"""A growing table of numbers and labels."""

from __future__ import annotations

from array import array

import numpy as np

from sweepless.data._files import PathLike, build_dataset
from sweepless.data._numbers import parse_labels, parse_numbers
from sweepless.dataset import Dataset
from sweepless.errors import DataError


class Table:
    """The values and labels read so far."""

    def __init__(self, path: PathLike, width: int, column: int) -> None:
        self.path, self.width, self.column = path, width, column
        self.values = array("d")
        self.labels: list[str] = []
        self.lines: list[int] = []

    def append(self, line: int, row: list[str]) -> None:
        """Add one row, which is used up."""
        if len(row) != self.width:
            raise DataError(f"{self.path}, line {line}: a row must hold {self.width} fields, got {len(row)}.")
        self.lines.append(line)
        self.labels.append(row.pop(self.column))
        numbers = parse_numbers(row, lambda k: self._place(line, k + (k >= self.column)))
        self.values.frombytes(numbers.tobytes())

    def prepend(self, line: int, row: list[str]) -> None:
        """Add the first row after all others."""
        rest, self.values = self.values, array("d")
        lines, self.lines = self.lines, []
        labels, self.labels = self.labels, []
        self.append(line, row)
        self.values += rest
        self.lines += lines
        self.labels += labels

    def dataset(self, names: list[str] | None) -> Dataset:
        """Make the data set of all rows."""
        if not self.lines:
            raise DataError(f"{self.path} must hold at least one row after its header, got none.")
        matrix = np.frombuffer(self.values, dtype=np.float64).reshape(len(self.lines), self.width - 1)
        labels = parse_labels(self.labels, lambda k: self._place(self.lines[k], self.column))
        return build_dataset(self.path, matrix, labels, feature_names=names)

    def _place(self, line: int, column: int) -> str:
        """Say where a field stands, counting columns from 1."""
        return f"{self.path}, line {line}, column {column + 1}"
