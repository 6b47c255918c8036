"""What one step of a search is made of: the batch that was valued, and the best of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar

from sweepless._typing import Features, Mask, Values
from sweepless.direction import Direction

W = TypeVar("W", contravariant=True)


@dataclass(frozen=True)
class Step:
    """A step that an operator found; whether it is taken is for the schedule to say."""

    direction: Direction
    features: Features
    value: float
    n_proposed: int
    position: int  # of the winner among the proposed, in the order they were valued


@dataclass(frozen=True)
class Batch:
    """Subsets of one size, valued in one context.

    Each row of `changed` holds the features in which one valued subset differs from `common`.
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
            self.changed[position].copy(),  # a step outlives its batch, and must not keep it alive
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
