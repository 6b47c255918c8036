"""From the parameters of a selector to the settings of a search."""

from __future__ import annotations

import inspect
import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.feature_selection import chi2, f_classif, f_regression, mutual_info_classif, mutual_info_regression

from sweepless._checks import one_of, whole
from sweepless._typing import Values
from sweepless.criteria.base import Criterion
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.errors import DataError, InputError, SaturationWarning
from sweepless.search.automatic import BUDGETS
from sweepless.search.methods import METHODS, Method
from sweepless.search.plan import Plan, step_options
from sweepless.search.saturation import Saturation
from sweepless.search.schedules import prefixes
from sweepless.search.warm_up import AutomaticWarmUp, WarmUp
from sweepless.search.warm_up import origin as origin_of
from sweepless.selectors.auto import default_screen
from sweepless.selectors.layout import Layout
from sweepless.selectors.problem import Problem
from sweepless.selectors.sizes import Gains, SizeRule

_STEP_OPTIONS = (
    "budget",
    "backward_budget",
    "floor_fraction",
    "horizon",
    "tuple_size",
    "warm_up",
    "prior",
    "screen",
    "proposal",
)
_PRIORS = ("f", "chi2", "mutual_info")


@dataclass(frozen=True)
class Selection:
    """What is searched, and how one of the subsets found is chosen.

    Attributes
    ----------
    plan : Plan
    rule : SizeRule
    gains : Gains or None
        Ends the search where another size gains too little, and knows the size before.
    """

    plan: Plan
    rule: SizeRule
    gains: Gains | None = None


def directed(method: Method, label: Any) -> Method:
    """Return the method, or its twin in the other direction (SFS and SBS, sSFFS and sSBFS …), as `direction` asks."""
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


def limit_settings(selector: Any, max_seconds: float | None) -> dict[str, Any]:
    """Check the limits of a selector; `max_seconds` is what is left of its time."""
    for name in ("max_evaluations", "patience"):
        if getattr(selector, name) is not None:
            whole(name, getattr(selector, name), 1)
    if (given := selector.max_seconds) is not None and not (_is_real(given) and given > 0):
        raise InputError(f"`max_seconds` must be a positive number or None, got {given!r}.")
    tol = 0.0 if selector.tol is None else selector.tol
    is_auto = isinstance(selector.n_features_to_select, str) and selector.n_features_to_select == "auto"
    if not _is_real(tol) or (tol < 0 and not is_auto):  # "auto" may lose a little where a search shrinks
        raise InputError(f"`tol` must be a number of at least 0 or None, got {tol!r}.")
    return {
        "max_evaluations": selector.max_evaluations,
        "max_seconds": max_seconds,
        "patience": selector.patience,
        "tol": max(0.0, tol),
    }


