"""The values of a run on record, in the order in which they were computed."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import numpy as np

from sweepless._typing import Features, Values
from sweepless.errors import JournalError, JournalWarning
from sweepless.journal.encoding import unpacked
from sweepless.journal.lines import Record, Scan, records, typed_record
from sweepless.schema.journal import EndRecord, StepRecord, ValuesRecord

_KINDS: dict[str, type[ValuesRecord | StepRecord | EndRecord]] = {
    "values": ValuesRecord,
    "step": StepRecord,
    "end": EndRecord,
}


class Replay:
    """Hands out recorded values, and the recorded events that follow them, until there are none left.

    Parameters
    ----------
    path : Path
    found : Scan
        What a first reading found in the file.

    Attributes
    ----------
    n_left : int
        Values that are left of the record at hand; 0 at the end of the file.
    seconds : float
        When the last values that were handed out had been computed, in seconds of the run.
    events : deque of (int, StepRecord)
        Recorded steps, with the numbers of their records, whose values have been handed out.
    """

    def __init__(self, path: Path, found: Scan) -> None:
        self.path = path
        self.seconds = 0.0
        self.events: deque[tuple[int, StepRecord]] = deque()
        self._records: Iterator[Record] = iter(records(path, found))
        self._here: StepRecord | ValuesRecord | None = None
        self._number = 0  # of the record at hand
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
        """Return the next values; `features` are the candidates or members that they are asked for."""
        values, self._values = self._values[:count], self._values[count:]
        self._checksum = crc32(as_bytes(features), self._checksum)
        return values

    def passed(self) -> None:
        """Go on to the next record when the one at hand is used up."""
        if len(self._values):
            return
        if self._here is not None and self._here.of != f"{self._checksum:08x}":
            raise self.misfit(self._number, "must hold values of the subsets that this search asks for, got others")
        self._finish()
        self._advance()

    def misfit(self, number: int, why: str) -> JournalError:
        return JournalError(f"line {number + 1} of the journal {self.path} {why}.")

    def _finish(self) -> None:
        """Pass over the record at hand."""
        if self._here is not None:
            self.seconds = max(self.seconds, self._here.seconds)
        if isinstance(self._here, StepRecord):
            self.events.append((self._number, self._here))
        self._here = None

    def _advance(self) -> None:
        """Read on to the next record that holds values."""
        for record in self._records:
            kind = _KINDS.get(record["kind"])
            if kind is None:
                continue
            known = typed_record(record, kind, self.path)
            if isinstance(known, EndRecord):
                self.seconds = max(self.seconds, known.seconds)
                continue
            self._here, self._number, self._checksum = known, record["n"], 0
            try:
                self._values = unpacked(known.values)
            except JournalError as error:
                raise self.misfit(self._number, f"must hold values, got: {str(error).rstrip('.')}") from None
            if len(self._values):
                return
            self._finish()


def as_bytes(features: Features) -> memoryview:
    """Return features as they are counted into checksums."""
    return np.ascontiguousarray(features, dtype="<i8").data
