"""Whether the values of a search still told its candidates apart, read off the steps that it took."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from sweepless.direction import Direction
from sweepless.search.events import TracedStep

_MANY = 5  # candidates that share the best value of a step
_SHARE = 0.05  # and their least share of those that were valued
_STEPS = 3  # such steps


@dataclass(frozen=True)
class Saturation:
    """Steps whose best value was shared by many candidates, so that something else decided between these.

    Attributes
    ----------
    since : int
        The size that the first of these steps led to.
    n_steps : int
        How many they are.
    n_taken : int
        All steps of the same direction from there on.
    n_tied, n_proposed : int
        How many candidates shared the best value, and how many were valued, in the median of these steps.
    """

    since: int
    n_steps: int
    n_taken: int
    n_tied: int
    n_proposed: int

    def __str__(self) -> str:
        return (
            f"many candidates shared the best value in {self.n_steps} of {self.n_taken} steps since size {self.since}, "
            f"in the median of them {self.n_tied:,} of {self.n_proposed:,}"
        )


def saturation(trace: Iterable[TracedStep], direction: Direction, size: int) -> Saturation | None:
    """Return where the best value was shared by many candidates; None if that was not so, or only now and then.

    Parameters
    ----------
    trace : iterable of TracedStep
    direction : Direction
        The primary direction of the search.
    size : int
        The size that is selected; steps beyond it do not count.
    """
    steps = [step for step in trace if step.direction == direction.label and direction.sign * (size - step.size) >= 0]
    first = next((k for k, step in enumerate(steps) if _is_saturated(step)), len(steps))
    taken = steps[first:]
    shared = [step for step in taken if _is_saturated(step)]
    if len(shared) < _STEPS or 2 * len(shared) < len(taken):
        return None
    return Saturation(
        shared[0].size,
        len(shared),
        len(taken),
        int(median(step.n_tied for step in shared)),
        int(median(step.n_proposed for step in shared)),
    )


def _is_saturated(step: TracedStep) -> bool:
    return step.n_tied >= _MANY and step.n_tied >= _SHARE * step.n_proposed
