"""What `sweepless select` runs: what was asked for, and the defaults of selectors for all the rest."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

from sweepless.cli import arguments
from sweepless.criteria.base import Criterion
from sweepless.criteria.registry import (
    criteria_for,
    default_scale,
    fitting_task,
    make_criterion,
    parameters_of,
    score_for,
)
from sweepless.dataset import Dataset
from sweepless.errors import InputError
from sweepless.search.budget import Budget
from sweepless.search.defaults import MAX_SIZE, N_FOLDS, AutomaticWarmUp, automatic_warm_up, n_steps
from sweepless.search.methods import METHODS, Method
from sweepless.search.options import resolve, step_options
from sweepless.search.proposal import PROPOSALS
from sweepless.search.sampled import SampledSteps, WarmUp
from sweepless.validation.trial import Scale


@dataclass(frozen=True)
class Settings:
    """Everything that decides a search but its seed and its limits, as they were given or as they are by default.

    Attributes
    ----------
    data : Dataset
        With the target understood as classes or as numbers.
    criterion : Criterion
    scale : {"paper", "train", "none"}
    method : Method
        With the options of its steps applied.
    options : dict
        Options of the method's steps and schedule.
    max_size : int or None
        The largest size, unless a target says how far to go.
    automatic : AutomaticWarmUp or None
        How the warm-up came about where nobody said.
    """

    data: Dataset
    criterion: Criterion
    scale: Scale
    method: Method
    options: dict[str, Any]
    max_size: int | None
    automatic: AutomaticWarmUp | None

    @property
    def warm_up(self) -> WarmUp | None:
        steps = self.method.steps
        return steps.warm_up if isinstance(steps, SampledSteps) else None

    def to_dict(self) -> dict[str, Any]:
        """Return what the result does not tell, as plain values for JSON."""
        warm_up, data = self.warm_up, self.data
        return {
            "n_samples": data.n_samples,
            "task": "classification" if data.has_classes else "regression",
            "n_classes": len(data.classes) if data.has_classes else None,
            "scale": self.scale,
            "max_size": self.max_size,
            "warm_up": None if warm_up is None else f"{warm_up.n_probes}@{warm_up.probe_size}",
        }

    def told(self) -> str:
        """Say in one line what is used."""
        parts = []
        steps = self.method.steps
        if isinstance(steps, SampledSteps):
            parts.append(f"budget {_told(steps.budget)}, backward {_told(steps.backward_budget)}")
        if (warm_up := self.warm_up) is not None:
            how = ""
            if self.automatic is not None:
                cut = f", cut from {self.automatic.n_wanted:,}" if self.automatic.is_cut else ""
                how = f" (automatic{cut})"
            parts.append(f"warm-up {warm_up.n_probes:,} probes of {warm_up.probe_size} features{how}")
        elif isinstance(steps, SampledSteps):
            parts.append("no warm-up")
        if self.max_size is not None:
            parts.append(f"at most {self.max_size:,} features")
        scaled = {"train": "features scaled to [0, 1]", "paper": "features scaled to [0, 1] over all data"}
        parts.append(scaled.get(self.scale, "features as they are"))
        return "; ".join(parts)


def read_settings(parsed: argparse.Namespace, options: dict[str, Any], data: Dataset) -> Settings:
    """Put together what was asked for and what suits the data.

    Parameters
    ----------
    parsed : Namespace
        The words of the command line.
    options : dict
        From `read_options`.
    data : Dataset
    """
    task = fitting_task(parsed.task, parsed.criterion, data.has_classes)
    name = parsed.criterion or criteria_for(task)[0]
    data = data.with_task(task)
    method, _ = resolve(parsed.method, options)
    max_size = parsed.max_size
    if max_size is None and parsed.target is None and method.direction.adds and data.n_features > MAX_SIZE:
        max_size = MAX_SIZE
    automatic = None
    if isinstance(method.steps, SampledSteps) and "warm_up" not in options:
        automatic = _automatic(parsed, method, max_size, data.n_features)
        if automatic is not None:
            # Probes are not subsets to select: half of the time is left to find some.
            seconds = parsed.max_seconds / 2 if parsed.max_seconds and parsed.max_seconds > 0 else None
            options = options | {"warm_up": WarmUp(automatic.n_probes, automatic.probe_size, max_seconds=seconds)}
            method, _ = resolve(parsed.method, options)
    scale: Scale = default_scale(name) if parsed.scale == "auto" else parsed.scale
    criterion = make_criterion(name, score_for(name, task) | _parameters(parsed, name))
    return Settings(data, criterion, scale, method, options, max_size, automatic)


def _automatic(
    parsed: argparse.Namespace, method: Method, max_size: int | None, n_features: int
) -> AutomaticWarmUp | None:
    steps = method.steps
    assert isinstance(steps, SampledSteps)  # nosec B101 # only tells the type
    end = parsed.target or ((max_size or n_features) if method.direction.adds else 1)
    ahead = n_steps(method, n_features, end, parsed.overshoot if parsed.target else 0)
    return automatic_warm_up(
        method, n_features, ahead, steps.budget, steps.backward_budget, most=parsed.max_evaluations
    )


def _parameters(parsed: argparse.Namespace, name: str) -> dict[str, Any]:
    """Return what was said about the criterion, and how many folds it has; refuse what is not about this one."""
    given = {"n_neighbors": parsed.neighbors, "folds": parsed.folds, "ties": parsed.ties}
    known = parameters_of(name)
    for parameter, value in given.items():
        if value is not None and parameter not in known:
            option = "neighbors" if parameter == "n_neighbors" else parameter
            raise InputError(f"--{option} must go with a criterion that has it, got it with {name}.")
    folds = {"folds": N_FOLDS} if "folds" in known else {}
    return folds | {parameter: value for parameter, value in given.items() if value is not None}


def read_options(parsed: argparse.Namespace) -> dict[str, Any]:
    """Return what was asked of the method's steps and schedule; `run` says what does not belong to it."""
    from sweepless.runs.registry import STATISTICS
    from sweepless.runs.registry import read_options as option_of_words

    given = {
        "floor_fraction": parsed.floor_fraction,
        "temperature": parsed.temperature,
        "horizon": parsed.horizon,
        "tuple_size": parsed.tuple_size,
        "proposal": PROPOSALS[parsed.proposal]() if parsed.proposal else None,
        "statistics": STATISTICS[parsed.statistics]() if parsed.statistics else None,
    }
    options = {name: value for name, value in given.items() if value is not None}
    if parsed.method in METHODS:
        # A sweeping method may be told to sweep: `full` and `none` are what it does anyway.
        allowed = step_options(METHODS[parsed.method])
        for name, value in (
            ("budget", parsed.budget),
            ("backward_budget", parsed.backward_budget),
            ("warm_up", parsed.warm_up),
        ):
            if value is not None and (name in allowed or value != "full"):
                options[name] = None if value == "full" else value
    for assignment in parsed.option:
        name, equals, text = assignment.partition("=")
        if not equals or not name.isidentifier():
            raise InputError(f"--option must look like NAME=VALUE, got {arguments.shown(assignment)}.")
        options |= option_of_words(parsed.method, {name: arguments.literal(text)})
    return options


def _told(budget: Budget) -> str:
    if budget is None:
        return "full"
    return f"{budget:,}" if isinstance(budget, int) else f"{budget.fraction:g} of the pool"
