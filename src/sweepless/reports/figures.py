"""The pictures of one run, as SVG text."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

from sweepless.errors import SweeplessError
from sweepless.reports.style import BLUE, GREY, ORANGE


def curve_svg(archive: Sequence[Mapping[str, Any]], chosen: int) -> str:
    """Draw the best value of every size, the chosen one marked."""
    figure, axes = _axes("subset size", "best value found")
    sizes = [row["size"] for row in archive]
    values = [row["value"] for row in archive]
    axes.plot(sizes, values, color=BLUE, linewidth=2)
    at = sizes.index(chosen)
    axes.plot([chosen], [values[at]], "o", color=ORANGE, markersize=8)
    last = at > len(sizes) / 2  # keep the label inside the picture
    axes.annotate(
        f"{chosen} features: {values[at]:.3f}",
        (chosen, values[at]),
        xytext=(-10 if last else 10, -16),
        textcoords="offset points",
        color=ORANGE,
        ha="right" if last else "left",
    )
    return _svg(figure)


def trajectory_svg(trajectory: Sequence[Mapping[str, Any]]) -> str:
    """Draw how the size of the working subset advanced and retreated as evaluations were spent."""
    figure, axes = _axes("evaluations", "size of the working subset")
    spent = [step["n_evaluations"] for step in trajectory]
    sizes = [step["size"] for step in trajectory]
    axes.plot(spent, sizes, color=GREY, linewidth=1)
    for direction, colour in (("forward", BLUE), ("backward", ORANGE)):
        chosen = [k for k, step in enumerate(trajectory) if step["direction"] == direction]
        axes.plot(
            [spent[k] for k in chosen],
            [sizes[k] for k in chosen],
            ".",
            color=colour,
            label=direction,
            markersize=4,
        )
    axes.legend(frameon=False)
    return _svg(figure)


def _axes(across: str, up: str) -> tuple[Any, Any]:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise SweeplessError("a report needs matplotlib; install sweepless[plots].") from None
    figure = Figure(figsize=(7.2, 3.4), layout="constrained")
    axes = figure.subplots()
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    return figure, axes


def _svg(figure: Any) -> str:
    import matplotlib

    stream = io.StringIO()
    # Text stays text, and equal runs give equal files.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "sweepless"}):
        figure.savefig(stream, format="svg", metadata={"Date": None})
    text = stream.getvalue()
    return text[text.index("<svg") :]
