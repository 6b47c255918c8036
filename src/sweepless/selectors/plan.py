"""From parameters of a selector to arguments of `run`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sweepless._checks import whole
from sweepless.errors import InputError
from sweepless.search.defaults import n_steps
from sweepless.search.defaults import origin as origin_of
from sweepless.search.methods import Method
from sweepless.search.schedules import prefixes
from sweepless.selectors.layout import Layout
from sweepless.selectors.sizes import SizeRule


@dataclass(frozen=True)
class Plan:
    """What is to be run, and how its outcome is to be chosen from.

    Attributes
    ----------
    method : Method
        With the options of its steps applied.
    rule : SizeRule
    options : dict
        Arguments of `run` besides method, criterion and data.
    """

    method: Method
    rule: SizeRule
    options: dict[str, Any]


def goal_options(method: Method, rule: SizeRule, layout: Layout, overshoot: int | None, start: Any) -> dict[str, Any]:
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
    if method.pivots and method.needs_target:
        raise InputError(
            f"`n_features_to_select` must be a number for {method.name}, which searches around one size, got a rule."
        )
    if method.pivots:  # its target would be where it starts
        return goal | {"max_size": high}
    origin = origin_of(method, layout.n_units) if isinstance(start, str | None) else len(start)
    end = high if method.direction.adds else low
    distance, tuple_size = abs(end - origin), method.steps.tuple_size
    if 0 < distance < tuple_size:
        raise InputError(
            f"`tuple_size` must be at most {distance}, the way that the search has to go, got {tuple_size}."
        )
    return goal | {"target": origin + method.direction.sign * (distance - distance % tuple_size)}


def n_steps_ahead(method: Method, rule: SizeRule, layout: Layout, overshoot: int | None) -> int:
    """Return how many features lie between the start of the search and its end, at least one."""
    end = (rule.high if method.direction.adds else rule.low) - layout.n_fixed
    return n_steps(method, layout.n_units, end, overshoot)


def limit_options(selector: Any) -> dict[str, Any]:
    """Check the limits under the names that users know, and translate them; the time is left to the caller."""
    for name in ("max_evals", "patience"):
        if getattr(selector, name) is not None:
            whole(name, getattr(selector, name), 1)
    for name, least in (("max_time", "a positive number"), ("tol", "a number of at least 0")):
        value = getattr(selector, name)
        if value is None:
            continue
        if not _is_real(value) or value < 0 or (value == 0 and name == "max_time"):
            raise InputError(f"`{name}` must be {least} or None, got {value!r}.")
    return {"max_evaluations": selector.max_evals, "patience": selector.patience, "tol": selector.tol or 0.0}


def _is_real(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool) and bool(value == value)
