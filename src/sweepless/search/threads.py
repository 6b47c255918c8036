"""Threads for a search whose steps are long enough, where nobody says how many."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

from sweepless._threads import spare_cores
from sweepless.criteria.base import Criterion
from sweepless.dataset import Dataset
from sweepless.search.plan import Plan

_WORTH = 2e6  # nanoseconds of a step; to hand parts of it over took 0.2 ms of a processor


def with_threads(criterion: Criterion, planned: Plan, data: Dataset) -> Criterion:
    """Return the criterion with one thread per core wherever its `n_jobs` is "auto", if a step is worth it.

    What a step takes is declared by the criterion, not measured, and values do not depend on threads. Those who are
    parallel already, such as workers of joblib and cells of a campaign, get one thread.
    """
    goal, steps = planned.goal, planned.method.steps
    size = max(1, min(goal.target or planned.limits.max_size or goal.n_features, goal.n_features) // 2)
    n_candidates = steps.step_cost(planned.method.direction, size, goal.n_features, steps.tuple_size)
    is_worth_it = n_candidates * criterion.operations(data, size) >= _WORTH
    is_asked = _with_jobs(criterion, 1) is not criterion  # to count cores takes half a millisecond
    n_cores = spare_cores() if is_worth_it and is_asked else 1
    threaded: Criterion = criterion if n_cores == 1 else _with_jobs(criterion, n_cores)
    return threaded


def _with_jobs(part: Any, n_jobs: int) -> Any:
    """Return a criterion, or a sequence that may hold some, with a number in the place of "auto"; else the same."""
    if isinstance(part, tuple | list):
        made = [_with_jobs(each, n_jobs) for each in part]
        return part if all(new is old for new, old in zip(made, part, strict=True)) else type(part)(made)
    is_described = isinstance(part, Criterion) and is_dataclass(part)
    if not is_described:
        return part
    held = {field.name: getattr(part, field.name) for field in fields(part) if field.init}
    changed = {name: new for name, old in held.items() if (new := _with_jobs(old, n_jobs)) is not old}
    if held.get("n_jobs") == "auto":
        changed["n_jobs"] = n_jobs
    return replace(part, **changed) if changed else part
