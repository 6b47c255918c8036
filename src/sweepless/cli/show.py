"""A result as text and as JSON."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sweepless.reports.live.words import STOP_REASONS

if TYPE_CHECKING:
    from sweepless.validation.trial import Trial

_BARS = "▁▂▃▄▅▆▇█"
_WIDTH = 60


def as_json(trial: Trial) -> str:
    return json.dumps(trial.to_dict(), allow_nan=False)


def as_text(trial: Trial, name: str) -> str:
    """Tell the result in a few lines."""
    result, train = trial.result, trial.train
    anatomy = result.anatomy
    kinds = {
        "warm-up": anatomy.warmup,
        "ranking": anatomy.ranking,
        "start": anatomy.start,
        "forward": anatomy.forward,
        "backward": anatomy.backward,
    }
    parts = ", ".join(f"{count:,} {kind}" for kind, count in kinds.items() if count)
    lines = [
        f"{result.method} on {name}: {train.n_samples} samples, {train.n_features} features, {result.criterion}",
        f"best size {result.size}",
        f"value     {result.value:.6f}" + ("" if trial.holdout is None else f"   (holdout {trial.holdout:.6f})"),
        f"cost      {result.n_evaluations:,} evaluations ({parts}) in {result.seconds:.1f} s",
    ]
    if result.best is None:
        lines[1:3] = ["stopped before the first subset was recorded"]
    else:
        names = textwrap.fill(
            " ".join(result.names(result.features)), 100, initial_indent=" " * 10, subsequent_indent=" " * 10
        )
        values = [record.value for record in result.archive.values()]
        sizes = list(result.archive)
        lines += [
            f"features  {names.lstrip()}",
            f"curve     {sparkline(values)}  sizes {sizes[0]}–{sizes[-1]}: {min(values):.3f} to {max(values):.3f}",
        ]
    lines.append(f"stopped   {STOP_REASONS[result.stop_reason.value]}")
    return "\n".join(lines)


def told_damaged(reasons: Sequence[str]) -> int:
    """Say which cells of a run were left out; return the exit code."""
    for reason in reasons:
        print(f"sweepless: left out, because {reason}", file=sys.stderr)
    if reasons:
        print("sweepless: `sweepless run` computes damaged cells again.", file=sys.stderr)
    return 1 if reasons else 0


def sparkline(values: Sequence[float], width: int = _WIDTH) -> str:
    """Draw a curve in one line of text, thinned to `width` characters."""
    if len(values) > width:
        values = [values[k * (len(values) - 1) // (width - 1)] for k in range(width)]
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    return "".join(_BARS[round((value - low) / span * (len(_BARS) - 1))] for value in values)
