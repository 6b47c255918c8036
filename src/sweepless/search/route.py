"""What a schedule sees of a walk, and what a run must know about a schedule before it begins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from sweepless._typing import Features
from sweepless.direction import Direction
from sweepless.search.archive import Archive
from sweepless.search.step import Step
from sweepless.search.trace import TracedStep


@dataclass(frozen=True)
class Mark:
    """A place to return to."""

    features: Features
    value: float

    @property
    def size(self) -> int:
        return len(self.features)


class Route(Protocol):
    """All that a schedule may ask of a walk. A dry run over sizes offers the same (`search/cost.py`)."""

    archive: Archive

    @property
    def size(self) -> int: ...

    @property
    def value(self) -> float: ...

    def take(self, step: Step | None) -> TracedStep:
        """Move to where the step leads, record it and trace it; None ends the search."""

    def improves(self, step: Step | None) -> bool:
        """Tell whether the step would strictly beat the best value ever recorded at its size."""

    def has_record(self, step: Step | None) -> bool:
        """Tell whether a subset of the size the step leads to is on record."""

    def mark(self) -> Mark:
        """Remember this place."""

    def return_to(self, mark: Mark) -> None:
        """Stand at a place that was met before."""

    def recall(self, size: int) -> TracedStep:
        """Take up the recorded best of a size."""


R = TypeVar("R", bound=Route)


@dataclass(frozen=True)
class Traits:
    """What a run must know about a schedule before it begins.

    Attributes
    ----------
    is_fixed : bool
        Whether its steps do not depend on values, so that the number of evaluations is known before the run.
    overshoots : bool
        Whether the frontier may go past the target.
    pivots : bool
        Whether it starts from a subset of the target size, where there is one.
    needs_target : bool
    moves_size : bool
        Whether the size is part of what it optimises, so that a target is only where it starts.
    sets_tuples : bool
        Whether the schedule itself says how many features a step takes.
    values_full_set : bool
        Whether the full set is valued when the search starts from it (A45).
    orient : callable, optional
        Derives the direction from the schedule's options, where they decide it.
    """

    is_fixed: bool = False
    overshoots: bool = False
    pivots: bool = False
    needs_target: bool = False
    moves_size: bool = False
    sets_tuples: bool = False
    values_full_set: bool = True
    orient: Callable[..., Direction] | None = None


F = TypeVar("F", bound=Callable[..., Any])


def schedule(**traits: Any) -> Callable[[F], F]:
    """Mark a generator function as a schedule with these traits."""

    def marked(function: F) -> F:
        function.traits = Traits(**traits)  # type: ignore[attr-defined]
        return function

    return marked
