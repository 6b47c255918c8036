"""Sort the options of a run: those of the steps, and those of the schedule."""

from __future__ import annotations

import inspect
from dataclasses import fields, replace
from typing import Any

from sweepless._checks import whole
from sweepless.errors import InputError
from sweepless.search.methods import METHODS, Method
from sweepless.search.proposal import SoftmaxProposal
from sweepless.search.sampled import SampledSteps
from sweepless.search.statistics import Frozen, RunningMeans, Statistics

# Shorthands that reach into the parts of sampled steps.
_SHORTHANDS = ("floor_fraction", "temperature", "horizon")


def resolve(method: str | Method, options: dict[str, Any]) -> tuple[Method, dict[str, Any]]:
    """Return the method with its step options applied, and the options left for its schedule."""
    if isinstance(method, str):
        if method not in METHODS:
            raise InputError(f"`method` must be one of {', '.join(METHODS)}, got {method!r}.")
        method = METHODS[method]
    elif not isinstance(method, Method):
        raise InputError(f"`method` must be a name or a Method, got {method!r}.")
    allowed_steps, allowed_schedule = step_options(method), schedule_options(method)
    for name in options:
        if name not in allowed_steps and name not in allowed_schedule:
            known = ", ".join([*allowed_steps, *allowed_schedule]) or "none"
            raise InputError(f"`{name}` is not an option of {method.name}; its options are: {known}.")
    steps_given = {name: value for name, value in options.items() if name in allowed_steps}
    schedule_given = {name: value for name, value in options.items() if name in allowed_schedule}
    for name, value in schedule_given.items():
        if not isinstance(allowed_schedule[name], bool):
            schedule_given[name] = whole(name, value, 0)
        elif not isinstance(value, bool):
            raise InputError(f"`{name}` must be True or False, got {value!r}.")
    method = replace(method, steps=_with_options(method.steps, steps_given))
    if method.traits.orient is not None:
        method = replace(method, direction=method.traits.orient(**schedule_given))
    return method, schedule_given


def step_options(method: Method) -> list[str]:
    """Name what can be set about the steps of a method."""
    hidden = {"tuple_size"} if method.traits.sets_tuples else set()
    names = [field.name for field in fields(method.steps) if field.init and field.name not in hidden]  # type: ignore[arg-type]
    return [*names, *_SHORTHANDS] if isinstance(method.steps, SampledSteps) else names


def schedule_options(method: Method) -> dict[str, Any]:
    """Name what can be set about the schedule of a method, with the defaults."""
    parameters = inspect.signature(method.schedule).parameters.values()
    return {p.name: p.default for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY}


def _with_options(steps: Any, given: dict[str, Any]) -> Any:
    given = dict(given)
    if "tuple_size" in given:
        given["tuple_size"] = whole("tuple_size", given["tuple_size"], 1)
    proposal = {name: given.pop(name) for name in ("floor_fraction", "temperature") if name in given}
    if proposal:
        chosen = given.get("proposal", steps.proposal)
        if not isinstance(chosen, SoftmaxProposal):
            raise InputError(f"`{next(iter(proposal))}` belongs to the softmax proposal, got {chosen}.")
        given["proposal"] = replace(chosen, **proposal)
    if "horizon" in given:
        given["statistics"] = _with_horizon(given.get("statistics", steps.statistics), given.pop("horizon"))
    return replace(steps, **given)


def _with_horizon(statistics: Statistics, horizon: int) -> Statistics:
    if isinstance(statistics, Frozen):
        return Frozen(_with_horizon(statistics.statistics, horizon))
    if isinstance(statistics, RunningMeans):
        return replace(statistics, horizon=horizon)
    raise InputError(f"`horizon` belongs to running means, got {statistics!r}.")
