"""One search from start to result."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from sweepless._checks import whole
from sweepless.criteria.base import Criterion
from sweepless.dataset import Dataset
from sweepless.engine.generator import Rng, make_rng
from sweepless.errors import InputError
from sweepless.search.goal import Goal
from sweepless.search.methods import Method
from sweepless.search.options import resolve
from sweepless.search.recorder import Recorder, Setup
from sweepless.search.result import Result
from sweepless.search.start import begin, checked_start
from sweepless.search.stop import Limits, StopReason, StopSearch
from sweepless.search.walk import Progress, Walk

_REFERENCE_REACH = 32_768  # A29


def run(
    method: str | Method,
    criterion: Criterion,
    data: Dataset,
    *,
    target: int | None = None,
    overshoot: int | None = 5,
    start: Any = None,
    max_size: int | None = None,
    max_evaluations: int | None = None,
    max_seconds: float | None = None,
    patience: int | None = None,
    tol: float = 0.0,
    seed: int = 0,
    rng: str | Rng = "portable",
    callbacks: Iterable[Callable[[Progress], None]] = (),
    journal: Recorder | None = None,
    **options: Any,
) -> Result:
    """Search for good subsets of every size.

    Parameters
    ----------
    method : str or Method
        A name from `sweepless.METHODS`: "SFFS", "sSFFS", "OS", "BIF" …
    criterion : Criterion
    data : Dataset
    target : int, optional
        The size wanted; without it the search goes on to its end, or to a limit, and the best size wins.
    overshoot : int or None
        How far past the target the frontier of a floating search may go; None is unrestricted.
    start : array of int or {"scores", "ranking", "random"}, optional
        Where to begin instead of the method's own start.
    max_size, max_evaluations, max_seconds, patience, tol : optional
        Limits; see `Limits`. Any of them, and Ctrl-C, leads to a valid result.
    seed : int
    rng : {"portable", "reference"} or Rng
    callbacks : iterable of callables
        Called with a `Progress` after every step, and now and then inside long ones.
    journal : Journal, optional
        Keeps the run in a file, such as `Journal("run.jsonl")`: killed at any moment it can be resumed.
    **options
        Of the steps (sampled: budget, backward_budget, proposal, statistics, warm_up, floor_fraction,
        temperature, horizon, tuple_size) and of the schedule (max_depth, l, r, r_max …).

    Returns
    -------
    Result
    """
    if not isinstance(criterion, Criterion):
        raise InputError(f"`criterion` must be a Criterion, got {criterion!r}.")
    if not isinstance(data, Dataset):
        raise InputError(f"`data` must be a Dataset, got {type(data).__name__}.")
    if journal is not None and not hasattr(journal, "told"):
        raise InputError(f"`journal` must be a Journal, as in Journal('run.jsonl'), got {journal!r}.")
    started = time.monotonic()
    method, schedule_options = resolve(method, options)
    limits = Limits(max_evaluations, max_seconds, max_size, patience, tol)
    n_features = criterion.n_features(data)
    start = checked_start(start, n_features)
    goal = _checked_goal(method, n_features, target, overshoot, start, max_size)
    engine = rng if isinstance(rng, Rng) else make_rng(rng, seed)
    if engine.follows_reference and n_features > _REFERENCE_REACH:
        warnings.warn(
            f"the reference generator has {_REFERENCE_REACH:,} outputs, so it cannot draw all of "
            f"{n_features:,} features; use the portable one except to reproduce the reference program.",
            stacklevel=2,
        )

    walk = Walk(criterion.bind(data), limits, tuple(callbacks), started, journal)
    setup = Setup(method, schedule_options, criterion, data, goal, start, limits, engine)
    try:
        walk.recorder.begin(setup)
        return _searched(setup, walk)
    finally:
        walk.recorder.close()


def _searched(setup: Setup, walk: Walk) -> Result:
    method, goal, rng = setup.method, setup.goal, setup.rng
    operators = None
    try:
        operators = method.steps.prepare(walk, rng)
        begin(walk, setup.start, method, goal, operators, rng)
        advance, retreat = walk.recorder.followed(operators).towards(method.direction)
        for step in method.schedule(walk, advance, retreat, goal, **setup.schedule_options):
            walk.check(step)
        reason = StopReason.COMPLETED
    except StopSearch as stop:
        reason = stop.reason
    except KeyboardInterrupt:
        reason = StopReason.INTERRUPTED

    sought = None if goal.target is None or method.traits.moves_size else walk.archive.get(goal.target)
    if reason is StopReason.COMPLETED and sought is not None:
        reason = StopReason.TARGET
    walk.recorder.end(reason, walk)
    is_behind = walk.recorder.is_behind
    learned = None if operators is None or is_behind else operators.statistics or operators.ranking
    return Result(
        method=method.name,
        criterion=str(setup.criterion),
        n_features=walk.n_features,
        target=goal.target,
        archive=walk.archive,
        trace=tuple(walk.trace),
        anatomy=walk.anatomy,
        best=sought or walk.archive.best,
        stop_reason=reason,
        seed=rng.seed,
        rng=rng.name,
        seconds=walk.seconds,
        scores=None if learned is None else np.array(learned.scores),
        feature_names=setup.data.feature_names if walk.n_features == setup.data.n_features else None,
        order=None if operators is None or operators.ranking is None else operators.ranking.order,
        tried=None if is_behind else walk.tried,
        best_probe=walk.best_probe,
    )


def check_arguments(method: Method, options: dict[str, Any], n_features: int, arguments: dict[str, Any]) -> None:
    """Raise for what `run` would not take, before it does anything."""
    method, _ = resolve(method, options)
    given = dict(arguments)
    target, overshoot, start = (given.pop(name) for name in ("target", "overshoot", "start"))
    limits = Limits(**given)
    _checked_goal(method, n_features, target, overshoot, checked_start(start, n_features), limits.max_size)


def _checked_goal(
    method: Method,
    n_features: int,
    target: int | None,
    overshoot: int | None,
    start: Any,
    max_size: int | None,
) -> Goal:
    given = start if isinstance(start, np.ndarray) else None
    if target is None and method.traits.pivots and given is not None:
        target = len(given)
    target = checked_target(method, n_features, target)
    if overshoot is not None:
        overshoot = whole("overshoot", overshoot, 0)
    if max_size is not None and not method.direction.adds:
        raise InputError(f"`max_size` is for searches that grow, got it for {method.name}.")
    goal = method.goal(n_features, target, overshoot)
    if method.traits.pivots:
        if given is not None and len(given) != target:
            raise InputError(f"`start` must hold the {target} features of the target size, got {len(given)}.")
        return goal
    origin = int(np.count_nonzero(method.direction.start(n_features))) if given is None else len(given)
    if target is not None and (target - origin) % goal.tuple_size:
        raise InputError(
            f"`target` must be reachable in steps of {goal.tuple_size} from {origin} features, got {target}."
        )
    if goal.remaining(origin) < 0:
        raise InputError(f"`start` must not lie beyond the {goal.limit} features the search goes to, got {origin}.")
    return goal


def checked_target(method: Method, n_features: int, target: int | None) -> int | None:
    """Return the target, or raise if it is none that the method can have."""
    if target is not None:
        return whole("target", target, 1, n_features)
    if method.traits.needs_target:
        raise InputError(f"{method.name} needs a `target` size, got none.")
    return None
