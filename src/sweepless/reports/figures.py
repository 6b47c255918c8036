"""The figures of a run as PNG and SVG files, for papers and slides."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from sweepless._needs import require
from sweepless._writing import write_whole
from sweepless.reports.records import Run
from sweepless.reports.run_charts import PHASE_COLORS
from sweepless.reports.run_tables import PHASES
from sweepless.reports.style import INK, SMALL, arm_color, arm_dash, quiet_axes, title
from sweepless.reports.summary import Measure, measures, series
from sweepless.stability import nogueira_stability

_DASHES = {"solid": "-", "dash": (0, (5, 2)), "dot": (0, (1, 1.5)), "dashdot": (0, (5, 2, 1, 2))}


def write_figures(runs: Sequence[Run], directory: Path) -> Iterator[Path]:
    """Write every figure of the runs as PNG and SVG into a directory; yield the paths.

    Raises
    ------
    SweeplessError
        If matplotlib is not installed.
    """
    require("a picture")
    import matplotlib
    from matplotlib.figure import Figure

    directory.mkdir(parents=True, exist_ok=True)
    # Text stays text, and equal runs give equal files.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "sweepless"}):
        for run in runs:
            for name, draw in _figures(run):
                figure = Figure(figsize=(7.2, 4.2), layout="constrained")
                draw(quiet_axes(figure.subplots())[1])
                for kind in ("png", "svg"):
                    path = directory / (re.sub(r"[^\w.-]+", "-", f"{run.name}-{name}") + f".{kind}")
                    drawn = io.BytesIO()
                    figure.savefig(drawn, format=kind, dpi=200, metadata={"Date": None} if kind == "svg" else None)
                    write_whole(path, drawn.getvalue())
                    yield path


def _figures(run: Run) -> Iterator[tuple[str, Callable[[Any], None]]]:
    """Name the figures there are rows for."""
    for measure in measures(run):
        name = "value" if measure.classifier is None else f"holdout-{measure.classifier}"
        yield name, partial(_draw_curve, run=run, measure=measure)
    if run.cells:
        yield "anatomy", partial(_draw_anatomy, run=run)
    if any(cell.trajectory for cell in run.cells):
        yield "trajectory", partial(_draw_trajectory, run=run)
    if len(run.seeds) > 1:
        yield "stability", partial(_draw_stability, run=run)


def _draw_curve(ax: Any, run: Run, measure: Measure) -> None:
    for one in series(run, measure):
        k = run.arms.index(one.arm)
        means = [spread.mean for spread in one.spreads]
        stds = [spread.std or 0.0 for spread in one.spreads]
        _draw_band(ax, k, one.sizes, [m - s for m, s in zip(means, stds)], [m + s for m, s in zip(means, stds)])
        _draw_line(ax, k, one.arm, one.sizes, means)
    across = "subset size" + ("; band: ± one sample standard deviation" if len(run.seeds) > 1 else "")
    _finish(ax, f"{measure.headline} at every size", across)


def _draw_stability(ax: Any, run: Run) -> None:
    for k, arm in enumerate(run.arms):
        cells = run.of(arm)
        sizes = sorted(set.intersection(*(set(cell.by_size) for cell in cells)))
        found = [
            nogueira_stability([cell.by_size[size].features for cell in cells], cells[0].n_features) for size in sizes
        ]
        if len(cells) > 1:
            _draw_band(ax, k, sizes, [one.low for one in found], [one.high for one in found])
            _draw_line(ax, k, arm, sizes, [one.value for one in found])
    _finish(ax, "Stability (Nogueira) at every size", "subset size; band: 95 % interval")


def _draw_trajectory(ax: Any, run: Run) -> None:
    seed = run.seeds[0]
    for k, arm in enumerate(run.arms):
        steps = [step for cell in run.of(arm) if cell.seed == seed for step in cell.trajectory]
        if steps:
            _draw_line(ax, k, arm, [step.n_evaluations for step in steps], [step.size for step in steps])
    ax.xaxis.set_major_formatter(lambda count, _: f"{count:,.0f}")
    _finish(ax, f"Size of the working subset, seed {seed}", "evaluations spent")


def _draw_anatomy(ax: Any, run: Run) -> None:
    ends = [0.0] * len(run.arms)
    for phase, name in PHASES.items():
        spent = [fmean(cell.phases[phase] for cell in run.of(arm)) for arm in run.arms]
        if any(spent):
            ax.barh(range(len(spent)), spent, left=ends, color=PHASE_COLORS[phase], height=0.6, label=name)
            ends = [end + more for end, more in zip(ends, spent)]
    ax.set_yticks(range(len(run.arms)), [_plain(arm) for arm in run.arms])
    ax.invert_yaxis()
    ax.xaxis.set_major_formatter(lambda count, _: f"{count:,.0f}")
    _finish(ax, "What the evaluations were spent on", "evaluations, mean over seeds", grid="x")


def _draw_line(ax: Any, k: int, arm: str, across: Sequence[int], up: Sequence[float]) -> None:
    marker = "o" if len(across) <= 15 else None
    dashes: Any = _DASHES[arm_dash(k)]
    ax.plot(
        across, up, color=arm_color(k), linestyle=dashes, linewidth=1.6, marker=marker, markersize=4, label=_plain(arm)
    )


def _draw_band(ax: Any, k: int, across: Sequence[int], low: Sequence[float], high: Sequence[float]) -> None:
    ax.fill_between(across, low, high, color=arm_color(k), alpha=0.13, linewidth=0)


def _plain(name: str) -> str:
    """Return a name that matplotlib shows as it is: no formula, and never hidden from the legend."""
    return name.replace("$", r"\$").replace("_", "\u200b_", 1) if name.startswith("_") else name.replace("$", r"\$")


def _finish(ax: Any, headline: str, across: str, grid: str = "y") -> None:
    ax.grid(axis=grid, alpha=0.25)
    title(ax, headline, across=across)
    names = ax.get_legend_handles_labels()[1]
    ax.figure.legend(
        loc="outside lower left", ncols=min(4, len(names)), frameon=False, fontsize=SMALL - 1, labelcolor=INK
    )
