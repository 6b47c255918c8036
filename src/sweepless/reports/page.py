"""One search as one self-contained page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from sweepless._csv import as_csv
from sweepless.reports.chart import Chart, rounded, thinned
from sweepless.reports.document import Document, cards, command, definitions
from sweepless.reports.style import BLUE, GREY, INK, ORANGE
from sweepless.reports.table import Column, Table, Value

_PHASES = {"warm_up": "warm-up", "ranking": "ranking", "start": "start", "forward": "forward", "backward": "backward"}
_DIRECTIONS = {"forward": ("addition", BLUE), "backward": ("removal", ORANGE), "recall": ("recall", INK)}
_N_STEPS = 4000


def render_page(
    found: Mapping[str, Any],
    trajectory: Sequence[Mapping[str, Any]],
    data_name: str,
    feature_names: Sequence[str] | None,
    command_line: Sequence[str],
) -> str:
    """Return the page of a result given as plain values; every name is escaped.

    Raises
    ------
    SweeplessError
        If plotly is not installed.
    """
    page = Document(f"{found['method']} on {data_name}")
    page.add(f"<h1>{escape(page.title)}</h1>")
    page.add(
        f'<p class="lead">{escape(found["criterion"])}, {found["n_features"]:,} features, seed {found["seed"]}, '
        f"stopped: {escape(found['stop_reason'])}</p>"
    )
    if not found["archive"]:
        page.add("<p>The run was stopped before it had recorded a subset.</p>")
    else:
        page.add(cards(_cards(found)))
        page.add_chart(_curve(found))
        if trajectory:
            page.add_chart(_trajectory(trajectory))
        subsets = _subsets(found, feature_names)
        link = page.link_to("subsets.csv", as_csv(_lines(found, feature_names)), "Subsets (CSV)")
        page.add("<h2>Subsets</h2>", subsets.html(), f"<p>{link}</p>")
    page.add("<h2>Run it again</h2>", command(["sweepless", *command_line]))
    spent = [f"{count:,} {name}" for key, name in _PHASES.items() if (count := found.get(f"{key}_evaluations"))]
    page.add(definitions({"evaluations": ", ".join(spent), "random numbers": str(found.get("rng", ""))}))
    page.add(f"<footer>sweepless {escape(found['version'])}</footer>")
    return page.render()


def _cards(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    shown = [(f"{found['size']:,}", "features chosen"), (f"{found['value']:.4f}", "criterion value, optimised")]
    if found.get("holdout") is not None:
        shown.append((f"{found['holdout']:.4f}", "on data the search never saw"))
    shown.append((f"{found['n_evaluations']:,}", "subsets evaluated"))
    return [*shown, (f"{found['seconds']:.1f} s", "wall time")]


def _curve(found: Mapping[str, Any]) -> Chart:
    archive = found["archive"]
    line = {
        "type": "scatter",
        "mode": "lines+markers" if len(archive) <= 40 else "lines",
        "name": "optimised",
        "x": [row["size"] for row in archive],
        "y": rounded([row["value"] for row in archive]),
        "customdata": [row["n_evaluations"] for row in archive],
        "hovertemplate": "%{y:.4f}, found after %{customdata:,} evaluations",
        "line": {"color": BLUE, "width": 2},
        "marker": {"color": BLUE, "size": 5},
    }
    marks = [("chosen", found["value"], "circle")]
    if found.get("holdout") is not None:
        marks.append(("holdout of the chosen", found["holdout"], "diamond"))
    traces = [line] + [
        {
            "type": "scatter",
            "mode": "markers",
            "name": name,
            "x": [found["size"]],
            "y": rounded([value]),
            "hovertemplate": "%{y:.4f}",
            "marker": {"color": ORANGE, "size": 11, "symbol": symbol},
        }
        for name, value, symbol in marks
    ]
    note = f"The value is what the search optimised; the chosen subset has {found['size']:,} features."
    return Chart("The best subset of every size", traces, "subset size", "best value found", note, 400, _LEGEND)


def _trajectory(steps: Sequence[Mapping[str, Any]]) -> Chart:
    kept = [steps[place] for place in thinned(len(steps), _N_STEPS)]
    spent, sizes = [step["n_evaluations"] for step in kept], [step["size"] for step in kept]
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": "path",
            "x": spent,
            "y": sizes,
            "line": {"color": GREY, "width": 1},
            "hoverinfo": "skip",
            "showlegend": False,
        }
    ]
    for direction, (noun, color) in _DIRECTIONS.items():
        places = [k for k, step in enumerate(kept) if step["direction"] == direction]
        if places:
            n_all = sum(step["direction"] == direction for step in steps)
            traces.append(
                {
                    "type": "scatter",
                    "mode": "markers",
                    "name": f"{n_all:,} {noun}{'' if n_all == 1 else 's'}",
                    "x": [spent[k] for k in places],
                    "y": [sizes[k] for k in places],
                    "customdata": rounded([kept[k]["value"] for k in places], 4),
                    "hovertemplate": f"{noun}: size %{{y:,}}, value %{{customdata}}<br>after %{{x:,}} evaluations"
                    "<extra></extra>",
                    "marker": {"color": color, "size": 5},
                }
            )
    layout = _LEGEND | {"hovermode": "closest", "xaxis": {"rangemode": "tozero"}, "yaxis": {"rangemode": "tozero"}}
    note = "Every taken step." if len(kept) == len(steps) else f"{len(kept):,} of {len(steps):,} steps, evenly thinned."
    return Chart("How the search moved", traces, "evaluations spent", "size of the working subset", note, 400, layout)


_LEGEND: dict[str, Any] = {
    "showlegend": True,
    "legend": {"orientation": "h", "x": 0, "xanchor": "left", "y": 1.0, "yanchor": "bottom"},
}


def _subsets(found: Mapping[str, Any], names: Sequence[str] | None) -> Table:
    rows: list[list[Value]] = [
        [row["size"], row["value"], row["n_evaluations"], ", ".join(_named(row["features"], names))]
        for row in found["archive"]
    ]
    columns = [Column("size"), Column("value"), Column("found after"), Column("features", is_number=False)]
    chosen = [at for at, row in enumerate(rows) if row[0] == found["size"]]
    note = "The chosen subset in bold; “found after” counts evaluations."
    marked = frozenset((at, place) for at in chosen for place in range(len(columns)))
    return Table("The best subset of every size", columns, rows, note, marked)


def _lines(found: Mapping[str, Any], names: Sequence[str] | None) -> list[list[object]]:
    head: list[object] = ["size", "value", "n_evaluations", "features"]
    return [head] + [
        [row["size"], row["value"], row["n_evaluations"], "; ".join(_named(row["features"], names))]
        for row in found["archive"]
    ]


def _named(features: Sequence[int], names: Sequence[str] | None) -> list[str]:
    return [names[feature] if names else str(feature) for feature in features]
