"""A chart described once: what is drawn, not with which library.

`plotly_figure` draws it in pages, `figures` as PNG and SVG files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Series:
    """What a chart draws in one color under one name.

    Attributes
    ----------
    kind : {"line", "path", "points", "level", "bars"}
        A path is a thin line without a name; a level crosses the whole chart; bars lie, stacked, on the rows.
    low, high : sequence of float
        The band about a line. For points, the ends of a horizontal bar through each.
    dash : str
        In Plotly's words.
    size, symbol
        Of the points; a line has points if `size` is positive.
    said : sequence
        What a page says at every point, by `template`, in Plotly's words.
    arm, seed : int, optional
        Which of a page's controls hide the series.
    is_shown : bool
        Whether it is shown before a reader asks for it.
    reach : sequence of float
        How far a vertical bar goes up and down from each point of a line.
    """

    kind: Literal["line", "path", "points", "level", "bars"]
    name: str
    x: Sequence[float]
    y: Sequence[float | None]
    color: str
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    dash: str = "solid"
    size: int = 0
    symbol: Literal["circle", "diamond"] = "circle"
    said: Sequence[object] = ()
    template: str = "%{customdata}"
    arm: int | None = None
    seed: int | None = None
    is_shown: bool = True
    reach: Sequence[float] = ()


@dataclass(frozen=True)
class Chart:
    """One chart.

    Attributes
    ----------
    title, note : str
        The heading, and a sentence below the chart.
    hint : str
        What a reader of a page can do with it.
    across, up : str
        What the axes show.
    rows : sequence of (str, str)
        Name and color of the horizontal rows; if there are any, y counts them from above.
    limits : (float, float), optional
        Where the horizontal axis begins and ends, if not with the data.
    log_ticks : sequence of int
        What is marked on a logarithmic horizontal axis; without any it is linear.
    is_by_size : bool
        Whether a page reads all series at one x, a subset size, at a time.
    starts_at_zero : bool
    """

    title: str
    series: Sequence[Series]
    across: str
    up: str
    note: str = ""
    hint: str = ""
    height: int = 400
    rows: Sequence[tuple[str, str]] = ()
    limits: tuple[float, float] | None = None
    log_ticks: Sequence[int] = ()
    has_legend: bool = False
    is_by_size: bool = False
    starts_at_zero: bool = False


def thinned(length: int, most: int) -> list[int]:
    """Return at most `most` places of a list, evenly apart, always with the first and the last."""
    if length <= most:
        return list(range(length))
    return [k * (length - 1) // (most - 1) for k in range(most)]
