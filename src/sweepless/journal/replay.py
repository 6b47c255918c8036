"""The values of a run on record, in the order in which they were computed, and how they are written."""

from __future__ import annotations

import warnings
from base64 import b64decode
from binascii import b2a_base64
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from sweepless._typing import Features, Values
from sweepless.errors import JournalError, JournalWarning
from sweepless.journal.lines import Record, Scan, records, typed_record
from sweepless.schema.journal import EndRecord, StepRecord, ValuesRecord


def packed(values: Values) -> str:
    """Encode doubles as base64 of their little-endian bytes, which is exact and takes a few nanoseconds each."""
    return b2a_base64(values.astype("<f8", copy=False).tobytes(), newline=False).decode()


def unpacked(text: Any) -> Values:
    data = _decoded(text)
    if len(data) % 8:
        raise JournalError(f"packed values must take 8 bytes each, got {len(data)} bytes.")
    return np.frombuffer(data, dtype="<f8").astype(np.float64)


def _decoded(text: Any) -> bytes:
    try:
        return b64decode(text, validate=True)
    except (TypeError, ValueError) as error:
        raise JournalError(f"packed values must be base64, got: {error}.") from None


_KINDS: dict[str, type[ValuesRecord | StepRecord | EndRecord]] = {
    "values": ValuesRecord,
    "step": StepRecord,
    "end": EndRecord,
}


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
    events : deque of (int, StepRecord)
        Recorded steps whose values have been returned, with the numbers of their records.
    """

    def __init__(self, path: Path, found: Scan) -> None:
        self.path = path
        self.seconds = 0.0
        self.events: deque[tuple[int, StepRecord]] = deque()
        self._records: Iterator[Record] = iter(records(path, found))
        self._here: StepRecord | ValuesRecord | None = None
        self._number = 0  # of the current record
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
        if self._here is not None and self._here.of != f"{self._checksum:08x}":
            raise self.misfit(self._number, "must hold values of the subsets that the search wants valued, got others")
        self._finish()
        self._advance()

    def misfit(self, number: int, why: str) -> JournalError:
        return JournalError(f"line {number + 1} of the journal {self.path} {why}.")

    def _finish(self) -> None:
        """Skip the current record."""
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
    """Return features as bytes for checksums."""
    return np.ascontiguousarray(features, dtype="<i8").data
