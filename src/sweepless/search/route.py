"""What a schedule is given: a goal, and a walk of which it sees only this; and what a run must know about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from sweepless._typing import Features
from sweepless.direction import Direction
from sweepless.search.archive import Archive
from sweepless.search.events import TracedStep
from sweepless.search.step import Step


@dataclass(frozen=True)
class Goal:
    """The size to reach, in the primary direction of the search.

    `overshoot` is the paper's Δ, the distance that the frontier may go past the target: None is unrestricted and
    0 stops at the target (A18; in FST, Δ = 0 means unrestricted).
    """

    direction: Direction
    n_features: int
    target: int | None = None
    overshoot: int | None = 0
    tuple_size: int = 1

    @property
    def end(self) -> int:
        """The last legal size in the primary direction."""
        return self.direction.last_size(self.n_features)

    @property
    def limit(self) -> int:
        """The last size that the frontier may reach."""
        if self.target is None or self.overshoot is None:
            return self.end
        sign = self.direction.sign
        return sign * min(sign * self.target + self.overshoot, sign * self.end)

    def remaining(self, size: int) -> int:
        """Return how many features lie between a size and the limit; the number is negative beyond it."""
        return self.direction.sign * (self.limit - size)

    def reached(self, size: int) -> bool:
        """Return whether another step of the primary direction would pass the limit."""
        return self.remaining(size) < self.tuple_size


@dataclass(frozen=True)
class Mark:
    """A place to return to."""

    features: Features
    value: float

    @property
    def size(self) -> int:
        return len(self.features)


class Route(Protocol):
    """The part of a walk that a schedule may use. A dry run over sizes implements it, too (`search/cost.py`)."""

    archive: Archive

    @property
    def size(self) -> int: ...

    @property
    def value(self) -> float: ...

    def take(self, step: Step | None) -> TracedStep:
        """Move to where the step leads, record it and trace it; None ends the search."""

    def improves(self, step: Step | None) -> bool:
        """Return whether the step would strictly beat the best value ever recorded at its size."""

    def has_record(self, step: Step | None) -> bool:
        """Return whether there is a record of the size that the step leads to."""

    def mark(self) -> Mark:
        """Return the current subset as a place to return to."""

    def return_to(self, mark: Mark) -> None:
        """Return to a marked place."""

    def recall(self, size: int) -> TracedStep:
        """Return to the best recorded subset of a size."""


R = TypeVar("R", bound=Route)


@dataclass(frozen=True)
class Traits:
    """The traits of a schedule that a run must know before it begins.

    Attributes
    ----------
    is_fixed : bool
        Whether its steps are the same for all values, so that the number of evaluations is known before the run.
    ends_early : bool
        Whether values decide only how soon it ends, so that a run over sizes alone costs the most.
    overshoots : bool
        Whether the frontier may go past the target.
    pivots : bool
        Whether it starts from a subset of the target size if there is a target.
    needs_target : bool
    moves_size : bool
        Whether it optimizes the size as well, so that a target is only its starting point.
    sets_tuples : bool
        Whether the schedule itself determines how many features a step changes.
    values_full_set : bool
        Whether the full set is valued when the search starts from it (A45).
    orient : callable, optional
        Derives the direction from the options of the schedule, if it depends on them.
    """

    is_fixed: bool = False
    ends_early: bool = False
    overshoots: bool = False
    pivots: bool = False
    needs_target: bool = False
    moves_size: bool = False
    sets_tuples: bool = False
    values_full_set: bool = True
    orient: Callable[..., Direction] | None = None

    @property
    def bound(self) -> str:
        """What stands before the cost of a run over sizes alone: "at least " for searches that may retreat."""
        return "" if self.is_fixed else "at most " if self.ends_early else "at least "


F = TypeVar("F", bound=Callable[..., Any])


def schedule(**traits: Any) -> Callable[[F], F]:
    """Mark a generator function as a schedule with these traits."""

    def marked(function: F) -> F:
        function.traits = Traits(**traits)  # type: ignore[attr-defined]
        return function

    return marked
