"""One search as the command line asks for it: data, criterion and settings."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, cast

from sweepless.cli import arguments
from sweepless.criteria.base import Criterion
from sweepless.criteria.registry import (
    default_scale,
    fitting_task,
    make_criterion,
    parameters_of,
    score_for,
    task_of_score,
)
from sweepless.criteria.tie_break import TieBreak, smooth_second
from sweepless.dataset import Dataset
from sweepless.engine.generator import make_rng
from sweepless.errors import InputError
from sweepless.search.budget import Budget, in_words
from sweepless.search.plan import named, settings_in_words
from sweepless.search.result import Result
from sweepless.search.sampled import SampledSteps
from sweepless.search.settings import MAX_SIZE, N_FOLDS, OWN, SearchSettings
from sweepless.search.warm_up import WarmUp, automatic_probes
from sweepless.validation.trial import Scale

if TYPE_CHECKING:  # scikit-learn is loaded only if it is needed
    from sweepless.selectors.decide_settings import Unasked


@dataclass(frozen=True)
class Request:
    """One search as it was asked for.

    Attributes
    ----------
    data : Dataset
        With the target understood as classes or as numbers.
    criterion : Criterion or Unasked
        What values subsets, or how to find that out.
    scale : {"paper", "train", "none"}
    settings : SearchSettings
    """

    data: Dataset
    criterion: Criterion | Unasked
    scale: Scale
    settings: SearchSettings

    def to_dict(self) -> dict[str, Any]:
        """Return what the result does not hold, as plain values for JSON."""
        data = self.data
        return {
            "n_samples": data.n_samples,
            "task": "classification" if data.has_classes else "regression",
            "n_classes": len(data.classes) if data.has_classes else None,
            "scale": self.scale,
        }

    def summary(self, result: Result) -> str:
        """Describe in one line the settings that were used."""
        parts = []
        steps, settings = named(self.settings.method).steps, result.settings or self.settings
        if isinstance(steps, SampledSteps):
            parts.append(self._budgets(settings, result.n_features))
            parts.append(self._beginning(settings, result.n_features))
        if settings.max_size is not None:
            parts.append(f"at most {settings.max_size:,} features")
        scaled = {"train": "features scaled to [0, 1]", "paper": "features scaled to [0, 1] over all data"}
        unscaled = "features as they are" if isinstance(self.criterion, Criterion) else "features standardized"
        parts.append(scaled.get(self.scale, unscaled))
        return "; ".join(parts)

    def _budgets(self, used: SearchSettings, n_features: int) -> str:
        word: Any = self.settings.budget
        if word is OWN:
            word = make_rng(str(self.settings.rng), 0).budget
        budget, backward_budget = cast(tuple[Budget, Budget], (used.budget, used.backward_budget))
        return in_words(word if isinstance(word, str) else None, budget, backward_budget, n_features)

    def _beginning(self, used: SearchSettings, n_features: int) -> str:
        warm_up = used.warm_up
        if not isinstance(warm_up, WarmUp):
            return "no warm-up" if used.prior in (None, OWN) else "prior by R² of single features"
        how = ""
        if self.settings.warm_up is OWN:
            wanted = automatic_probes(n_features).n_wanted
            how = f" (automatic, cut from {wanted:,})" if warm_up.n_probes < wanted else " (automatic)"
        looks = ", a look at every feature" if warm_up.looks else ""
        return f"warm-up {warm_up.n_probes:,} probes of {warm_up.probe_size} features{how}{looks}"


def read_settings(parsed: argparse.Namespace) -> SearchSettings:
    """Read the settings of the search that were given."""
    names = [field.name for field in fields(SearchSettings) if field.name != "ties"]  # `--ties` are those of k-NN
    given = {name: getattr(parsed, name) for name in names if hasattr(parsed, name)}
    options = {}
    for assignment in parsed.option:
        name, equals, text = assignment.partition("=")
        if not equals or not name.isidentifier():
            raise InputError(f"--option must look like NAME=VALUE, got {arguments.shown(assignment)}.")
        options[name] = arguments.literal(text)
    method = given.pop("method", SearchSettings.method)
    return settings_in_words(method, options, **{name: given[name] for name in given if name not in options})


def read_request(parsed: argparse.Namespace, settings: SearchSettings, data: Dataset) -> Request:
    """Choose task, criterion and scale by the options and by the data."""
    name = None if parsed.criterion == "auto" else parsed.criterion
    parameters = _parameters(parsed, name)
    task = fitting_task(parsed.task or task_of_score(parsed.score), name, data.has_classes)
    data = data.with_task(task)
    criterion: Criterion | Unasked
    if name is None:
        from sweepless.selectors.decide_settings import Unasked

        scale: Scale = "none" if parsed.scale == "auto" else parsed.scale
        criterion = Unasked(settings, hasattr(parsed, "method"), parsed.tie_break == "smooth", parsed.judge)
    else:
        if parsed.judge is not None:
            raise InputError(f"--judge must come without a --criterion, got it with {name}.")
        scale = default_scale(name) if parsed.scale == "auto" else parsed.scale
        criterion = make_criterion(name, score_for(name, task) | parameters)
        if parsed.tie_break == "smooth" and (second := smooth_second(criterion, data)) is not None:
            criterion = TieBreak(criterion, second)
    grows = named(settings.method).direction.adds
    if settings.max_size is None and settings.target is None and grows and data.n_features > MAX_SIZE:
        settings = replace(settings, max_size=MAX_SIZE)
    return Request(data, criterion, scale, settings)


def _parameters(parsed: argparse.Namespace, name: str | None) -> dict[str, Any]:
    """Return the parameters of the criterion; raise for one that it does not have."""
    given = {key: getattr(parsed, key) for key in ("n_neighbors", "folds", "ties", "score", "alpha", "class_weight")}
    known = () if name is None else parameters_of(name)
    for parameter, value in given.items():
        if value is not None and parameter not in known:
            option = parameter.replace("_", "-")
            raise InputError(f"--{option} must go with a criterion that has it, got it with {name or 'none'}.")
    folds = {"folds": N_FOLDS} if "folds" in known else {}
    return folds | {parameter: value for parameter, value in given.items() if value is not None}
