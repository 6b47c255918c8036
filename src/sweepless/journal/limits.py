"""How far a run may go: the one thing that may change when it is resumed."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sweepless.errors import JournalError
from sweepless.journal.lines import Record, Scan
from sweepless.search.stop import Limits


def last_limits(found: Scan) -> Record:
    """Return the limits that the run had when it was last heard of."""
    given = found.last_resumed.get("limits") if found.last_resumed else found.header.get("limits")
    try:
        return asdict(Limits(**given))  # type: ignore[arg-type]
    except TypeError:
        raise JournalError(f"the limits on record must be {', '.join(asdict(Limits()))}, got {given!r}.") from None


def tighter(limits: Record, before: Record) -> bool:
    """Tell whether the limits may end the run before the end of its record; time counts only beyond it."""

    def lower(name: str) -> bool:
        now: Any = limits[name]
        return now is not None and (before[name] is None or now < before[name])

    return any(lower(name) for name in ("max_size", "patience")) or limits["tol"] > before["tol"]
