"""A result as text."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sweepless.reports.live.text import STOP_REASONS

if TYPE_CHECKING:
    from sweepless.cli.settings import Request
    from sweepless.dataset import Dataset
    from sweepless.search.result import Result
    from sweepless.validation.trial import Trial

_BARS = "▁▂▃▄▅▆▇█"
_WIDTH = 60
_TIE = "\xa0"  # keeps a name and its number on one line


def as_text(trial: Trial, request: Request, compared: str | None = None) -> str:
    """Show the result in a few lines, and what was compared before it, if anything was."""
    from sweepless.search.plan import named
    from sweepless.search.saturation import saturation

    result, train, data = trial.result, trial.train, request.data
    anatomy = result.anatomy
    kinds = {
        "warm-up": anatomy.warm_up,
        "ranking": anatomy.ranking,
        "start": anatomy.start,
        "forward": anatomy.forward,
        "backward": anatomy.backward,
    }
    parts = ", ".join(f"{count:,} {kind}" for kind, count in kinds.items() if count)
    lines = [
        f"{result.method} on {data.name}: {train.n_samples:,} samples, {train.n_features:,} features, "
        f"{result.criterion}",
        f"target    {_target(data)}",
        f"settings  {request.summary(result)}",
        f"best size {result.size}",
        f"value     {result.value:.6f}" + ("" if trial.holdout is None else f"   (holdout {trial.holdout:.6f})"),
        f"cost      {result.n_evaluations:,} evaluations ({parts}) in {result.seconds:.1f} s",
    ]
    if anatomy.spared:
        lines[-1] += f", {anatomy.spared_share:.0%} of their fits spared by racing"
    if (choice := trial.choice) is not None:
        seconds = choice.outside.seconds.sum()
        lines[-1] += f", after {choice.outside.n_evaluations:,} in {seconds:.1f} s to compare criteria"
        if result.best is not None:
            lines.insert(5, f"honest    {choice.score_at(result.size):.3f}, the mean score outside: see below")
    if result.tried is not None:
        lines.append(f"coverage  {result.n_tried:,} of {result.n_features:,} features were tried at least once")
    if result.best is None:
        lines[3:5] = ["stopped before the first subset was recorded"]
    else:
        names = textwrap.fill(
            _listed(result), 100, initial_indent=" " * 10, subsequent_indent=" " * 10, break_on_hyphens=False
        )
        values = [record.value for record in result.archive.values()]
        sizes = list(result.archive)
        lines += [
            f"features  {names.lstrip().replace(_TIE, ' ')}",
            f"curve     {sparkline(values)}  sizes {sizes[0]}–{sizes[-1]}: {min(values):.3f} to {max(values):.3f}",
        ]
        agreed = trial.agreed
        if agreed is not None:
            found = agreed.stability(result.size)
            nogueira = found.nogueira
            lines.append(
                f"stability {nogueira.value:.2f} [{nogueira.low:.2f}, {nogueira.high:.2f}] (Nogueira), "
                f"{found.cw_rel:.2f} (CW_rel): {len(agreed.runs)} searches on resamples"
            )
        direction = named(result.method).direction
        shared = saturation(result.trace, direction, result.size) if agreed is None else agreed.saturation
        if shared is not None:
            lines.append(f"ties      {shared}: another --criterion may tell them apart")
    lines.append(f"stopped   {STOP_REASONS[result.stop_reason.value]}")
    if compared is not None:
        lines += ["", compared]
    return "\n".join(lines)


def _target(data: Dataset) -> str:
    """Say how the target was understood."""
    if not data.has_classes:
        return f"{data.n_samples:,} numbers, predicted by regression (--task classification takes them for classes)"
    hint = " (--task regression takes them for numbers)" if data.target.dtype.kind in "iuf" else ""
    return f"{len(data.classes):,} classes{hint}"


def _listed(result: Result) -> str:
    """List the features: numbers, with their names if they have any."""
    if result.feature_names is None:
        return " ".join(result.names(result.features))
    return ", ".join(
        f"{name}{_TIE}({feature})" for name, feature in zip(result.names(result.features), result.features)
    )


def sparkline(values: Sequence[float], width: int = _WIDTH) -> str:
    """Draw a curve in one line of text, thinned to `width` characters."""
    if len(values) > width:
        values = [values[k * (len(values) - 1) // (width - 1)] for k in range(width)]
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    return "".join(_BARS[round((value - low) / span * (len(_BARS) - 1))] for value in values)
