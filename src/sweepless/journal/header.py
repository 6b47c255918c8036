"""The first record: which run this is, on which data, begun with which versions."""

from __future__ import annotations

import warnings
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from sweepless._versions import versions
from sweepless.errors import JournalError, JournalWarning
from sweepless.journal.describe import described, difference
from sweepless.journal.fingerprint import fingerprint
from sweepless.journal.limits import as_record
from sweepless.journal.lines import FORMAT, Record
from sweepless.search.recorder import Setup

_WORDS = ("added", "cost")  # what a method says about itself


def header(setup: Setup, note: Any = None) -> Record:
    """Describe a run."""
    return {
        "format": FORMAT,
        "run": _run(setup),
        "data": fingerprint(setup.data),
        "limits": as_record(setup.limits),
        "versions": versions(),
        "note": note,
    }


def _run(setup: Setup) -> Record:
    method, goal, rng = setup.method, setup.goal, setup.rng
    parts = {field.name: described(getattr(method, field.name)) for field in fields(method) if field.name not in _WORDS}
    start = setup.start.tolist() if isinstance(setup.start, np.ndarray) else setup.start
    return {
        "method": parts,
        "options": dict(setup.schedule_options),
        "target": goal.target,
        "overshoot": goal.overshoot,
        "start": start,
        "criterion": described(setup.criterion),
        "rng": {"name": rng.name, "seed": rng.seed, "position": rng.position},
    }


def require_same(recorded: Record, setup: Setup, path: Path) -> None:
    """Raise unless the run on record is this one; warn if it was begun with other versions."""
    given = header(setup)
    for part in ("run", "data"):
        if not isinstance(recorded.get(part), dict):
            raise JournalError(f"the header of the journal {path} must hold a {part}, got none.")
    differs = difference(recorded["data"], given["data"])
    if differs:
        raise JournalError(f"the journal {path} records a run on other data, with {differs}.")
    differs = difference(recorded["run"], given["run"])
    if differs:
        raise JournalError(f"the journal {path} records another run, with {differs}.")
    differs = difference(recorded.get("versions"), given["versions"])
    if differs:
        warnings.warn(
            f"the run of {path} was begun with {differs}; it may go on another way than it would have.",
            JournalWarning,
            stacklevel=5,
        )
