"""A chart as a Plotly figure of plain values, traces and a layout, which the script of a page draws."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from sweepless.reports.chart import Chart, Series
from sweepless.reports.style import GRAY, INK, MUTED, PALE

_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"
_LEGEND = {"orientation": "h", "x": 0, "xanchor": "left", "y": 1.0, "yanchor": "bottom", "traceorder": "normal"}


def plotly_figure(chart: Chart) -> dict[str, Any]:
    """Return the figure; `meta` of a trace says which of the page's controls hide it."""
    traces = [trace for one in chart.series for trace in _traces(one)]
    return {"data": traces, "layout": _layout(chart), "height": chart.height}


def _traces(one: Series) -> list[dict[str, Any]]:
    trace: dict[str, Any] = {
        "type": "scatter",
        "mode": "lines+markers" if one.size else "lines",
        "name": _label(one.name, 32),
        "x": _rounded(one.x),
        "y": _rounded(one.y),
        "customdata": list(one.said),
        "hovertemplate": one.template,
        "line": {"color": one.color, "width": 2, "dash": one.dash},
        "marker": {"color": one.color, "size": one.size, "symbol": one.symbol},
        "visible": one.is_shown,
    }
    if one.arm is not None:
        trace["meta"] = {"arm": one.arm} | ({} if one.seed is None else {"seed": one.seed})
    if one.reach:
        trace["error_y"] = {
            "type": "data",
            "array": _rounded(one.reach),
            "color": one.color,
            "thickness": 1,
            "width": 3,
        }
    if one.kind == "line" and one.low:
        return [_band(one), trace]
    if one.kind == "path":
        trace |= {"line": {"color": one.color, "width": 1}, "hoverinfo": "skip", "showlegend": False}
        del trace["hovertemplate"]
    elif one.kind == "points":
        trace["mode"] = "markers"
        if one.low:
            reach = [high - x for high, x in zip(one.high, one.x, strict=True)]
            trace["error_x"] = {"type": "data", "array": reach, "color": one.color, "thickness": 2}
    elif one.kind == "level":  # no control hides it
        look = {"color": one.color, "width": 1.5, "dash": "dot"}
        words = {"text": [trace["name"], ""], "textposition": "top right", "textfont": {"color": one.color, "size": 12}}
        trace |= {"mode": "lines+text", "line": look, "meta": {"reference": True}} | words
    elif one.kind == "bars":
        trace |= {"type": "bar", "orientation": "h", "customdata": [_label(str(name), 60) for name in one.said]}
        del trace["mode"], trace["line"]
        trace["marker"] = {"color": one.color}
    return [trace]


def _band(one: Series) -> dict[str, Any]:
    red, green, blue = (int(one.color[k : k + 2], 16) for k in (1, 3, 5))
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [*one.x, *reversed(one.x)],
        "y": _rounded([*one.high, *reversed(one.low)]),
        "fill": "toself",
        "fillcolor": f"rgba({red},{green},{blue},0.13)",
        "line": {"width": 0},
        "hoverinfo": "skip",
        "meta": {"arm": one.arm, "band": True},
    }


def _layout(chart: Chart) -> dict[str, Any]:
    across, up = _axis(chart.across), _axis(chart.up)
    layout: dict[str, Any] = {
        "font": {"family": _FONT, "size": 13, "color": MUTED},
        "margin": {"l": 8, "r": 12, "t": 12, "b": 8},
        "paper_bgcolor": "#fff",
        "plot_bgcolor": "#fff",
        "showlegend": chart.has_legend,
        "legend": _LEGEND,
        "hovermode": "x unified" if chart.is_by_size else "closest",
        "hoverlabel": {"bgcolor": "#fff", "bordercolor": GRAY, "font": {"color": INK, "size": 12}},
        "xaxis": across,
        "yaxis": up,
    }
    if chart.is_by_size:
        across["unifiedhovertitle"] = {"text": "size %{x:,}"}
    if chart.log_ticks:
        ticks = list(chart.log_ticks)
        across |= {"type": "log", "tickvals": ticks, "ticktext": [f"{tick:,}" for tick in ticks]}
    if chart.limits is not None:
        across["range"] = list(chart.limits)
    if chart.starts_at_zero:
        across["rangemode"] = up["rangemode"] = "tozero"
    if chart.rows:
        layout |= {"barmode": "stack", "bargap": 0.55, "annotations": _row_names(chart)}
        across |= {"nticks": 6, "tickangle": 0}
        ends = [len(chart.rows) - 0.6, -0.8]
        up |= {"range": ends, "showgrid": False, "showticklabels": False, "fixedrange": True}
    return layout


def _axis(title: str) -> dict[str, Any]:
    return {
        "title": {"text": title, "standoff": 10},
        "automargin": True,
        "gridcolor": PALE,
        "linecolor": GRAY,
        "zeroline": False,
        "separatethousands": True,
    }


def _row_names(chart: Chart) -> list[dict[str, Any]]:
    """Write the name of every row above it; beside it, names would take half the width of a phone."""
    lift = 0.27 if any(one.kind == "bars" for one in chart.series) else 0.16
    return [
        {
            "text": f'<span style="color:{color}">■</span> {_label(name, 40)}',
            "xref": "paper",
            "x": 0,
            "xanchor": "left",
            "y": place - lift,
            "yanchor": "bottom",
            "showarrow": False,
        }
        for place, (name, color) in enumerate(chart.rows)
    ]


def _label(text: str, length: int) -> str:
    """Return a name for Plotly: shortened, and without anything that Plotly would read as markup."""
    return escape(text if len(text) <= length else f"{text[: length - 1]}…", quote=False)


def _rounded(values: Sequence[float | None]) -> list[float | None]:
    return [value if value is None or isinstance(value, int) else round(value, 6) for value in values]
