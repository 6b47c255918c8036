"""Names: a method is a schedule, a primary direction and a kind of steps; sX is X with the steps replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from sweepless.direction import Direction
from sweepless.search.dropping import DroppingSteps
from sweepless.search.events import TracedStep
from sweepless.search.ranking import DependencySteps, IndividualSteps
from sweepless.search.restricted import RestrictedSteps
from sweepless.search.route import Goal, Traits
from sweepless.search.sampled import SampledSteps
from sweepless.search.schedules import (
    adaptive_floating,
    dynamic_oscillating,
    floating,
    forward_backward,
    generalized_plus_minus,
    oscillating,
    plus_minus,
    prefixes,
    retreating,
    straight,
)
from sweepless.search.step import StepKind
from sweepless.search.sweep import SweepSteps

Schedule = Callable[..., Iterator[TracedStep]]
ADD, REMOVE = Direction.ADD, Direction.REMOVE


@dataclass(frozen=True)
class Method:
    """A sequential search, by name.

    Attributes
    ----------
    name : str
    schedule : generator function
        Called as `schedule(walk, advance, retreat, goal, **options)`. Its `traits` say what a run must know about it.
    direction : Direction
        Primary direction: ADD starts from the empty set, REMOVE from the full set.
    steps : StepKind
        The kind of steps: full sweeps, sampled, hybrid, restricted, dropping or ranked.
    added : str
        What the method added to the literature, in a few words (Table 1 of the paper).
    cost : str
        Evaluations, as a formula in D, d (size reached), y_f, y_b (budgets), m0 (warm-up), o (depth).

    Examples
    --------
    >>> from dataclasses import replace
    >>> from sweepless import METHODS, make_madelon, run
    >>> from sweepless.criteria import KNN
    >>> from sweepless.search import RestrictedSteps
    >>> METHODS["SFFS"].cost
    'at most D-d per addition, d per removal'
    >>> among_ten = replace(METHODS["SFFS"], name="SFFS among ten", steps=RestrictedSteps(pool_size=10))
    >>> run(among_ten, KNN(), make_madelon(n_samples=200, n_features=40, seed=1), target=4).size
    4
    """

    name: str
    schedule: Schedule
    direction: Direction
    steps: StepKind
    added: str = ""
    cost: str = "at most one step's evaluations per step"

    @property
    def traits(self) -> Traits:
        return getattr(self.schedule, "traits", Traits())

    def goal(self, n_features: int, target: int | None, overshoot: int | None) -> Goal:
        """Return how far the search goes; only some schedules go past the target."""
        beyond = overshoot if self.traits.overshoots else 0
        return Goal(self.direction, n_features, target, beyond, self.steps.tuple_size)


def stochastic(method: Method) -> Method:
    """Return sX, which is X with ADD := sADD and RMV := sRMV (Eq. 4).

    Examples
    --------
    >>> from sweepless import METHODS, stochastic
    >>> method = stochastic(METHODS["OS"])
    >>> method.name, method.added
    ('sOS', 'OS with budgeted sampled steps')
    """
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
_PER_TUPLE = "at most C(D-d, r) per addition, C(d, r) per removal of an r-tuple"
_PER_SWING = "at most o D per swing of depth o"
_PER_CYCLE = "l additions and r removals per cycle, each a sweep"
_PER_TUPLES = "C(D-d, l) + C(d+l, r) per cycle"
_SFS, _SBS, _LFS = "d D - d (d-1)/2", "(D (D+1) - d (d+1))/2", "D + d k - d (d-1)/2"
_SWEEP = SweepSteps()


def _table(*methods: Method) -> dict[str, Method]:
    return {method.name: method for method in methods}


CLASSIC = _table(  # Table 1 of the paper, with the mirrored and retreating searches of its family
    Method("SFS", straight, ADD, _SWEEP, "greedy construction, set-level", _SFS),
    Method("SBS", straight, REMOVE, _SWEEP, "greedy reduction, set-level", _SBS),
    Method("(l,r)", plus_minus, ADD, _SWEEP, "fixed-depth backtracking against nesting", _PER_CYCLE),
    Method("G(l,r)", generalized_plus_minus, ADD, _SWEEP, "tuple-wise steps", _PER_TUPLES),
    Method("SFFS", floating, ADD, _SWEEP, "self-controlled (floating) backtracking", _PER_STEP),
    Method("SBFS", floating, REMOVE, _SWEEP, "floating from the full set", _PER_STEP),
    Method("SFRS", retreating, ADD, _SWEEP, "full retreat after every advance", _PER_STEP),
    Method("SBRS", retreating, REMOVE, _SWEEP, "retreating from the full set", _PER_STEP),
    Method("ASFFS", adaptive_floating, ADD, _SWEEP, "tuple size adapted near the target", _PER_TUPLE),
    Method("ASBFS", adaptive_floating, REMOVE, _SWEEP, "adaptive floating from the full set", _PER_TUPLE),
    Method("OS", oscillating, ADD, _SWEEP, "oscillation around the target size", f"D + 1 + {_PER_SWING}"),
    Method("DOS", dynamic_oscillating, ADD, _SWEEP, "oscillation that also moves the size", _PER_SWING),
)

OTHERS = _table(
    Method("BIF", prefixes, ADD, IndividualSteps(), "individual relevance", "D + 1"),
    Method("DAF0", prefixes, ADD, DependencySteps(), "relevance in random company", "probes + 1"),
    Method("DAF1", prefixes, ADD, DependencySteps(normalized=True), "DAF0 in units of its deviation", "probes + 1"),
    Method("LFS", straight, ADD, RestrictedSteps(), "SFS inside a static pool of k best singles", _LFS),
    Method("FBED", forward_backward, ADD, DroppingSteps(), "early dropping of what does not improve", _PER_STEP),
)

METHODS = OTHERS | CLASSIC | {f"s{name}": stochastic(method) for name, method in CLASSIC.items()}
