"""What a run does, step by step, what it pays for, and what is announced of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from sweepless._typing import Features


@dataclass(frozen=True)
class TracedStep:
    """One taken step.

    `direction` is "forward", "backward", or "recall" for a return to a recorded subset, which costs nothing.
    The evaluation counts are totals up to and including this step. `n_tied` candidates shared the best value; 1 is the
    winner alone.
    """

    direction: str
    size: int
    features: Features
    value: float
    n_proposed: int
    position: int
    n_evaluations: int
    forward_evaluations: int
    backward_evaluations: int
    n_tied: int = 1


@dataclass
class Anatomy:
    """How many evaluations each part of a run took."""

    warm_up: int = 0  # random probes before the search, warm-up or ranking
    ranking: int = 0  # single features valued to rank them
    start: int = 0  # starting subsets
    forward: int = 0
    backward: int = 0
    sizes: int = 0  # sum of the sizes of all valued subsets, for cost models
    filter: int = 0  # values of an auxiliary criterion (a filter, a second value), which are not evaluations of J
    spared: float = 0.0  # evaluations' worth of work that racing left out of those counted, less first looks

    @property
    def total(self) -> int:
        return self.warm_up + self.ranking + self.start + self.forward + self.backward

    @property
    def spared_share(self) -> float:
        """The share of the work of all evaluations that racing left out: of fits, where an estimator is fitted."""
        return self.spared / self.total if self.total else 0.0

    def pay(self, account: str, count: int, sizes: int) -> None:
        """Count evaluations of subsets whose sizes add up to `sizes`."""
        setattr(self, account, getattr(self, account) + count)
        self.sizes += sizes

    def to_dict(self) -> dict[str, float]:
        return vars(self) | {"total": self.total}


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
