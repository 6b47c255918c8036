"""Why and when a run ends."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from sweepless._checks import whole
from sweepless.direction import Direction
from sweepless.errors import InputError
from sweepless.search.events import Listener, Progress


class StopReason(Enum):
    """How a run ended; every one of them leaves a valid result."""

    TARGET = "target"  # the schedule came to its end and the target size is on record
    COMPLETED = "completed"  # the schedule came to its end
    FRONTIER = "frontier"
    EVALUATIONS = "evaluations"
    SECONDS = "seconds"
    PATIENCE = "patience"
    CALLBACK = "callback"  # a callback asked for it
    INTERRUPTED = "interrupted"


class StopSearch(Exception):
    """Leave the schedule at once, from wherever it is."""

    def __init__(self, reason: StopReason) -> None:
        self.reason = reason


@dataclass(frozen=True)
class Limits:
    """When to stop a search that would go on.

    Parameters
    ----------
    max_evaluations : int, optional
        Criterion evaluations, everything counted; a step is cut short to keep to it exactly.
    max_seconds : float, optional
        Wall time from the start of the run, checked inside a step too, from the first evaluation on.
    max_size : int, optional
        The frontier: stop right after the first step whose subset has this many features (A19).
    patience : int, optional
        Steps taken in a row without a new best value of all sizes.
    tol : float
        How much better a value must be at least for `patience` to count it as a new best.
    """

    max_evaluations: int | None = None
    max_seconds: float | None = None
    max_size: int | None = None
    patience: int | None = None
    tol: float = 0.0

    def __post_init__(self) -> None:
        for name in ("max_evaluations", "max_size", "patience"):
            if getattr(self, name) is not None:
                whole(name, getattr(self, name), 1)
        if self.max_seconds is not None and not self.max_seconds > 0:
            raise InputError(f"`max_seconds` must be a positive number or None, got {self.max_seconds!r}.")
        if not self.tol >= 0:
            raise InputError(f"`tol` must be a number of at least 0, got {self.tol!r}.")


def watchers(limits: Limits) -> tuple[Listener, ...]:
    """Return the listeners that stop a search between two steps."""
    found: list[Listener] = []
    if limits.max_size is not None:
        found.append(Frontier(limits.max_size))
    if limits.patience is not None:
        found.append(Patience(limits.patience, limits.tol))
    return tuple(found)


@dataclass(frozen=True)
class Frontier:
    """Stops right after the first addition that leads to a size (A19)."""

    max_size: int

    def __call__(self, progress: Progress) -> None:
        step = progress.step
        if step is not None and step.direction == Direction.ADD.label and step.size >= self.max_size:
            raise StopSearch(StopReason.FRONTIER)


class Patience:
    """Stops after so many steps in a row without a new best value that is better by `tol`."""

    def __init__(self, patience: int, tol: float) -> None:
        self._patience, self._tol = patience, tol
        self._n_idle, self._bar = 0, -np.inf

    def __call__(self, progress: Progress) -> None:
        if progress.step is None or progress.step.direction == "recall":
            return
        if progress.is_new_best and progress.best_value - self._bar >= self._tol:
            self._n_idle, self._bar = 0, progress.best_value
        else:
            self._n_idle += 1
        if self._n_idle >= self._patience:
            raise StopSearch(StopReason.PATIENCE)
