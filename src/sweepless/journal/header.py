"""The first record: which run this is, on which data, begun with which versions."""

from __future__ import annotations

import warnings
from dataclasses import asdict
from math import isinf
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from sweepless._versions import versions
from sweepless.criteria.base import Criterion
from sweepless.dataset import Dataset
from sweepless.errors import JournalError, JournalWarning
from sweepless.journal.describe import described, difference
from sweepless.journal.fingerprint import fingerprint
from sweepless.schema.journal import FORMAT, JournalHeader, RunLimits
from sweepless.search.plan import Plan
from sweepless.search.settings import LIMITS
from sweepless.search.stop import Limits


def header(plan: Plan, criterion: Criterion, data: Dataset, note: Any = None) -> JournalHeader:
    """Describe a run."""
    rng = plan.rng
    settings = {name: value for name, value in plan.settings.to_dict(described).items() if name not in LIMITS}
    return JournalHeader(
        format=FORMAT,
        settings=settings | {"seed": rng.seed, "rng": rng.name, "rng_position": rng.position},
        direction="ADD" if plan.method.direction.adds else "REMOVE",
        criterion=described(criterion),
        data=fingerprint(data),
        limits=as_limits(plan.limits),
        versions=versions(),
        note=note,
    )


def as_limits(limits: Limits) -> RunLimits:
    """Write limits as plain numbers; an infinite one is none."""
    plain: dict[str, Any] = {}
    for name, value in asdict(limits).items():
        number = value.item() if isinstance(value, np.generic) else value
        plain[name] = None if number is not None and isinf(number) else number
    return RunLimits(**plain)


def require_same(recorded: JournalHeader, given: JournalHeader, path: Path) -> None:
    """Raise unless the run on record is this one; warn if it was begun with other versions."""
    before, now = msgspec.to_builtins(recorded), msgspec.to_builtins(given)
    for part, place, what in (
        ("data", "", "a run on other data"),
        ("settings", "", "another run"),
        ("criterion", "criterion", "another run"),
    ):
        if differs := difference(before[part], now[part], place):
            raise JournalError(f"the journal {path} records {what}, with {differs}.")
    if differs := difference(before["versions"], now["versions"]):
        warnings.warn(
            f"the run of {path} was begun with {differs}; it may go on another way than it would have.",
            JournalWarning,
            stacklevel=5,
        )
