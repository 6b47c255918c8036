"""What is announced of a running search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from sweepless.search.trace import TracedStep


@dataclass(frozen=True)
class Progress:
    """One event: a step was taken, or a long one is under way.

    Attributes
    ----------
    size : int
        Of the working subset.
    best_size, best_value : int, float
        The best subset of all sizes so far; 0 and minus infinity before there is one.
    n_evaluations : int
    seconds : float
        Since the run began.
    step : TracedStep or None
        The step just taken; None before the first and inside long ones.
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
"""Called with every event; it may raise `StopSearch`."""
