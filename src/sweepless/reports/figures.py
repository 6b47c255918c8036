"""The charts of runs as PNG and SVG files, for papers and slides."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

from sweepless._needs import require
from sweepless._writing import write_whole
from sweepless.reports.chart import Chart
from sweepless.reports.records import Run
from sweepless.reports.run_charts import run_charts
from sweepless.reports.style import INK, SMALL, quiet_axes, title

_DASHES = {"solid": "-", "dash": (0, (5, 2)), "dot": (0, (1, 1.5)), "dashdot": (0, (5, 2, 1, 2))}


def write_figures(runs: Sequence[Run], directory: Path) -> Iterator[Path]:
    """Write every chart of the runs as PNG and SVG into a directory; yield the paths.

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
            for name, chart in run_charts(run):
                figure = Figure(figsize=(7.2, max(4.2, 1.6 + 0.3 * len(chart.rows))), layout="constrained")
                draw(chart, quiet_axes(figure.subplots())[1])
                for kind in ("png", "svg"):
                    path = directory / (re.sub(r"[^\w.-]+", "-", f"{run.name}-{name}") + f".{kind}")
                    drawn = io.BytesIO()
                    figure.savefig(drawn, format=kind, dpi=200, metadata={"Date": None} if kind == "svg" else None)
                    write_whole(path, drawn.getvalue())
                    yield path


def draw(chart: Chart, ax: Any) -> None:
    """Draw a chart into matplotlib axes, as a page shows it before a reader hides anything."""
    ends = [0.0] * len(chart.rows)
    for one in chart.series:
        look: dict[str, Any] = {"color": one.color, "label": _plain(one.name)}
        if not one.is_shown:
            continue
        if one.kind == "bars":
            ax.barh(one.y, one.x, left=ends, height=0.6, **look)
            ends = [end + more for end, more in zip(ends, one.x, strict=True)]
        elif one.kind == "level":
            ax.axhline(one.y[0], linestyle=_DASHES["dot"], linewidth=1.2, **look)
        elif one.kind == "points":
            ax.plot(one.x, one.y, {"circle": "o", "diamond": "D"}[one.symbol], **look)
            ax.hlines(one.y[: len(one.low)], one.low, one.high, color=one.color, linewidth=1.6)
        else:
            marker = "o" if one.size else None
            ax.plot(one.x, one.y, linestyle=_DASHES[one.dash], linewidth=1.6, marker=marker, markersize=4, **look)
            if one.reach:
                ax.errorbar(one.x, one.y, one.reach, fmt="none", elinewidth=1, color=one.color)
            if one.low:
                ax.fill_between(one.x, one.low, one.high, color=one.color, alpha=0.13, linewidth=0)
    _finish(chart, ax)


def _finish(chart: Chart, ax: Any) -> None:
    ax.grid(axis="x" if chart.rows else "y", alpha=0.25)
    if chart.log_ticks:
        ax.set_xscale("log")
        ax.minorticks_off()
        ax.set_xticks(list(chart.log_ticks))
    if chart.limits is not None:
        ax.set_xlim(chart.limits)
    if chart.is_by_size:
        ax.xaxis.get_major_locator().set_params(integer=True)
    if chart.starts_at_zero:
        ax.set_xlim(left=0)
    if chart.rows:
        ax.set_yticks(range(len(chart.rows)), [_plain(name) for name, _ in chart.rows])
        ax.set_ylim(len(chart.rows) - 0.4, -0.6)
    ax.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}" if abs(x) >= 100 else f"{x:g}")
    seeds = {one.seed for one in chart.series if one.is_shown and one.seed is not None}
    headline = ", seed ".join([chart.title, *map(str, seeds)])  # one seed at a time, as in a page
    title(ax, headline, across="\n".join(filter(None, [chart.across, fill(chart.note, 60 if chart.rows else 106)])))
    if not chart.rows or chart.has_legend:  # else the rows have the names
        names = ax.get_legend_handles_labels()[1]
        ax.figure.legend(
            loc="outside lower left", ncols=min(4, len(names)), frameon=False, fontsize=SMALL - 1, labelcolor=INK
        )


def _plain(name: str) -> str:
    """Return a name that matplotlib shows as it is: no formula, and never hidden from the legend."""
    return name.replace("$", r"\$").replace("_", "\u200b_", 1) if name.startswith("_") else name.replace("$", r"\$")
