"""Where a search stands: a place to return to, and what its callbacks are told."""

from __future__ import annotations

from dataclasses import dataclass

from sweepless._typing import Features
from sweepless.search.trace import TracedStep


@dataclass(frozen=True)
class Mark:
    """A place to return to."""

    features: Features
    value: float

    @property
    def size(self) -> int:
        return len(self.features)


@dataclass(frozen=True)
class Progress:
    """What a callback is told, after every step and now and then inside one."""

    size: int
    best_size: int
    best_value: float
    n_evaluations: int
    seconds: float
    step: TracedStep | None  # None inside a step
