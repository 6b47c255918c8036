"""One search from its plan to its result: iterate the schedule and announce every step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from sweepless.criteria.base import Criterion, Cursor
from sweepless.dataset import Dataset
from sweepless.search.events import Listener, Progress, TracedStep
from sweepless.search.ledger import Clock
from sweepless.search.plan import Plan, plan_for
from sweepless.search.result import Result
from sweepless.search.settings import SearchSettings
from sweepless.search.start import begin
from sweepless.search.step import Operators
from sweepless.search.stop import StopReason, StopSearch, watchers
from sweepless.search.threads import with_threads
from sweepless.search.walk import Walk


def search(settings: SearchSettings, criterion: Criterion, data: Dataset, listeners: Iterable[Listener] = ()) -> Result:
    """Search for good subsets of every size.

    Parameters
    ----------
    settings : SearchSettings
    criterion : Criterion
    data : Dataset
    listeners : iterable of callables
        Called with a `Progress` after every step, and from time to time during long ones.
    """
    clock = Clock()
    planned = plan_for(settings, criterion, data)
    cursor = with_threads(criterion, planned, data).bind(data)
    return conduct(planned, cursor, str(criterion), listeners, clock)


def conduct(planned: Plan, cursor: Cursor, criterion: str, listeners: Iterable[Listener], clock: Clock) -> Result:
    """Run a planned search.

    Parameters
    ----------
    planned : Plan
    cursor : Cursor
        Computes the values.
    criterion : str
        The name of the criterion in the result.
    listeners : iterable of callables
        Called with a `Progress` after every step, and from time to time during long ones.
    clock : Clock
        Started before any work was done for the run.
    """
    audience = (*listeners, *watchers(planned.limits))
    walk = Walk(
        cursor,
        planned.limits,
        clock,
        lambda walk: announce(walk, audience),
        takes_first=planned.rng.takes_first,
        races=planned.races,
    )
    method, operators = planned.method, None
    try:
        operators = method.steps.prepare(walk, planned.rng)
        begin(walk, planned.start, method, planned.goal, operators, planned.rng)
        announce(walk, audience)
        advance, retreat = operators.towards(method.direction)
        drive(walk, method.schedule(walk, advance, retreat, planned.goal, **planned.schedule_options), audience)
        reason = StopReason.COMPLETED
    except StopSearch as stop:
        reason = stop.reason
    except KeyboardInterrupt:
        reason = StopReason.INTERRUPTED
    return _result(planned, walk, operators, reason, criterion)


def _result(planned: Plan, walk: Walk, operators: Operators | None, reason: StopReason, criterion: str) -> Result:
    goal, method, data = planned.goal, planned.method, walk.cursor.data
    sought = None if goal.target is None or method.traits.moves_size else walk.archive.get(goal.target)
    if reason is StopReason.COMPLETED and sought is not None:
        reason = StopReason.TARGET
    learned = None if operators is None else operators.statistics or operators.ranking
    return Result(
        method=method.name,
        criterion=criterion,
        n_features=walk.n_features,
        target=goal.target,
        archive=walk.archive,
        trace=tuple(walk.trace),
        anatomy=walk.anatomy,
        best=sought or walk.archive.best,
        stop_reason=reason,
        seed=planned.rng.seed,
        rng=planned.rng.name,
        seconds=walk.seconds,
        scores=None if learned is None else np.array(learned.scores),
        feature_names=data.feature_names if walk.n_features == data.n_features else None,
        order=None if operators is None or operators.ranking is None else operators.ranking.order,
        tried=walk.tried,
        best_probe=walk.best_probe,
        settings=planned.settings,
    )


def drive(walk: Walk, steps: Iterable[TracedStep], listeners: Sequence[Listener]) -> None:
    """Iterate the schedule and announce every step."""
    best = walk.archive.best
    for step in steps:
        announce(walk, listeners, step, is_new_best=walk.archive.best is not best)
        best = walk.archive.best


def announce(
    walk: Walk, listeners: Sequence[Listener], step: TracedStep | None = None, *, is_new_best: bool = False
) -> None:
    """Call every listener with the current state of the search."""
    if not listeners:
        return
    best = walk.archive.best
    size, value = (0, -np.inf) if best is None else (best.size, best.value)
    progress = Progress(walk.size, size, value, walk.anatomy.total, walk.seconds, step, is_new_best)
    for listener in listeners:
        listener(progress)
