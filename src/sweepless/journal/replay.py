"""The recorded values of a run, in the order in which they were computed."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from sweepless._typing import Features, Values
from sweepless.errors import JournalError, JournalWarning
from sweepless.journal.encoding import unpacked
from sweepless.journal.lines import Record, Scan, records

_LATEST = 1e15  # seconds; a recorded time must be shorter


class Replay:
    """Returns recorded values, and the recorded events that follow them, until there are none left.

    Parameters
    ----------
    path : Path
    found : Scan
        The result of a first reading of the file.

    Attributes
    ----------
    n_left : int
        Values that are left in the current record; 0 at the end of the file.
    seconds : float
        When the last returned values were computed, in seconds of the run.
    events : deque of Record
        Recorded steps whose values have been returned.
    """

    def __init__(self, path: Path, found: Scan) -> None:
        self.path = path
        self.seconds = 0.0
        self.events: deque[Record] = deque()
        self._records: Iterator[Record] = iter(records(path, found))
        self._here: Record = {"n": 0}
        self._values: Values = np.empty(0)
        self._checksum = 0
        if found.is_torn:
            warnings.warn(
                f"the last record of the journal {path} was cut short and is dropped; the run goes on before it.",
                JournalWarning,
                stacklevel=5,
            )
        self._advance()

    @property
    def n_left(self) -> int:
        return len(self._values)

    def next(self, count: int, features: Features) -> Values:
        """Return the next values; `features` are the candidates or members that the search wants valued."""
        values, self._values = self._values[:count], self._values[count:]
        self._checksum = crc32(as_bytes(features), self._checksum)
        return values

    def passed(self) -> None:
        """Go on to the next record when the current one is used up."""
        if len(self._values):
            return
        if self._here["of"] != f"{self._checksum:08x}":
            raise self.misfit(self._here, "must hold values of the subsets that the search wants valued, got others")
        self._finish()
        self._advance()

    def misfit(self, record: Record, why: str) -> JournalError:
        return JournalError(f"line {record['n'] + 1} of the journal {self.path} {why}.")

    def _finish(self) -> None:
        self.seconds = max(self.seconds, float(self._here["seconds"]))
        if self._here["kind"] == "step":
            self.events.append(self._here)
        self._here["values"] = ""

    def _advance(self) -> None:
        """Read on to the next record that holds values."""
        for record in self._records:
            if record["kind"] == "end":
                self.seconds = max(self.seconds, _seconds(record.get("seconds")) or 0.0)
            if record["kind"] not in ("values", "step"):
                continue
            if _seconds(record.get("seconds")) is None:
                raise self.misfit(record, f"must have a number of seconds, got {str(record.get('seconds'))[:40]!r}")
            try:
                self._values = unpacked(record.get("values"))
            except JournalError as error:
                raise self.misfit(record, f"must hold values, got: {str(error).rstrip('.')}") from None
            self._here, self._checksum = record, 0
            if len(self._values):
                return
            self._finish()


def as_bytes(features: Features) -> memoryview:
    """Return features as bytes for checksums."""
    return np.ascontiguousarray(features, dtype="<i8").data


def _seconds(value: Any) -> float | None:
    """Return a recorded time, or None if it is not valid."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _LATEST:
        return None
    return float(value)
