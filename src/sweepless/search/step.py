"""A step of a search, and the batch of valued subsets that it is the best of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar

from sweepless._typing import Features, Mask, Values
from sweepless.direction import Direction

W = TypeVar("W", contravariant=True)


@dataclass(frozen=True)
class Step:
    """A step that an operator found; the schedule decides whether to take it."""

    direction: Direction
    features: Features
    value: float
    n_proposed: int
    position: int  # of the winner, in the order in which the candidates were valued


@dataclass(frozen=True)
class Batch:
    """Valued subsets of one size that share most of their features.

    Each row of `changed` holds the features in which one of the subsets differs from `common`.
    """

    direction: Direction
    common: Mask
    changed: Features
    values: Values

    def best(self) -> Step:
        """Return the first strict maximum in the order of evaluation (A9)."""
        position = int(self.values.argmax())
        return Step(
            self.direction,
            self.changed[position].copy(),  # a copy, so that a step does not keep its batch in memory
            float(self.values[position]),
            len(self.values),
            position,
        )


class StepOperator(Protocol[W]):
    """ADD, RMV, sADD, sRMV: finds the best next step at a known cost."""

    @property
    def direction(self) -> Direction: ...

    def __call__(self, walk: W, tuple_size: int | None = None) -> Step | None:
        """Return the best step found, or None when no legal step exists."""
