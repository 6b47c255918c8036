"""What is left to tell of a journal, in order."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from math import isfinite
from pathlib import Path
from typing import Any

from sweepless.errors import JournalError, JournalWarning
from sweepless.journal.lines import Record, Scan, records

_FIELDS: dict[str, dict[str, type | tuple[type, ...]]] = {
    "values": {"account": str, "of": str, "values": str, "seconds": (int, float)},
    "step": {
        "direction": str,
        "size": int,
        "taken": int,
        "features": (list, type(None)),
        "value": (int, float, type(None)),
        "n_proposed": int,
        "position": int,
        "anatomy": dict,
        "tried": str,
        "of": str,
        "values": str,
        "seconds": (int, float),
    },
    "snapshot": {"rng": int, "statistics": dict},
}


class Tape:
    """The records after the header, one at a time.

    Attributes
    ----------
    here : Record or None
        The record that comes next; None at the end.
    """

    def __init__(self, path: Path, found: Scan) -> None:
        self.path = path
        self.found = found
        self.last_seconds: float | None = None  # when the last record was written, if it tells
        if found.last_line["kind"] == "end" and _is_a(found.last_line.get("seconds"), (int, float)):
            self.last_seconds = float(found.last_line["seconds"])
        self._records: Iterator[Record] = iter(records(path, found))
        self.advance()
        if found.is_torn:
            warnings.warn(
                f"the last record of the journal {path} was cut short and is dropped; the run goes on before it.",
                JournalWarning,
                stacklevel=5,
            )

    def advance(self) -> None:
        """Go on to the next record that tells something."""
        for record in self._records:
            kind = record["kind"]
            if kind in _FIELDS:
                for name, types in _FIELDS[kind].items():
                    if name not in record or not _is_a(record[name], types):
                        raise self.misfit(record, f"must have a {name}, got {str(record.get(name))[:40]!r}")
                self.here: Record | None = record
                return
        self.here = None

    def misfit(self, record: Record, why: str) -> JournalError:
        return JournalError(f"line {record['n'] + 1} of the journal {self.path} {why}.")

    def number_of_last(self, kind: str) -> int:
        """Return the number of the last record of a kind, 0 if there is none."""
        return self.found.last.get(kind, 0)

    def require(self, record: Record, **expected: Any) -> None:
        """Raise unless the search stands where the record says that it stood."""
        for name, value in expected.items():
            if record[name] != value:
                raise self.misfit(record, f"must fit the search, with {name} {value}, got {record[name]}")


def _is_a(value: Any, types: type | tuple[type, ...]) -> bool:
    """Tell whether a value has one of the types, and is a number that can be meant if it is one."""
    if isinstance(value, float) and not isfinite(value):
        return False
    return isinstance(value, types) and not (isinstance(value, int) and abs(value) >= 1 << 63)
