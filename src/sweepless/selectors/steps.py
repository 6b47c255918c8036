"""The options of sampled steps, from the parameters of a selector: budgets, proposal, warm-up, prior."""

from __future__ import annotations

import inspect
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.feature_selection import chi2, f_classif, f_regression, mutual_info_classif, mutual_info_regression

from sweepless._typing import Values
from sweepless.dataset import Dataset
from sweepless.errors import DataError, InputError
from sweepless.search.defaults import AutomaticWarmUp
from sweepless.search.methods import Method
from sweepless.search.plan import step_options
from sweepless.search.sampled import WarmUp
from sweepless.selectors.problem import Problem

_OPTIONS = ("budget", "backward_budget", "floor_fraction", "horizon", "tuple_size", "warm_up", "prior", "proposal")
_PRIORS = ("f", "chi2", "mutual_info")


def step_settings(selector: Any, method: Method, problem: Problem) -> dict[str, Any]:
    """Return the settings of steps; raise for what was set but does not belong to the method.

    Parameters
    ----------
    selector : SequentialSelector
    method : Method
    problem : Problem
    """
    known = step_options(method)
    settings = {}
    for name in _OPTIONS:
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
    if "prior" in settings:
        settings["prior"] = _read_prior(settings["prior"], problem)
    if "warm_up" in settings and selector._resumed is not None:
        settings["warm_up"] = _recorded(settings["warm_up"], selector._resumed.warm_up)
    return settings


def _is_default(selector: Any, name: str, value: Any) -> bool:
    default = inspect.signature(type(selector).__init__).parameters[name].default
    return value is default or (
        isinstance(value, (str, int, float)) and not isinstance(value, bool) and value == default
    )


def _recorded(given: Any, recorded: WarmUp | None) -> Any:
    """Return the warm-up that a journal holds: limits, which made it what it is, may be others now."""
    if isinstance(given, str) and given == "auto":
        return recorded
    if isinstance(given, str) and "@" in given:
        given = WarmUp.parse(given)
    if isinstance(given, WarmUp) and recorded is not None:
        return replace(given, max_seconds=recorded.max_seconds)
    return given


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


def _read_prior(given: Any, problem: Problem) -> Values | None:
    """Return a score per unit."""
    if given is None:
        return None
    if isinstance(given, str):
        if given not in _PRIORS:
            raise InputError(f"`prior` must be one of {', '.join(_PRIORS)}, an array of scores or None, got {given!r}.")
        scores = _cheap_scores(given, problem.data, problem.seed)
    else:
        try:
            scores = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            scores = np.empty(0)
        n_features = problem.layout.n_features
        if scores.shape != (n_features,) or not np.isfinite(scores).all():
            raise InputError(
                f"`prior` must be one of {', '.join(_PRIORS)} or {n_features} finite scores, got {given!r}."
            )
    return problem.layout.gather(scores)


def _cheap_scores(name: str, data: Dataset, seed: int) -> Values:
    """Score single features by a statistic that costs one look at the data; constant features score lowest."""
    target = data.target
    if target.ndim != 1:
        raise DataError(f"`prior={name!r}` must have one target per sample, got an array of shape {target.shape}.")
    if data.has_missing:
        raise DataError(
            f"`prior={name!r}` must have data without missing values, got NaN; give an array of scores, or None."
        )
    continuous = not data.has_classes
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of constant features
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
    # F is infinite where a feature tells the classes apart perfectly.
    top = scores[finite].max() if finite.any() else 0.0
    return np.asarray(np.where(finite, scores, np.where(scores > 0, top, 0.0)), dtype=np.float64)
