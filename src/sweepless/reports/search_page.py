"""One search as one self-contained page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from sweepless._csv import as_csv
from sweepless._needs import require
from sweepless._phrases import counted, duration
from sweepless.reports.chart import Chart, Series, thinned
from sweepless.reports.live.text import STOP_REASONS
from sweepless.reports.page import render
from sweepless.reports.panel import honest_score, panel_chart, panel_table
from sweepless.reports.run_statistics import PHASES
from sweepless.reports.style import BLUE, GRAY, ORANGE, STEP_KINDS
from sweepless.reports.table import Column, Table
from sweepless.schema.panel import SavedPanel

_N_STEPS = 4000
_FEW = 40  # sizes up to which every one is marked
_FOUND = "%{y:.4f}, found after %{customdata:,} evaluations"
_STEP = ": size %{y:,}, value %{customdata}<br>after %{x:,} evaluations<extra></extra>"


def render_search(
    found: Mapping[str, Any],
    trajectory: Sequence[Mapping[str, Any]],
    data_name: str,
    feature_names: Sequence[str] | None,
    command_line: Sequence[str],
) -> str:
    """Return the page of a result given as plain values.

    Raises
    ------
    SweeplessError
        If jinja2 or plotly is not installed.
    """
    require("a page")
    spent = [f"{count:,} {name}" for key, name in PHASES.items() if (count := found.get(f"{key}_evaluations"))]
    values: dict[str, object] = {"found": found, "spent": ", ".join(spent), "settings": _settings(found)}
    values["ended"] = STOP_REASONS.get(found["stop_reason"], found["stop_reason"])
    values["panel"] = panel = msgspec.convert(found["panel"], SavedPanel) if "panel" in found else None
    if panel is not None:
        values |= {"honest": honest_score(panel), "panel_chart": panel_chart(panel), "panel_table": panel_table(panel)}
    if found["archive"]:
        names = [_named(row["features"], feature_names) for row in found["archive"]]
        values |= {
            "cards": _cards(found),
            "curve": _curve(found),
            "trajectory": _trajectory(trajectory) if trajectory else None,
            "subsets": _subsets(found, names),
            "subsets_csv": _subsets_csv(found, names),
        }
    title, command = f"{found['method']} on {data_name}", ["sweepless", *command_line]
    return render("search.html", title=title, command=command, **values)


def _settings(found: Mapping[str, Any]) -> str:
    """List the settings that say something, in words."""
    listed = []
    for name, value in (found["settings"] or {}).items():
        if name == "budget":
            n_features = found["n_features"]
            value = f"{n_features if value == 'full' else value:,} of {n_features:,} features per addition"
        elif name == "warm_up" and isinstance(value, Mapping):
            value = f"{value['n_probes']}@{value['probe_size']}"
        elif isinstance(value, Mapping) and "name" in value:
            value = value["name"]
        if value is not None and name not in ("method", "rng", "tol"):
            listed.append(f"{name} {value}")
    return ", ".join(listed)


def _cards(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    shown = [(f"{found['size']:,}", "features chosen"), (f"{found['value']:.4f}", "criterion value, optimized")]
    if "panel" in found:
        shown.insert(1, (f"{found['panel']['honest_score']:.3f}", "honest score, by outer cross-validation"))
    if found.get("holdout") is not None:
        judged = "mean score of the judges " if "panel" in found else ""
        shown.append((f"{found['holdout']:.4f}", f"{judged}on data the search never saw"))
    shown.append((f"{found['n_evaluations']:,}", "subsets evaluated"))
    before = ""
    if "panel" in found:
        compared = sum(member["seconds"] for member in found["panel"]["members"])
        before = f", after {duration(compared)} to compare criteria"
    return [*shown, (f"{found['seconds']:.1f} s", f"wall time{before}")]


def _curve(found: Mapping[str, Any]) -> Chart:
    archive, size = found["archive"], found["size"]
    sizes, values = [row["size"] for row in archive], [row["value"] for row in archive]
    spent, marked = [row["n_evaluations"] for row in archive], 5 if len(archive) <= _FEW else 0
    drawn = [
        Series("line", "optimized", sizes, values, BLUE, size=marked, said=spent, template=_FOUND),
        Series("points", "chosen", [size], [found["value"]], ORANGE, size=11, template="%{y:.4f}"),
    ]
    if (holdout := found.get("holdout")) is not None and "panel" not in found:  # of another kind than the values
        name = "holdout of the chosen"
        drawn.append(Series("points", name, [size], [holdout], ORANGE, size=11, symbol="diamond", template="%{y:.4f}"))
    by = " by the mean score outside, above" if "panel" in found else ""
    note = f"The value is what the search optimized; the chosen subset has {counted(size, 'feature')}{by}."
    title = "The best subset of every size"
    return Chart(title, drawn, "subset size", "best value found", note, has_legend=True, is_by_size=True)


def _trajectory(steps: Sequence[Mapping[str, Any]]) -> Chart:
    kept = [steps[place] for place in thinned(len(steps), _N_STEPS)]
    drawn = [Series("path", "path", [step["n_evaluations"] for step in kept], [step["size"] for step in kept], GRAY)]
    for direction, (noun, color) in STEP_KINDS.items():
        of_kind = [step for step in kept if step["direction"] == direction]
        if of_kind:
            drawn.append(
                Series(
                    "points",
                    counted(sum(step["direction"] == direction for step in steps), noun),
                    [step["n_evaluations"] for step in of_kind],
                    [step["size"] for step in of_kind],
                    color,
                    size=5,
                    said=[None if step["value"] is None else round(step["value"], 4) for step in of_kind],
                    template=noun + _STEP,
                )
            )
    note = "Every taken step." if len(kept) == len(steps) else f"{len(kept):,} of {len(steps):,} steps, evenly thinned."
    title, up = "How the search moved", "size of the working subset"
    return Chart(title, drawn, "evaluations spent", up, note, has_legend=True, starts_at_zero=True)


def _subsets(found: Mapping[str, Any], names: Sequence[Sequence[str]]) -> Table:
    columns = [Column("size"), Column("value"), Column("found after"), Column("features", is_number=False)]
    rows = [
        [row["size"], row["value"], row["n_evaluations"], ", ".join(of_row)]
        for row, of_row in zip(found["archive"], names, strict=True)
    ]
    chosen = [at for at, row in enumerate(rows) if row[0] == found["size"]]
    marked = frozenset((at, place) for at in chosen for place in range(len(columns)))
    note = "The chosen subset in bold; “found after” counts evaluations."
    return Table("The best subset of every size", columns, rows, note, marked)


def _subsets_csv(found: Mapping[str, Any], names: Sequence[Sequence[str]]) -> str:
    head: list[object] = ["size", "value", "n_evaluations", "features"]
    return as_csv(
        [head]
        + [
            [row["size"], row["value"], row["n_evaluations"], "; ".join(of_row)]
            for row, of_row in zip(found["archive"], names, strict=True)
        ]
    )


def _named(features: Sequence[int], names: Sequence[str] | None) -> list[str]:
    return [names[feature] if names else str(feature) for feature in features]
