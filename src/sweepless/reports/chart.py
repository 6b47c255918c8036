"""Interactive charts as plain Plotly figures: traces and a layout, no library needed to write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from sweepless.reports.style import GREY, INK, MUTED, PALE

_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"


@dataclass(frozen=True)
class Chart:
    """One figure of a page.

    Attributes
    ----------
    title, note : str
        The heading, and a sentence below the chart.
    traces : list
        For Plotly; `meta` = {"arm": k, "seed": s, "band": true} says what a page's controls may hide.
    across, up : str
        What the axes show.
    """

    title: str
    traces: Sequence[Mapping[str, Any]]
    across: str
    up: str
    note: str = ""
    height: int = 400
    layout: Mapping[str, Any] = field(default_factory=dict)

    def figure(self) -> dict[str, Any]:
        """Return what Plotly draws."""
        return {"data": list(self.traces), "layout": self._layout(), "height": self.height}

    def _layout(self) -> dict[str, Any]:
        layout: dict[str, Any] = {
            "font": {"family": _FONT, "size": 13, "color": MUTED},
            "margin": {"l": 8, "r": 12, "t": 12, "b": 8},
            "paper_bgcolor": "#fff",
            "plot_bgcolor": "#fff",
            "showlegend": False,
            "hovermode": "x unified",
            "hoverlabel": {"bgcolor": "#fff", "bordercolor": GREY, "font": {"color": INK, "size": 12}},
            "xaxis": self._axis(self.across),
            "yaxis": self._axis(self.up),
        }
        for name, value in self.layout.items():
            layout[name] = layout[name] | value if isinstance(layout.get(name), dict) else value
        return layout

    def _axis(self, title: str) -> dict[str, Any]:
        return {
            "title": {"text": title, "standoff": 10},
            "automargin": True,
            "gridcolor": PALE,
            "linecolor": GREY,
            "zeroline": False,
            "separatethousands": True,
        }


def label(text: str, length: int = 60) -> str:
    """Return a name as Plotly must be given it: shortened, and without anything it would read as markup."""
    return escape(text if len(text) <= length else f"{text[: length - 1]}…", quote=False)


def translucent(color: str, alpha: float) -> str:
    """Return a colour that lets others shine through."""
    red, green, blue = (int(color[k : k + 2], 16) for k in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha})"


def rounded(values: Sequence[float | None], digits: int = 6) -> list[float | None]:
    return [None if value is None else round(value, digits) for value in values]


def thinned(length: int, most: int) -> list[int]:
    """Return at most so many places of a list, evenly apart, the first and the last among them."""
    if length <= most:
        return list(range(length))
    return [k * (length - 1) // (most - 1) for k in range(most)]
