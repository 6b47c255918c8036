"""The best subset of every size, and the best of all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from sweepless._typing import Features


@dataclass(frozen=True)
class Record:
    """The best known subset of one size."""

    size: int
    value: float
    features: Features
    n_evaluations: int  # spent when this subset was found
    sum_of_sizes: int | None = None  # over all subsets valued until then, for cost models

    def __post_init__(self) -> None:
        self.features.setflags(write=False)


class Archive(Mapping[int, Record]):
    """Best record per size; a record is replaced only by a strictly better one (A17)."""

    def __init__(self) -> None:
        self._records: dict[int, Record] = {}
        self.best: Record | None = None

    def __getitem__(self, size: int) -> Record:
        return self._records[size]

    def __iter__(self) -> Iterator[int]:
        return iter(sorted(self._records))

    def __len__(self) -> int:
        return len(self._records)

    def value(self, size: int) -> float:
        """Return the best value recorded at a size, minus infinity if there is none."""
        record = self._records.get(size)
        return -np.inf if record is None else record.value

    def add(self, record: Record) -> bool:
        """Keep the record if it is better; return whether it is now the best of all sizes.

        The best of all sizes has the greatest value and, among equal values, the fewest features.
        """
        if record.value > self.value(record.size):
            self._records[record.size] = record
        best = self.best
        if best is None or record.value > best.value or (record.value == best.value and record.size < best.size):
            self.best = record
            return True
        return False
