"""What is left to tell of a journal, in order."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sweepless.errors import JournalError, JournalWarning
from sweepless.journal.lines import Record, Scan, records

_FIELDS: dict[str, dict[str, type | tuple[type, ...]]] = {
    "values": {"n": int, "account": str, "of": str, "values": str, "seconds": (int, float)},
    "step": {
        "n": int,
        "direction": str,
        "size": int,
        "taken": int,
        "features": (list, type(None)),
        "value": (int, float, type(None)),
        "n_proposed": int,
        "position": int,
        "anatomy": dict,
        "tried": str,
        "of": (str, type(None)),  # a checksum of the candidates, or these and
        "candidates": (str, type(None)),
        "rng": (int, type(None)),  # where the generator stood after the step
        "values": str,
        "seconds": (int, float),
    },
    "snapshot": {"n": int, "rng": int, "statistics": dict, "base": (int, type(None))},
}

_BEYOND = 1 << 63


class Tape:
    """The records after the header, one at a time.

    Steps before the record `briefly_to` come without candidates and values.

    Attributes
    ----------
    here : Record or None
        The record that comes next; None at the end.
    """

    def __init__(self, path: Path, found: Scan, briefly_to: int = 0) -> None:
        self.path = path
        self.found = found
        self.last_seconds: float | None = None  # when the last record was written, if it tells
        last = found.last_line.get("seconds") if found.last_line["kind"] == "end" else None
        if isinstance(last, int | float) and _can_be(last):
            self.last_seconds = float(last)
        self._well_formed: set[tuple[Any, ...]] = set()  # names and types of fields seen before
        self._records: Iterator[Record] = iter(records(path, found, briefly_to))
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
            if record["kind"] in _FIELDS:
                form = (record["kind"], *record, *map(type, record.values()))
                if form not in self._well_formed:
                    self._check(record)
                    self._well_formed.add(form)
                if not all(map(_can_be, record.values())):
                    raise self.misfit(record, "must hold finite numbers of at most 63 bits, got another")
                self.here: Record | None = record
                return
        self.here = None

    def _check(self, record: Record) -> None:
        for name, types in _FIELDS[record["kind"]].items():
            if not isinstance(record.get(name), types):
                raise self.misfit(record, f"must have a {name}, got {str(record.get(name))[:40]!r}")

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


def _can_be(value: Any) -> bool:
    """Tell whether a value is one that can be meant, if it is a number."""
    return type(value) not in (int, float) or -_BEYOND < value < _BEYOND
