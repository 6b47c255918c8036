"""Kinds of steps: each builds one operator per direction for a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from sweepless.direction import Direction
from sweepless.engine.generator import Rng
from sweepless.search.statistics import Statistics
from sweepless.search.step import StepOperator
from sweepless.search.walk import Walk

if TYPE_CHECKING:
    from sweepless.search.ranking import Ranking


@dataclass(frozen=True)
class Operators:
    """The two operators of a run, and the statistics or the ranking that they use, if any."""

    add: StepOperator[Walk]
    remove: StepOperator[Walk]
    statistics: Statistics | None = None
    ranking: Ranking | None = None

    def towards(self, direction: Direction) -> tuple[StepOperator[Walk], StepOperator[Walk]]:
        """Return (advance, retreat) for a primary direction."""
        return (self.add, self.remove)[:: direction.sign]  # type: ignore[return-value]


class StepKind(Protocol):
    """A description of steps (full sweep, sampled, hybrid …) that a method is made of."""

    @property
    def tuple_size(self) -> int: ...

    def prepare(self, walk: Walk, rng: Rng) -> Operators:
        """Build the operators for one run; evaluations made here are counted by the walk."""

    def preparation_cost(self, n_features: int) -> int:
        """Return the evaluations that `prepare` spends."""

    def step_cost(self, direction: Direction, size: int, n_features: int, tuple_size: int) -> int:
        """Return the evaluations that one step from a subset of some size spends."""
