"""The events that a running search announces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from sweepless.search.trace import TracedStep


@dataclass(frozen=True)
class Progress:
    """The state of a search after a step, or during a long one.

    Attributes
    ----------
    size : int
        The size of the working subset.
    best_size, best_value : int, float
        The best subset of all sizes so far; 0 and minus infinity before the first.
    n_evaluations : int
    seconds : float
        Time since the run began.
    step : TracedStep or None
        The step just taken; None before the first step and during long ones.
    is_new_best : bool
        Whether that step found the best subset of all sizes.
    """

    size: int
    best_size: int
    best_value: float
    n_evaluations: int
    seconds: float
    step: TracedStep | None
    is_new_best: bool = False


Listener: TypeAlias = Callable[[Progress], None]
"""A callable that receives every event; it may raise `StopSearch`."""
