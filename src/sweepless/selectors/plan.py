"""From parameters of a selector to the settings of a search."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sweepless._checks import one_of, whole
from sweepless.direction import Direction
from sweepless.errors import InputError
from sweepless.search.defaults import n_steps
from sweepless.search.defaults import origin as origin_of
from sweepless.search.methods import METHODS, Method
from sweepless.search.plan import Plan
from sweepless.search.schedules import prefixes
from sweepless.selectors.gains import Gains
from sweepless.selectors.layout import Layout
from sweepless.selectors.sizes import SizeRule


@dataclass(frozen=True)
class Selection:
    """What is to be searched, and how its outcome is to be chosen from.

    Attributes
    ----------
    plan : Plan
    rule : SizeRule
    gains : Gains or None
        What ends the search where another size gains too little, and knows the size before.
    """

    plan: Plan
    rule: SizeRule
    gains: Gains | None = None

    @property
    def method(self) -> Method:
        return self.plan.method


def directed(method: Method, label: Any) -> Method:
    """Return the method, or its twin that goes the other way (SFS and SBS, sSFFS and sSBFS …), as `direction` says."""
    if label is None:
        return method
    one_of("direction", label, tuple(way.label for way in Direction))
    if method.direction.label == label:
        return method
    if not method.direction.adds:
        raise InputError(f"`direction` must be 'backward' or None for {method.name}, got {label!r}.")
    for twin in METHODS.values():
        alike = twin.schedule is method.schedule and isinstance(method.steps, type(twin.steps))
        if alike and twin.direction.label == label:
            return twin if METHODS.get(method.name) is method else replace(twin, steps=method.steps)
    raise InputError(f"`direction` must be 'forward' or None for {method.name}, which has no twin, got {label!r}.")


def gains_of(method: Method, rule: SizeRule, layout: Layout, tol: float | None) -> Gains | None:
    """Return what ends a search by `n_features_to_select='auto'` and `tol`; None for every other rule."""
    if rule.name != "auto" or tol is None:
        return None
    if method.traits.pivots:
        raise InputError(f"`n_features_to_select='auto'` must come with a search that goes one way, got {method.name}.")
    if method.direction.adds and tol < 0:
        raise InputError(f"`tol` must be a number of at least 0 for a search that grows, got {tol!r}.")
    return Gains(tol, method.direction, rule.low - layout.n_fixed, rule.high - layout.n_fixed)


def goal_settings(
    method: Method, rule: SizeRule, layout: Layout, overshoot: int | None, start: Any, tuple_size: int
) -> dict[str, Any]:
    """Return where the search begins and how far it goes, with its overshoot.

    To a number of features if there is one; else to the end of the sizes that may be chosen: a growing search
    to the greatest, a shrinking one to the smallest, or as near as steps of several features come.
    """
    low, high = rule.low - layout.n_fixed, rule.high - layout.n_fixed
    goal = {"start": start, "overshoot": overshoot}
    if method.schedule is prefixes:  # with a target it would value that prefix only
        return {"start": start, "max_size": high}
    if rule.name == "number":
        return goal | {"target": low}
    if method.traits.pivots and method.traits.needs_target:
        raise InputError(
            f"`n_features_to_select` must be a number for {method.name}, which searches around one size, got a rule."
        )
    if method.traits.pivots:  # its target would be where it starts
        return goal | {"max_size": high}
    origin = origin_of(method, layout.n_units) if isinstance(start, str | None) else len(start)
    end = high if method.direction.adds else low
    distance = abs(end - origin)
    if 0 < distance < tuple_size:
        raise InputError(
            f"`tuple_size` must be at most {distance}, the way that the search has to go, got {tuple_size}."
        )
    return goal | {"target": origin + method.direction.sign * (distance - distance % tuple_size)}


def n_steps_ahead(method: Method, rule: SizeRule, layout: Layout, overshoot: int | None) -> int:
    """Return how many features lie between the start of the search and its end, at least one."""
    end = (rule.high if method.direction.adds else rule.low) - layout.n_fixed
    return n_steps(method, layout.n_units, end, overshoot)


def limit_settings(selector: Any, max_seconds: float | None) -> dict[str, Any]:
    """Check the limits of a selector; `max_seconds` is what is left of its time."""
    for name in ("max_evaluations", "patience"):
        if getattr(selector, name) is not None:
            whole(name, getattr(selector, name), 1)
    is_auto = isinstance(selector.n_features_to_select, str) and selector.n_features_to_select == "auto"
    for name, least in (("max_seconds", "a positive number"), ("tol", "a number of at least 0")):
        value = getattr(selector, name)
        if value is None:
            continue
        may_be_negative = is_auto and name == "tol"  # for searches that shrink
        if not _is_real(value) or (value < 0 and not may_be_negative) or (value == 0 and name == "max_seconds"):
            raise InputError(f"`{name}` must be {least} or None, got {value!r}.")
    tol = max(0.0, selector.tol or 0.0)
    return {
        "max_evaluations": selector.max_evaluations,
        "max_seconds": max_seconds,
        "patience": selector.patience,
        "tol": tol,
    }


def _is_real(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool) and bool(value == value)
