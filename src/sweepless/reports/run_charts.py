"""The charts of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import Any

from sweepless.reports.chart import Chart, label, rounded, thinned, translucent
from sweepless.reports.records import Run
from sweepless.reports.run_tables import PHASES
from sweepless.reports.style import MUTED, arm_color, arm_dash
from sweepless.reports.summary import Measure, Series, references, series
from sweepless.reports.table import Spread, written
from sweepless.stability import nogueira_stability

PHASE_COLORS = {
    "warm_up": "#d9c48c",
    "ranking": "#b7a6cc",
    "start": "#cfd6dd",
    "forward": "#34495e",
    "backward": "#93a7ba",
}
_FEW = 15  # sizes up to which every one is marked
_STEP = "%{fullData.name}<br>%{x:,} evaluations<br>size %{y:,}, value %{customdata}<extra></extra>"
_N_STEPS = 500
_N_STABLE = 60


def curve_chart(run: Run, measure: Measure) -> Chart:
    """A measure at every size: mean and one sample standard deviation around it, by arm."""
    found = series(run, measure)
    if len({size for one in found for size in one.sizes}) == 1:
        return _dots(run, measure, found)
    traces: list[dict[str, Any]] = []
    for one in found:
        k = run.arms.index(one.arm)
        means = [spread.mean for spread in one.spreads]
        stds = [spread.std for spread in one.spreads]
        low = [mean - (std or 0.0) for mean, std in zip(means, stds, strict=True)]
        high = [mean + (std or 0.0) for mean, std in zip(means, stds, strict=True)]
        if any(stds):
            traces.append(_band(k, one.sizes, low, high))
        said = [f"{written(spread, '.4f')} (n = {spread.n})" for spread in one.spreads]
        traces.append(_line(k, one.arm, one.sizes, rounded(means), said))
    sizes = [size for one in found for size in one.sizes]
    for name, spread in references(run, measure).items():
        traces.append(_level(name, min(sizes), max(sizes), spread))
    axis, beyond = _size_axis([one.sizes for one in found])
    note = _said(run, measure, "band") + beyond
    return Chart(f"{measure.headline} at every size", traces, "subset size", measure.name, note, layout=axis)


def _size_axis(sizes: Sequence[Sequence[int]]) -> tuple[dict[str, Any], str]:
    """Return the axis of sizes, and what to say of those beyond it.

    One arm may tell of a size that no other comes near, such as all features: it must not press the others together.
    """
    axis: dict[str, Any] = {"unifiedhovertitle": {"text": "size %{x:,}"}}
    counted = Counter(size for arm in sizes for size in set(arm))
    least, most = min(counted), max(counted)
    common = max((size for size, count in counted.items() if count > 1), default=most)
    if most <= 2 * common:
        return {"xaxis": axis}, ""
    margin = 0.03 * (common - least)
    axis |= {"range": [least - margin, common + margin]}
    return {"xaxis": axis}, f" Double-click to see all sizes up to {most:,}."


def _dots(run: Run, measure: Measure, found: Sequence[Series]) -> Chart:
    """A measure at the only size there is: a dot and a deviation for every arm, below each other."""
    traces = []
    for place, one in enumerate(found):
        k, only = run.arms.index(one.arm), one.spreads[0]
        trace = _line(k, one.arm, [only.mean], [place], [f"{written(only, '.4f')} (n = {only.n})"])
        own = {"hovertemplate": "%{customdata}", "marker": {"color": arm_color(k), "size": 11}}
        if only.std is not None:
            own["error_x"] = {"type": "data", "array": [only.std], "color": arm_color(k), "thickness": 2}
        traces.append(trace | own)
    layout = _rows(run, [one.arm for one in found], 0.16)
    layout |= {"hovermode": "closest", "xaxis": {"nticks": 6, "tickangle": 0}}
    headline = f"{measure.headline} at {found[0].sizes[0]:,} features"
    return Chart(headline, traces, measure.name, "", _said(run, measure, "bar"), 90 + 46 * len(found), layout)


def _said(run: Run, measure: Measure, shape: str) -> str:
    """Say what is drawn, and on which data it was measured."""
    several = len(run.seeds) > 1
    what = f"Mean over seeds; {shape}: ± one sample standard deviation (n − 1)." if several else "One seed."
    return what + (" On data the search never saw." if measure.classifier else "")


def _rows(run: Run, arms: Sequence[str], gap: float) -> dict[str, Any]:
    """Lay out one row per arm, its name above it: beside it, names would take half the width of a phone."""
    names = [
        {
            "text": f'<span style="color:{arm_color(run.arms.index(arm))}">■</span> {label(arm, 40)}',
            "xref": "paper",
            "x": 0,
            "xanchor": "left",
            "y": place - gap,
            "yanchor": "bottom",
            "showarrow": False,
        }
        for place, arm in enumerate(arms)
    ]
    axis = {"range": [len(arms) - 0.6, -0.8], "showgrid": False, "showticklabels": False, "fixedrange": True}
    return {"annotations": names, "yaxis": axis}


def anatomy_chart(run: Run) -> Chart | None:
    """What the evaluations of every arm were spent on."""
    arms = [arm for arm in run.arms if any(cell.n_evaluations for cell in run.of(arm))]
    traces = []
    for phase, name in PHASES.items():
        spent = [fmean(cell.phases[phase] for cell in run.of(arm)) for arm in arms]
        if any(spent):
            traces.append(
                {
                    "type": "bar",
                    "orientation": "h",
                    "name": name,
                    "x": rounded(spent, 1),
                    "y": list(range(len(arms))),
                    "customdata": [label(arm) for arm in arms],
                    "marker": {"color": PHASE_COLORS[phase]},
                    "hovertemplate": "%{customdata}<br>%{x:,.0f} " + name + "<extra></extra>",
                }
            )
    layout = {
        "barmode": "stack",
        "hovermode": "closest",
        "showlegend": True,
        "legend": {
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": 1.0,
            "yanchor": "bottom",
            "traceorder": "normal",
        },
        "bargap": 0.55,
        "xaxis": {"nticks": 5, "tickangle": 0, "rangemode": "tozero"},
    } | _rows(run, arms, 0.27)
    if not traces:
        return None
    note = "Mean evaluations of a run; click a purpose to hide it."
    return Chart("What the evaluations were spent on", traces, "evaluations", "", note, 130 + 44 * len(arms), layout)


def trajectory_chart(run: Run) -> Chart | None:
    """How the working subset grew and shrank; one trace per cell, one seed shown at a time."""
    traces: list[dict[str, Any]] = []
    kept_all = True
    for cell in run.cells:
        if not cell.phases["forward"] + cell.phases["backward"]:
            continue  # a ranking has no working subset
        places = thinned(len(cell.trajectory), _N_STEPS)
        kept_all = kept_all and len(places) == len(cell.trajectory)
        if places:
            steps = [cell.trajectory[place] for place in places]
            k = run.arms.index(cell.arm)
            values = rounded([step.value for step in steps], 4)
            trace = _line(k, cell.arm, [step.n_evaluations for step in steps], [step.size for step in steps], values)
            trace["meta"]["seed"] = cell.seed
            own = {"visible": cell.seed == run.seeds[0], "mode": "lines", "hovertemplate": _STEP}
            traces.append(trace | own)
    if not traces:
        return None
    note = "Every taken step." if kept_all else f"At most {_N_STEPS} steps of a search are drawn, evenly thinned."
    layout = {"hovermode": "closest", "xaxis": {"rangemode": "tozero"}, "yaxis": {"rangemode": "tozero"}}
    return Chart("Size of the working subset", traces, "evaluations spent", "size", note, 400, layout)


def stability_chart(run: Run) -> Chart | None:
    """Nogueira's measure at every size, with its interval."""
    traces: list[dict[str, Any]] = []
    drawn: list[list[int]] = []
    for k, arm in enumerate(run.arms):
        cells = run.of(arm)
        sizes = sorted(set.intersection(*({row.size for row in cell.rows} for cell in cells)))
        sizes = [sizes[place] for place in thinned(len(sizes), _N_STABLE)]
        if len(cells) > 1 and len(sizes) > 1:
            found = [
                nogueira_stability([cell.by_size[size].features for cell in cells], cells[0].n_features)
                for size in sizes
            ]
            low, high = [one.low for one in found], [one.high for one in found]
            traces.append(_band(k, sizes, low, high))
            said = [f"{one.value:.3f} ({one.low:.3f} to {one.high:.3f})" for one in found]
            traces.append(_line(k, arm, sizes, rounded([one.value for one in found]), said))
            drawn.append(sizes)
    if not traces:
        return None
    axis, beyond = _size_axis(drawn)
    note = "Nogueira's measure over seeds; band: 95 % interval. 1: always the same features, 0: as if drawn at random."
    return Chart("Stability at every size", traces, "subset size", "stability (Nogueira)", note + beyond, layout=axis)


