"""The first record of a journal: the settings and data of the run, and the versions it began with."""

from __future__ import annotations

import warnings
from dataclasses import fields
from math import isinf
from pathlib import Path
from typing import Any

from sweepless._versions import versions
from sweepless.criteria.base import Criterion
from sweepless.dataset import Dataset
from sweepless.errors import JournalError, JournalWarning
from sweepless.journal.describe import described, difference
from sweepless.journal.fingerprint import fingerprint
from sweepless.journal.lines import FORMAT, Record, Scan
from sweepless.search.plan import Plan
from sweepless.search.settings import LIMITS
from sweepless.search.stop import Limits


def header(plan: Plan, criterion: Criterion, data: Dataset, note: Any = None) -> Record:
    """Return the header of a run."""
    settings = plan.settings.to_dict(described)
    return {
        "format": FORMAT,
        "settings": {name: value for name, value in settings.items() if name not in LIMITS} | _generator(plan),
        "direction": plan.method.direction.name,
        "criterion": described(criterion),
        "data": fingerprint(data),
        "limits": as_limits(plan.limits),
        "versions": versions(),
        "note": note,
    }


def _generator(plan: Plan) -> Record:
    return {"seed": plan.rng.seed, "rng": plan.rng.name, "rng_position": plan.rng.position}


def require_same(recorded: Record, given: Record, path: Path) -> None:
    """Raise if the recorded run is a different one; warn if it began with other versions."""
    recorded_settings(recorded, path)
    for part, what in (("data", "a run on other data"), ("settings", "another run"), ("criterion", "another run")):
        if differs := difference(recorded.get(part), given[part], "" if part != "criterion" else "criterion"):
            raise JournalError(f"the journal {path} records {what}, with {differs}.")
    if differs := difference(recorded.get("versions"), given["versions"]):
        warnings.warn(
            f"the run of {path} began with {differs}; its continuation may differ from an uninterrupted run.",
            JournalWarning,
            stacklevel=5,
        )


def recorded_settings(recorded: Record, path: Path) -> Record:
    """Return the settings in a header."""
    for part in ("settings", "data"):
        if not isinstance(recorded.get(part), dict):
            raise JournalError(f"the header of the journal {path} must hold {part}, got none.")
    settings: Record = recorded["settings"]
    return settings


def as_limits(limits: Limits) -> Record:
    """Return limits as plain numbers, with None for infinite ones."""
    given = {field.name: getattr(limits, field.name) for field in fields(limits)}
    plain = {name: getattr(value, "item", lambda value=value: value)() for name, value in given.items()}
    return {name: None if value is not None and isinf(value) else value for name, value in plain.items()}


def last_limits(found: Scan) -> Record:
    """Return the last recorded limits of the run."""
    given: Any = found.header.get("limits") if found.last_resumed is None else found.last_resumed.get("limits")
    try:
        return as_limits(Limits(**given))
    except TypeError:
        raise JournalError(f"the recorded limits must be {', '.join(as_limits(Limits()))}, got {given!r}.") from None
