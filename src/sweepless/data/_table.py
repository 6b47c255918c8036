"""A growing table of numbers and labels."""

from __future__ import annotations

from array import array
from collections.abc import Sequence, Set

import numpy as np

from sweepless.data._files import PathLike, build_dataset
from sweepless.data._numbers import parse_labels, parse_numbers
from sweepless.dataset import Dataset
from sweepless.errors import DataError


class Table:
    """The values and labels read so far.

    Parameters
    ----------
    path : path-like
    width, column : int
        How many columns there are, and which one holds the labels.
    dropped : set of int
        Columns that are not read.
    names : sequence of str, optional
        Of all columns, for messages, if they are known before the rows.
    """

    def __init__(
        self,
        path: PathLike,
        width: int,
        column: int,
        dropped: Set[int] = frozenset(),
        names: Sequence[str] | None = None,
    ) -> None:
        self.path, self.width, self.column, self.names = path, width, column, names
        self.features = [k for k in range(width) if k != column and k not in dropped]
        self.values = array("d")
        self.labels: list[str] = []
        self.lines: list[int] = []

    def append(self, line: int, row: list[str]) -> None:
        """Add one row, which is used up."""
        if len(row) != self.width:
            raise DataError(f"{self.path}, line {line}: a row must hold {self.width} fields, got {len(row)}.")
        self.lines.append(line)
        label = row.pop(self.column)
        self.labels.append(label)
        if len(self.features) < len(row):
            row.insert(self.column, label)
            row = [row[k] for k in self.features]
        numbers = parse_numbers(row, lambda k: self._place(line, self.features[k]))
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

    def dataset(self, names: Sequence[str] | None) -> Dataset:
        """Make the data set of all rows; `names` are those of all columns."""
        if not self.lines:
            raise DataError(f"{self.path} must hold at least one row after its header, got none.")
        matrix = np.frombuffer(self.values, dtype=np.float64).reshape(len(self.lines), len(self.features))
        labels = parse_labels(self.labels, lambda k: self._place(self.lines[k], self.column))
        kept = None if names is None else [names[k] for k in self.features]
        return build_dataset(self.path, matrix, labels, feature_names=kept)

    def _place(self, line: int, column: int) -> str:
        """Say where a field stands, counting columns from 1."""
        name = f" ({self.names[column]!r})" if self.names is not None and self.names[column] else ""
        return f"{self.path}, line {line}, column {column + 1}{name}"
