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
    """How a run ended; the result is valid in every case."""

    TARGET = "target"  # the schedule ended and a subset of the target size was found
    COMPLETED = "completed"  # the schedule ended
    FRONTIER = "frontier"
    EVALUATIONS = "evaluations"
    SECONDS = "seconds"
    PATIENCE = "patience"
    CALLBACK = "callback"  # a callback stopped the search
    INTERRUPTED = "interrupted"


class StopSearch(Exception):
    """Ends a search at once, from any depth of the schedule."""

    def __init__(self, reason: StopReason) -> None:
        self.reason = reason


@dataclass(frozen=True)
class Limits:
    """When to stop a search before its schedule ends.

    Parameters
    ----------
    max_evaluations : int, optional
        The most evaluations of the criterion; a step is cut short so that the limit is kept exactly.
    max_seconds : float, optional
        The most wall time since the start of the run; it is checked during long steps, too.
    max_size : int, optional
        Stop right after the first step to a subset of this many features (A19).
    patience : int, optional
        Stop after this many steps in a row without a new best value of all sizes.
    tol : float
        How much better than the last a value must be for `patience` to count it as a new best.
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
    """Return the listeners that end a search between two steps."""
    found: list[Listener] = []
    if limits.max_size is not None:
        found.append(Frontier(limits.max_size))
    if limits.patience is not None:
        found.append(Patience(limits.patience, limits.tol))
    return tuple(found)


@dataclass(frozen=True)
class Frontier:
    """Ends the search right after the first addition that reaches `max_size` (A19)."""

    max_size: int

    def __call__(self, progress: Progress) -> None:
        step = progress.step
        if step is not None and step.direction == Direction.ADD.label and step.size >= self.max_size:
            raise StopSearch(StopReason.FRONTIER)


class Patience:
    """Ends the search after `patience` steps in a row without a value that is better by at least `tol`."""

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
