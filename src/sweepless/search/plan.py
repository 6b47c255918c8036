"""Resolve the settings of a search for a number of features, once per run."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np

from sweepless._checks import whole
from sweepless._nearest import or_nearest
from sweepless.criteria.base import Criterion
from sweepless.dataset import Dataset
from sweepless.engine.generator import Rng, make_rng
from sweepless.errors import InputError
from sweepless.search.automatic import BUDGETS, Promise, Prospect, Screen, unpromised, unscreened
from sweepless.search.budget import PAPER, Operations, in_words, unknown_operations
from sweepless.search.methods import METHODS, Method
from sweepless.search.proposal import SoftmaxProposal
from sweepless.search.route import Goal
from sweepless.search.sampled import SampledSteps
from sweepless.search.settings import OWN, SearchSettings
from sweepless.search.start import checked_start
from sweepless.search.statistics import Frozen, RunningMeans, Statistics
from sweepless.search.stop import Limits
from sweepless.search.warm_up import AutomaticWarmUp, WarmUp

# Shorthands for settings of the parts of sampled steps.
_SHORTHANDS = ("floor_fraction", "temperature", "horizon")
_SWEEPING = ("budget", "backward_budget", "warm_up")
_OBJECTS = ("screen", "cost_model", "max_cost")  # options whose values cannot be written in a file
_OF_EVERY_METHOD = ("racing",)


@dataclass(frozen=True)
class Plan:
    """Everything that one run needs to know before it begins.

    Attributes
    ----------
    settings : SearchSettings
        The settings as given, with the budgets and the warm-up that were chosen; a prior is "auto" if it was found.
    method : Method
        The method, with the options of its steps applied.
    schedule_options, goal : dict, Goal
    start : array, str or None
    limits, rng : Limits, Rng
    automatic : AutomaticWarmUp or None
        How an automatic warm-up was chosen.
    budget_word : str or None
        The word that stood for the budget of additions, such as "auto".
    """

    settings: SearchSettings
    method: Method
    schedule_options: dict[str, Any]
    goal: Goal
    start: Any
    limits: Limits
    rng: Rng
    automatic: AutomaticWarmUp | None = None
    budget_word: str | None = None

    @property
    def warm_up(self) -> WarmUp | None:
        steps = self.method.steps
        return steps.warm_up if isinstance(steps, SampledSteps) else None

    @property
    def races(self) -> bool:
        """Whether candidates are dropped as soon as estimates say that they cannot win."""
        return self.settings.racing is not None and self.rng.races

    @property
    def budgets(self) -> str:
        """What the budgets come to, in words."""
        steps = self.method.steps
        if not isinstance(steps, SampledSteps):
            return "no budget"
        return in_words(self.budget_word, steps.budget, steps.backward_budget, self.goal.n_features)


def plan_for(settings: SearchSettings, criterion: Criterion, data: Dataset) -> Plan:
    """Resolve settings for a criterion and its data; see `plan`."""
    operations, promise = partial(criterion.operations, data), partial(criterion.promise, data)
    return plan(settings, criterion.n_features(data), operations, promise, partial(criterion.screen, data))


def plan(
    settings: SearchSettings,
    n_features: int,
    operations: Operations = unknown_operations,
    promise: Promise = unpromised,
    screen: Screen = unscreened,
) -> Plan:
    """Resolve settings; raise if they contradict each other.

    Parameters
    ----------
    settings, n_features : SearchSettings, int
    operations : callable
        What a candidate of a size takes, as the criterion declares it; automatic budgets follow it.
    promise : callable
        What the criterion promises of single features; an automatic prior is this.
    screen : callable
        Makes the screen that proposes unless the settings say who does; None if there is none.
    """
    method = named(settings.method)
    options = _options(settings, method)
    rng = settings.rng if isinstance(settings.rng, Rng) else make_rng(settings.rng, settings.seed)
    automatic, words = None, {}
    if isinstance(method.steps, SampledSteps):
        own = screen() if isinstance(settings.method, str) and rng.prior is not None else None
        options = {"screen": own} | options
        prospect = Prospect(settings, method, options, n_features, operations, own)
        words = _budget_words(settings, options, rng)
        options |= prospect.budgets(words)
        if _is_automatic(options.get("prior", rng.prior if isinstance(settings.method, str) else None)):
            # Who asks for certain probes begins with these alone.
            options["prior"] = None if isinstance(settings.warm_up, WarmUp) else prospect.prior(promise)
            settings = replace(settings, prior=None if options["prior"] is None else "auto")
        if _warms_up(settings, method, options):
            automatic = prospect.warm_up(may_look=words.get("budget") == "auto")
            options["warm_up"] = None if automatic is None else automatic.warm_up
        elif isinstance(options.get("warm_up"), str):  # a screen needs no scores
            options["warm_up"] = None
    warm_up = options.get("warm_up")
    if isinstance(warm_up, WarmUp) and warm_up.max_seconds is None and settings.max_seconds is not None:
        # Probes are not candidates for selection, so half of the time is left to the search.
        options["warm_up"] = replace(warm_up, max_seconds=settings.max_seconds / 2)
    method, schedule_options = applied(method, options)
    start = checked_start(settings.start, n_features)
    goal = _goal(method, n_features, settings, start)
    if rng.reach is not None and n_features > rng.reach:
        warnings.warn(
            f"the {rng.name} generator has {rng.reach:,} outputs, so it cannot draw all of {n_features:,} features; "
            "use the portable one except to reproduce the reference program.",
            stacklevel=3,
        )
    settings = replace(settings, **{name: options[name] for name in (*BUDGETS, "warm_up") if name in options})
    return Plan(settings, method, schedule_options, goal, start, settings.limits, rng, automatic, words.get("budget"))


def settings_in_words(method: str, words: Mapping[str, Any], **others: Any) -> SearchSettings:
    """Build the settings of a method from the words and numbers of a file; raise for unknown options.

    Parameters
    ----------
    method : str
    words : mapping
        Options of steps and schedule.
    **others
        Settings that every method shares.
    """
    known = [name for name in _known(named(method)) if name not in _OBJECTS]
    for name in words:
        if name not in known and name not in (*_SWEEPING, *_OF_EVERY_METHOD):
            listed = f"its options are: {', '.join(known) or 'none'}{or_nearest(name, known)}"
            raise InputError(f"`{name}` is not an option of {method}; {listed}")
    settings = SearchSettings(method=method, **words, **others)
    options = _options(settings, named(method))
    if _warms_up(settings, named(method), options):
        options["warm_up"] = WarmUp(1, 1)  # how many probes there will be depends on the data
    options |= {name: least for name, least in zip(BUDGETS, PAPER) if isinstance(options.get(name), str)}
    if _is_automatic(options.get("prior")):
        options["prior"] = None
    applied(named(method), options)
    return settings


def _options(settings: SearchSettings, method: Method) -> dict[str, Any]:
    """Return the chosen options; drop those that ask a sweeping method for a full sweep or for no warm-up."""
    known = step_options(method)
    idle = [name for name in _SWEEPING if name not in known and getattr(settings, name) is None]
    return {name: value for name, value in settings.given.items() if name not in idle}


def named(method: str | Method) -> Method:
    """Return the method with this name; a Method is returned as it is."""
    if isinstance(method, Method):
        return method
    if not isinstance(method, str):
        raise InputError(f"`method` must be a name or a Method, got {method!r}.")
    if method not in METHODS:
        raise InputError(f"`method` must be one of {', '.join(METHODS)}, got {method!r}{or_nearest(method, METHODS)}")
    return METHODS[method]


def _warms_up(settings: SearchSettings, method: Method, options: dict[str, Any]) -> bool:
    """Return whether the warm-up is automatic; a Method has its own unless the settings ask for one."""
    if not isinstance(method.steps, SampledSteps) or options.get("screen") is not None:
        return False
    return isinstance(settings.method if settings.warm_up is OWN else settings.warm_up, str)


def _is_automatic(prior: Any) -> bool:
    return isinstance(prior, str) and prior == "auto"


def _budget_words(settings: SearchSettings, options: dict[str, Any], rng: Rng) -> dict[str, str]:
    """Return the budgets that are words, given ones and those that methods by name have by default."""
    own = dict.fromkeys(BUDGETS, rng.budget) if isinstance(settings.method, str) else {}
    budgets = own | {name: options[name] for name in BUDGETS if name in options}
    return {name: word for name, word in budgets.items() if isinstance(word, str)}


def applied(method: Method, options: dict[str, Any]) -> tuple[Method, dict[str, Any]]:
    """Return the method with its step options applied, and the options left for its schedule."""
    of_steps, of_schedule = step_options(method), schedule_options(method)
    for name in options:
        if name not in of_steps and name not in of_schedule:
            known = ", ".join(_known(method)) or "none"
            raise InputError(f"`{name}` is not an option of {method.name}; its options are: {known}.")
    method = replace(method, steps=_steps_with(method.steps, {n: v for n, v in options.items() if n in of_steps}))
    chosen = {name: value for name, value in options.items() if name in of_schedule}
    for name, value in chosen.items():
        if not isinstance(of_schedule[name], bool):
            chosen[name] = whole(name, value, 0)
        elif not isinstance(value, bool):
            raise InputError(f"`{name}` must be True or False, got {value!r}.")
    if method.traits.orient is not None:
        method = replace(method, direction=method.traits.orient(**chosen))
    return method, chosen


def _known(method: Method) -> list[str]:
    return [*step_options(method), *schedule_options(method)]


def step_options(method: Method) -> list[str]:
    """List the options of the steps of a method."""
    hidden = {"tuple_size"} if method.traits.sets_tuples else set()
    names = [field.name for field in fields(method.steps) if field.init and field.name not in hidden]  # type: ignore[arg-type]
    return [*names, *_SHORTHANDS] if isinstance(method.steps, SampledSteps) else names


def schedule_options(method: Method) -> dict[str, Any]:
    """Return the options of the schedule of a method with their defaults."""
    parameters = inspect.signature(method.schedule).parameters.values()
    return {p.name: p.default for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY}


def _steps_with(steps: Any, given: dict[str, Any]) -> Any:
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


def _goal(method: Method, n_features: int, settings: SearchSettings, start: Any) -> Goal:
    given = start if isinstance(start, np.ndarray) else None
    target, overshoot = settings.target, settings.overshoot
    if target is None and method.traits.pivots and given is not None:
        target = len(given)
    target = checked_target(method, n_features, target)
    if overshoot is not None:
        overshoot = whole("overshoot", overshoot, 0)
    if settings.max_size is not None and not method.direction.adds:
        raise InputError(f"`max_size` applies only to searches that grow, and {method.name} does not.")
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
        raise InputError(f"`start` must not lie beyond the final size of {goal.limit} features, got {origin}.")
    return goal


def checked_target(method: Method, n_features: int, target: int | None) -> int | None:
    """Return the target, or raise if the method cannot have it."""
    if target is not None:
        return whole("target", target, 1, n_features)
    if method.traits.needs_target:
        raise InputError(f"{method.name} needs a `target` size, got none.")
    return None