def goal_settings(
    method: Method, rule: SizeRule, layout: Layout, overshoot: int | None, start: Any, tuple_size: int
) -> dict[str, Any]:
    """Return where the search begins and how far it goes, with its overshoot.

    It goes to a number of features if there is one, and else to the end of the sizes that may be chosen: a growing
    search to the greatest, a shrinking one to the smallest, or as near as steps of several features come.
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
    distance = abs((high if method.direction.adds else low) - origin)
    if 0 < distance < tuple_size:
        raise InputError(
            f"`tuple_size` must be at most {distance}, the way that the search has to go, got {tuple_size}."
        )
    return goal | {"target": origin + method.direction.sign * (distance - distance % tuple_size)}


def step_settings(selector: Any, method: Method, problem: Problem) -> dict[str, Any]:
    """Return the settings of steps; raise for one that was set but does not belong to the method."""
    known = step_options(method)
    settings = {}
    for name in _STEP_OPTIONS:
        value = getattr(selector, name)
        is_set = not _is_default(selector, name, value)
        if name in known:
            if is_set or isinstance(selector.method, str):  # a Method brings its own defaults
                settings[name] = value
        elif is_set and value is not None and value is not False:
            raise InputError(f"`{name}` is an option of sampled methods (sSFS, sSFFS …), got it for {method.name}.")
    is_softmax = isinstance(selector.proposal, str) and selector.proposal == "softmax"
    if not is_softmax and _is_default(selector, "floor_fraction", selector.floor_fraction):
        settings.pop("floor_fraction", None)
    if settings.get("budget") == "auto" and selector.method == "auto":
        settings["budget"] = problem.budget
    if "prior" in settings:
        settings["prior"] = _read_prior(settings["prior"], problem)
    if settings.get("screen") is None:
        settings.pop("screen", None)  # the criterion may have one of its own
    else:
        settings["screen"] = _read_screen(settings["screen"], problem)
    if "warm_up" in settings and selector._resumed is not None:
        settings["warm_up"] = _recorded(settings["warm_up"], selector._resumed.warm_up)
        words = [name for name in BUDGETS if isinstance(settings.get(name), str)]
        settings |= {name: selector._resumed.settings.get(name, settings[name]) for name in words}
    return settings


def warn_of_cut(automatic: AutomaticWarmUp | None) -> None:
    """Warn if the automatic warm-up is shorter than its rule."""
    if automatic is not None and automatic.is_cut:
        wanted = automatic.n_wanted
        warnings.warn(
            f"the automatic warm-up was cut from {wanted:,} to {automatic.n_probes:,} probes, or it would cost more "
            f"than the search; a `prior` is cheaper for so many features, and "
            f"`warm_up='{wanted}@{automatic.probe_size}'` insists.",
            stacklevel=5,
        )


def warn_of_saturation(found: Saturation | None) -> None:
    """Warn if the values of a search hardly told its candidates apart."""
    if found is not None:
        warnings.warn(
            f"{found}: the criterion does not tell them apart, so leave out `estimator`, or give a smooth criterion, "
            "such as `RidgeCriterion()` or the estimator with `scoring='neg_log_loss'`.",
            SaturationWarning,
            stacklevel=5,
        )


def _is_real(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool) and bool(value == value)


def _is_default(selector: Any, name: str, value: Any) -> bool:
    default = inspect.signature(type(selector).__init__).parameters[name].default
    is_plain = isinstance(value, str | int | float) and not isinstance(value, bool)
    return value is default or (is_plain and value == default)


def _recorded(given: Any, recorded: WarmUp | None) -> Any:
    """Return the warm-up of a journal: it was derived from the first limits, and those may be others now."""
    if isinstance(given, str) and given == "auto":
        return recorded
    if isinstance(given, str) and "@" in given:
        given = WarmUp.parse(given)
    if isinstance(given, WarmUp) and recorded is not None:
        return replace(given, max_seconds=recorded.max_seconds)
    return given


def _read_screen(given: Any, problem: Problem) -> Criterion:
    """Return the criterion of a screen, over units."""
    if isinstance(given, str) and given == "auto":
        given = default_screen(problem.data)
    if isinstance(given, Criterion):
        return problem.layout.wrap(given)
    raise InputError(f"`screen` must be 'auto', a criterion or None, got {given!r}.")


def _read_prior(given: Any, problem: Problem) -> Any:
    """Return a score per unit; None and "auto" stay what they are."""
    if given is None or (isinstance(given, str) and given == "auto"):
        return given
    if isinstance(given, str):
        if given not in _PRIORS:
            raise InputError(
                f"`prior` must be auto, one of {', '.join(_PRIORS)}, an array of scores or None, got {given!r}."
            )
        return problem.layout.gather(_cheap_scores(given, problem.data, problem.seed))
    try:
        scores = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        scores = np.empty(0)
    n_features = problem.layout.n_features
    if scores.shape != (n_features,) or not np.isfinite(scores).all():
        raise InputError(
            f"`prior` must be auto, one of {', '.join(_PRIORS)} or {n_features} finite scores, got {given!r}."
        )
    return problem.layout.gather(scores)


def _cheap_scores(name: str, data: Dataset, seed: int) -> Values:
    """Score single features by a statistic that costs one pass over the data; constant features score lowest."""
    target = data.target
    if target.ndim != 1:
        raise DataError(f"`prior={name!r}` must have one target per sample, got an array of shape {target.shape}.")
    if data.has_missing:
        raise DataError(
            f"`prior={name!r}` must have data without missing values, got NaN; give an array of scores, or None."
        )
    continuous = not data.has_classes
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about constant features
        if name == "f":
            scores = (f_regression if continuous else f_classif)(data.X, target)[0]
        elif name == "chi2":
            if continuous:
                raise InputError("`prior='chi2'` is for classes, got continuous targets.")
            if data.X.min() < 0:
                raise InputError("`prior='chi2'` is for features that are not negative, got a negative value.")
            scores = chi2(data.X, target)[0]
        else:
            measure = mutual_info_regression if continuous else mutual_info_classif
            scores = measure(data.X, target, random_state=seed % 2**32)
    finite = np.isfinite(scores)
    # F is infinite where a feature separates the classes perfectly.
    top = scores[finite].max() if finite.any() else 0.0
    return np.asarray(np.where(finite, scores, np.where(scores > 0, top, 0.0)), dtype=np.float64)
