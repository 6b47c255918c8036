"""How many evaluations a run will take, before it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from sweepless.direction import Direction
from sweepless.search.goal import Goal
from sweepless.search.methods import Method
from sweepless.search.operators import StepKind
from sweepless.search.options import resolve
from sweepless.search.run import require_target
from sweepless.search.step import Step
from sweepless.search.trace import TracedStep
from sweepless.search.walk import Walk


@dataclass(frozen=True)
class CostPrediction:
    """Evaluations of a run.

    Attributes
    ----------
    evaluations : int or None
        The exact total, where the method has one; None where the data decide.
    preparation : int
        Warm-up probes or ranking, included in the total.
    forward_step, backward_step : int
        The most that one addition, one removal can cost on the way.
    formula : str
    """

    evaluations: int | None
    preparation: int
    forward_step: int
    backward_step: int
    formula: str

    def swing(self, depth: int) -> int:
        """Return the most that one swing of an oscillating search costs: o (y_f + y_b) (C28)."""
        return depth * (self.forward_step + self.backward_step)


def predict_cost(
    method: str | Method, n_features: int, target: int | None = None, *, overshoot: int | None = 5, **options: Any
) -> CostPrediction:
    """Tell what a run costs in evaluations, before it runs; arguments as in `run`."""
    method, schedule_options = resolve(method, options)
    require_target(method, n_features, target)
    steps = method.steps
    goal = Goal(method.direction, n_features, target, overshoot if method.overshoots else 0, steps.tuple_size)
    preparation = steps.preparation_cost(n_features)
    total = preparation + _dry_run(method, goal, schedule_options) if method.exact_cost else None
    largest = min(goal.limit if method.direction.adds and not method.pivots else n_features, n_features)
    return CostPrediction(
        total,
        preparation,
        steps.step_cost(Direction.ADD, 0, n_features, steps.tuple_size),
        steps.step_cost(Direction.REMOVE, largest, n_features, steps.tuple_size),
        method.cost,
    )


def _dry_run(method: Method, goal: Goal, options: dict[str, Any]) -> int:
    """Let the schedule itself walk over sizes only: exact where its decisions do not depend on values."""
    walk = _SizeWalk(int(np.count_nonzero(method.direction.start(goal.n_features))))
    advance, retreat = (
        _SizeOperator(method.steps, direction, goal.n_features)
        for direction in (method.direction, method.direction.opposite)
    )
    for _ in method.schedule(walk, advance, retreat, goal, **options):
        pass
    return advance.spent + retreat.spent


class _SizeWalk:
    """A walk of which only the size is known."""

    def __init__(self, size: int) -> None:
        self.size = size

    def take(self, step: Step) -> TracedStep:
        self.size += step.direction.sign * len(step.features)
        return cast(TracedStep, None)


class _SizeOperator:
    """Finds nothing, but knows what the finding would cost."""

    def __init__(self, steps: StepKind, direction: Direction, n_features: int) -> None:
        self.steps, self.direction, self.n_features = steps, direction, n_features
        self.spent = 0

    def __call__(self, walk: Walk, tuple_size: int | None = None) -> Step:
        tuple_size = tuple_size or self.steps.tuple_size
        self.spent += self.steps.step_cost(self.direction, walk.size, self.n_features, tuple_size)
        return Step(self.direction, np.empty(tuple_size, dtype=np.intp), 0.0, 0, 0)