def _line(
    k: int, arm: str, across: Sequence[float], up: Sequence[float | None], said: Sequence[object]
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines+markers" if len(across) <= _FEW else "lines",
        "name": label(arm, 32),
        "x": list(across),
        "y": list(up),
        "customdata": list(said),
        "hovertemplate": "%{customdata}",
        "line": {"color": arm_color(k), "width": 2, "dash": arm_dash(k)},
        "marker": {"color": arm_color(k), "size": 6},
        "meta": {"arm": k},
    }


def _level(name: str, left: int, right: int, spread: Spread) -> dict[str, Any]:
    """Draw what does not depend on the size from side to side; no control hides it."""
    line = _line(0, name, [left, right], rounded([spread.mean] * 2), [f"{written(spread, '.4f')} (n = {spread.n})"] * 2)
    look = {"color": MUTED, "width": 1.5, "dash": "dot"}
    words = {"text": [label(name, 32), ""], "textposition": "top right", "textfont": {"color": MUTED, "size": 12}}
    return line | words | {"mode": "lines+text", "line": look, "meta": {"reference": True}}


def _band(k: int, across: Sequence[int], low: Sequence[float], high: Sequence[float]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [*across, *reversed(across)],
        "y": rounded([*high, *reversed(low)]),
        "fill": "toself",
        "fillcolor": translucent(arm_color(k), 0.13),
        "line": {"width": 0},
        "hoverinfo": "skip",
        "meta": {"arm": k, "band": True},
    }
