"""Names: a method is a schedule, a primary direction and a kind of steps; sX is X with the steps replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from sweepless.direction import Direction
from sweepless.search.operators import StepKind
from sweepless.search.ranking import DependencySteps, IndividualSteps
from sweepless.search.restricted import RestrictedSteps
from sweepless.search.sampled import SampledSteps
from sweepless.search.schedules import (
    adaptive_floating,
    dynamic_oscillating,
    floating,
    generalised_plus_minus,
    oscillating,
    plus_minus,
    plus_minus_direction,
    prefixes,
    retreating,
    straight,
)
from sweepless.search.sweep import SweepSteps
from sweepless.search.trace import TracedStep

Schedule = Callable[..., Iterator[TracedStep]]
ADD, REMOVE = Direction.ADD, Direction.REMOVE


@dataclass(frozen=True)
class Method:
    """A sequential search, by name.

    Attributes
    ----------
    name : str
    schedule : generator function (walk, advance, retreat, goal, **options)
    direction : Direction
        Primary direction: ADD starts from nothing, REMOVE from everything.
    steps : StepKind
        What a step is made of: full sweep, sampled, hybrid, restricted, ranked.
    added : str
        What it brought, in a few words (Table 1 of the paper).
    cost : str
        Evaluations, as a formula in D, d (size reached), y_f, y_b (budgets), m0 (warm-up), o (depth).
    exact_cost : bool
        Whether the number of evaluations is known before the run.
    overshoots : bool
        Whether the frontier may go past the target.
    pivots : bool
        Whether it starts from a subset of the target size, where there is one.
    needs_target : bool
    moves_size : bool
        Whether the size is part of what it optimises, so that a target is only where it starts.
    sets_tuples : bool
        Whether the schedule itself says how many features a step takes.
    values_start : bool
        Whether the full set is valued when the search starts from it (A45).
    orient : callable, optional
        Derives the direction from the schedule's options, where they decide it.
    """

    name: str
    schedule: Schedule
    direction: Direction
    steps: StepKind
    added: str
    cost: str
    exact_cost: bool = False
    overshoots: bool = False
    pivots: bool = False
    needs_target: bool = False
    moves_size: bool = False
    sets_tuples: bool = False
    values_start: bool = True
    orient: Callable[..., Direction] | None = None


def stochastic(method: Method) -> Method:
    """sX = X with ADD := sADD and RMV := sRMV (Eq. 4)."""
    return replace(
        method,
        name=f"s{method.name}",
        steps=SampledSteps(),
        added=f"{method.name} with budgeted sampled steps",
        cost=_SAMPLED_COSTS.get(method.name, "m0 + at most y_f per addition, y_b per removal"),
    )


_SAMPLED_COSTS = {
    "SFS": "m0 + y_f d",
    "SBS": "m0 + y_b (D-d)",
    "OS": "m0 + 1 + at most o (y_f+y_b) per swing of depth o",
}
_PER_STEP = "at most D-d per addition, d per removal"

CLASSIC = {
    method.name: method
    for method in (
        Method(
            "SFS",
            straight,
            ADD,
            SweepSteps(),
            "greedy construction, set-level",
            "d D - d (d-1)/2",
            exact_cost=True,
        ),
        Method(
            "SBS",
            straight,
            REMOVE,
            SweepSteps(),
            "greedy reduction, set-level",
            "(D (D+1) - d (d+1))/2",
            exact_cost=True,
            values_start=False,
        ),
        Method(
            "(l,r)",
            plus_minus,
            ADD,
            SweepSteps(),
            "fixed-depth backtracking against nesting",
            "l additions and r removals per cycle, each a sweep",
            exact_cost=True,
            needs_target=True,
            sets_tuples=True,
            values_start=False,
            orient=plus_minus_direction,
        ),
        Method(
            "G(l,r)",
            generalised_plus_minus,
            ADD,
            SweepSteps(),
            "tuple-wise steps",
            "C(D-d, l) + C(d+l, r) per cycle",
            exact_cost=True,
            needs_target=True,
            sets_tuples=True,
            values_start=False,
            orient=plus_minus_direction,
        ),
        Method(
            "SFFS",
            floating,
            ADD,
            SweepSteps(),
            "self-controlled (floating) backtracking",
            _PER_STEP,
            overshoots=True,
        ),
        Method("SBFS", floating, REMOVE, SweepSteps(), "floating from the full set", _PER_STEP, overshoots=True),
        Method(
            "SFRS",
            retreating,
            ADD,
            SweepSteps(),
            "full retreat after every advance",
            _PER_STEP,
            overshoots=True,
        ),
        Method(
            "SBRS",
            retreating,
            REMOVE,
            SweepSteps(),
            "retreating from the full set",
            _PER_STEP,
            overshoots=True,
        ),
        Method(
            "ASFFS",
            adaptive_floating,
            ADD,
            SweepSteps(),
            "tuple size adapted near the target",
            "at most C(D-d, r) per addition, C(d, r) per removal of an r-tuple",
            overshoots=True,
            needs_target=True,
            sets_tuples=True,
        ),
        Method(
            "ASBFS",
            adaptive_floating,
            REMOVE,
            SweepSteps(),
            "adaptive floating from the full set",
            "at most C(D-d, r) per addition, C(d, r) per removal of an r-tuple",
            overshoots=True,
            needs_target=True,
            sets_tuples=True,
        ),
        Method(
            "OS",
            oscillating,
            ADD,
            SweepSteps(),
            "oscillation around the target size",
            "D + 1 + at most o D per swing of depth o",
            pivots=True,
            needs_target=True,
        ),
        Method(
            "DOS",
            dynamic_oscillating,
            ADD,
            SweepSteps(),
            "oscillation that also moves the size",
            "at most o D per swing of depth o",
            pivots=True,
            moves_size=True,
        ),
    )
}

OTHERS = {
    method.name: method
    for method in (
        Method("BIF", prefixes, ADD, IndividualSteps(), "individual relevance", "D + 1", exact_cost=True),
        Method(
            "DAF0",
            prefixes,
            ADD,
            DependencySteps(),
            "relevance in random company",
            "probes + 1",
            exact_cost=True,
        ),
        Method(
            "DAF1",
            prefixes,
            ADD,
            DependencySteps(normalised=True),
            "DAF0 in units of its deviation",
            "probes + 1",
            exact_cost=True,
        ),
        Method(
            "LFS",
            straight,
            ADD,
            RestrictedSteps(),
            "SFS inside a static pool of k best singles",
            "D + d k - d (d-1)/2",
            exact_cost=True,
        ),
    )
}

METHODS = OTHERS | CLASSIC | {f"s{name}": stochastic(method) for name, method in CLASSIC.items()}
