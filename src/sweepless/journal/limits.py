"""How far a run may go: the one thing that may change when it is resumed."""

from __future__ import annotations

from dataclasses import fields
from math import isinf
from typing import Any

from sweepless.errors import JournalError
from sweepless.journal.lines import Record, Scan
from sweepless.search.stop import Limits


def as_record(limits: Limits) -> Record:
    """Write limits as plain numbers; an infinite one is none."""
    given = {field.name: getattr(limits, field.name) for field in fields(limits)}
    plain = {name: getattr(value, "item", lambda value=value: value)() for name, value in given.items()}
    return {name: None if value is not None and isinf(value) else value for name, value in plain.items()}


def last_limits(found: Scan) -> Record:
    """Return the limits that the run had when it was last heard of."""
    given: Any = found.header.get("limits") if found.last_resumed is None else found.last_resumed.get("limits")
    try:
        return as_record(Limits(**given))
    except TypeError:
        raise JournalError(f"the limits on record must be {', '.join(as_record(Limits()))}, got {given!r}.") from None


def tighter(limits: Record, before: Record) -> bool:
    """Tell whether the limits may end the run before the end of its record; time counts only beyond it."""

    def lower(name: str) -> bool:
        now: Any = limits[name]
        return now is not None and (before[name] is None or now < before[name])

    return any(lower(name) for name in ("max_size", "patience")) or limits["tol"] > before["tol"]
