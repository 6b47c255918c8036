"""What one step of a search is made of: the batch that was valued, the best of it, and the operators that find it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

import numpy as np

from sweepless._typing import Features, Mask, Values
from sweepless.direction import Direction

if TYPE_CHECKING:
    from sweepless.engine.generator import Rng
    from sweepless.search.ranking import Ranking
    from sweepless.search.statistics import Statistics
    from sweepless.search.walk import Walk

W = TypeVar("W", contravariant=True)
Preference: TypeAlias = Callable[[Direction, Features], Values]
"""Returns a second value for each row of features to add or to remove."""


@dataclass(frozen=True)
class Step:
    """A step that an operator found; the schedule decides whether to take it."""

    direction: Direction
    features: Features
    value: float
    n_proposed: int
    position: int  # of the winner, in the order in which the candidates were valued
    n_tied: int = 1  # how many candidates share the winner's value, itself included


@dataclass(frozen=True)
class Batch:
    """Valued subsets of one size that share most of their features.

    Each row of `changed` holds the features in which one of the subsets differs from `common`.
    """

    direction: Direction
    common: Mask
    changed: Features
    values: Values

    def subset(self, changed: Features) -> Features:
        """Return the subset that differs from the common one by these features."""
        return np.flatnonzero(self.direction.applied(self.common, changed))

    def best(self, prefer: Preference | None = None) -> Step:
        """Return the first strict maximum in the order of evaluation (A9).

        Parameters
        ----------
        prefer : callable, optional
            Returns second values of some candidates in one direction. They decide between several that share the
            maximum, and of those with equal second values the first wins again.
        """
        position = int(self.values.argmax())
        tied = np.flatnonzero(self.values == self.values[position])
        if prefer is not None and len(tied) > 1:
            position = int(tied[np.argmax(prefer(self.direction, self.changed[tied]))])
        return Step(
            self.direction,
            self.changed[position].copy(),  # a copy, so that a step does not keep its batch in memory
            float(self.values[position]),
            len(self.values),
            position,
            len(tied),
        )


class StepOperator(Protocol[W]):
    """ADD, RMV, sADD, sRMV: finds the best next step at a known cost."""

    @property
    def direction(self) -> Direction: ...

    def __call__(self, walk: W, tuple_size: int | None = None) -> Step | None:
        """Return the best step found, or None when no legal step exists."""


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
