"""How many evaluations a run will take, predicted before it starts."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from sweepless.direction import Direction
from sweepless.search.archive import Archive
from sweepless.search.budget import Operations, unknown_operations
from sweepless.search.events import TracedStep
from sweepless.search.methods import Method
from sweepless.search.plan import Plan, plan, schedule_options
from sweepless.search.route import Goal, Mark
from sweepless.search.settings import SearchSettings
from sweepless.search.start import values_origin
from sweepless.search.step import Step, StepKind
from sweepless.search.stop import StopReason, StopSearch


@dataclass(frozen=True)
class CostPrediction:
    """The number of evaluations that a run will take.

    Attributes
    ----------
    evaluations : int or None
        The exact total if the method fixes it (for DAF under `max_cost`, the expected total); None if it depends
        on the data.
    preparation : int
        Evaluations of the warm-up or of the ranking, included in the total.
    forward_step, backward_step : int
        The most that a single addition and a single removal can cost.
    formula : str
    budgets : str
        What the budgets of the steps come to, in words.
    """

    evaluations: int | None
    preparation: int
    forward_step: int
    backward_step: int
    formula: str
    budgets: str

    def swing(self, depth: int) -> int:
        """Return the most that one swing of an oscillating search costs: o (y_f + y_b) (C28)."""
        return depth * (self.forward_step + self.backward_step)


def predict_cost(
    method: str | Method,
    n_features: int,
    target: int | None = None,
    *,
    operations: Operations = unknown_operations,
    **settings: Any,
) -> CostPrediction:
    """Predict how many evaluations a run takes.

    Parameters
    ----------
    method : str or Method
    n_features : int
    target : int, optional
    operations : callable
        What a candidate of a size takes, which automatic budgets follow: `partial(criterion.operations, data)` for a
        criterion and its data. By default nobody knows, and they are the paper's.
        The criterion is taken to promise something of single features, so that an automatic warm-up is not needed.
    **settings
        Those of `run`.

    Examples
    --------
    >>> from sweepless import predict_cost
    >>> predict_cost("SFS", n_features=5000, target=35).evaluations
    174405
    >>> predict_cost("sSFS", n_features=5000, target=35).evaluations
    3500
    >>> print(predict_cost("SFFS", n_features=5000, target=35).evaluations)  # depends on the data
    None
    """
    asked = SearchSettings(method=method, target=target, **settings)
    planned = plan(asked, n_features, operations, lambda: np.zeros(n_features))
    method, goal = planned.method, planned.goal
    steps = method.steps
    preparation = steps.preparation_cost(n_features)
    if method.traits.is_fixed:
        add, remove = _dry_run(method, goal, planned.schedule_options)
        start = int(not method.direction.adds and values_origin(method, goal))
        total = preparation + start + add.spent + remove.spent
        return CostPrediction(total, preparation, add.dearest, remove.dearest, method.cost, planned.budgets)
    # Adaptive searches widen their tuples as they go.
    widest = (schedule_options(method) | planned.schedule_options).get("r_max", 0)
    widths = range(1, widest + 1) or (steps.tuple_size,)
    farthest = goal.limit + max(widths) - 1 if method.direction.adds and method.traits.overshoots else n_features
    forward, backward = (
        max(steps.step_cost(direction, size, n_features, width) for width in widths)
        for direction, size in ((Direction.ADD, 0), (Direction.REMOVE, min(farthest, n_features)))
    )
    return CostPrediction(None, preparation, forward, backward, method.cost, planned.budgets)


def least_cost(planned: Plan) -> Counter[int]:
    """Return the evaluations at every size of a run in which no retreat improves on a recorded value.

    This is the cost of the method if its cost is fixed, and the least it can cost otherwise: a floating search, for
    example, makes one failed retreat after every advance. If the schedule may end early, as that of FBED, it is the
    most instead (`Traits.bound`). Preparation is not included.
    """
    add, remove = _dry_run(planned.method, planned.goal, planned.schedule_options, planned.limits.max_size)
    return add.spent_at + remove.spent_at


def _dry_run(
    method: Method, goal: Goal, options: dict[str, Any], max_size: int | None = None
) -> tuple[_SizeOperator, _SizeOperator]:
    """Run the schedule over sizes only, which is exact if its decisions do not depend on values."""
    at_pivot = method.traits.pivots and goal.target is not None
    walk = _SizeWalk(goal.target or 0 if at_pivot else int(np.count_nonzero(method.direction.start(goal.n_features))))
    operators = {way: _SizeOperator(method.steps, way, goal.n_features) for way in Direction}
    advance, retreat = operators[method.direction], operators[method.direction.opposite]
    with suppress(StopSearch):
        for step in method.schedule(walk, advance, retreat, goal, **options):
            if step.direction == Direction.ADD.label and step.size >= (max_size or np.inf):
                break
    return operators[Direction.ADD], operators[Direction.REMOVE]


class _SizeWalk:
    """A `Route` that knows only its size and on which nothing improves on a recorded value."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.value = 0.0
        self.archive = Archive()
        self._met = {size}

    def take(self, step: Step | None) -> TracedStep:
        if step is None:
            raise StopSearch(StopReason.COMPLETED)
        self.size = self._size_after(step)
        self._met.add(self.size)
        return self._traced(step.direction.label)

    def recall(self, size: int) -> TracedStep:
        self.size = size
        return self._traced("recall")

    def improves(self, step: Step | None) -> bool:
        return not self.has_record(step)

    def has_record(self, step: Step | None) -> bool:
        return step is None or self._size_after(step) in self._met

    def _size_after(self, step: Step) -> int:
        return self.size + step.direction.sign * len(step.features)

    def mark(self) -> Mark:
        return Mark(np.empty(self.size, dtype=np.intp), self.value)

    def return_to(self, mark: Mark) -> None:
        self.size = mark.size

    def _traced(self, direction: str) -> TracedStep:
        return TracedStep(direction, self.size, np.empty(0, dtype=np.intp), self.value, 0, 0, 0, 0, 0)


class _SizeOperator:
    """A step operator that values nothing and only counts what a step would cost."""

    def __init__(self, steps: StepKind, direction: Direction, n_features: int) -> None:
        self.steps, self.direction, self.n_features = steps, direction, n_features
        self.dearest = 0
        self.spent_at: Counter[int] = Counter()  # keyed by the size of the valued subsets

    @property
    def spent(self) -> int:
        return self.spent_at.total()

    def __call__(self, walk: _SizeWalk, tuple_size: int | None = None) -> Step | None:
        tuple_size = tuple_size or self.steps.tuple_size
        if not self.direction.is_legal(walk.size, self.n_features, tuple_size):
            return None
        cost = self.steps.step_cost(self.direction, walk.size, self.n_features, tuple_size)
        if cost == 0:  # the static pool is used up
            return None
        self.spent_at[walk.size + self.direction.sign * tuple_size] += cost
        self.dearest = max(self.dearest, cost)
        return Step(self.direction, np.empty(tuple_size, dtype=np.intp), 0.0, 0, 0)
