"""The charts of a run."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from sweepless.reports.chart import Chart, label, rounded, thinned, translucent
from sweepless.reports.records import Run
from sweepless.reports.run_tables import PHASES
from sweepless.reports.style import arm_color, arm_dash
from sweepless.reports.summary import Measure, series
from sweepless.reports.table import written
from sweepless.validation.stability import nogueira_stability

PHASE_COLORS = {
    "warmup": "#d9c48c",
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
    traces: list[dict[str, Any]] = []
    for one in series(run, measure):
        k = run.arms.index(one.arm)
        means = [spread.mean for spread in one.spreads]
        stds = [spread.std for spread in one.spreads]
        low = [mean - (std or 0.0) for mean, std in zip(means, stds, strict=True)]
        high = [mean + (std or 0.0) for mean, std in zip(means, stds, strict=True)]
        if any(stds):
            traces.append(_band(k, one.sizes, low, high))
        said = [f"{written(spread, '.4f')} (n = {spread.n})" for spread in one.spreads]
        traces.append(_line(k, one.arm, one.sizes, rounded(means), said))
    several = any(cell.seed != run.seeds[0] for cell in run.cells)
    what = "Mean over seeds; band: ± one sample standard deviation (n − 1)." if several else "One seed."
    audited = " On data the search never saw." if measure.classifier else ""
    return Chart(f"{measure.headline} at every size", traces, "subset size", measure.name, what + audited)


def anatomy_chart(run: Run) -> Chart:
    """What the evaluations of every arm were spent on."""
    places = list(range(len(run.arms)))
    # Names stand above their bars: beside them they would take half the width of a phone.
    names = [
        {
            "text": f'<span style="color:{arm_color(k)}">■</span> {label(arm, 40)}',
            "xref": "paper",
            "x": 0,
            "xanchor": "left",
            "y": k - 0.27,
            "yanchor": "bottom",
            "showarrow": False,
        }
        for k, arm in enumerate(run.arms)
    ]
    traces = []
    for phase, name in PHASES.items():
        spent = [fmean(cell.phases[phase] for cell in run.of(arm)) for arm in run.arms]
        if any(spent):
            traces.append(
                {
                    "type": "bar",
                    "orientation": "h",
                    "name": name,
                    "x": rounded(spent, 1),
                    "y": places,
                    "customdata": [label(arm) for arm in run.arms],
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
        "annotations": names,
        "bargap": 0.55,
        "xaxis": {"nticks": 5, "tickangle": 0, "rangemode": "tozero"},
        "yaxis": {"range": [len(places) - 0.6, -0.8], "showgrid": False, "showticklabels": False, "fixedrange": True},
    }
    note = "Mean evaluations of a run; click a purpose to hide it."
    return Chart("What the evaluations were spent on", traces, "evaluations", "", note, 130 + 44 * len(names), layout)


def trajectory_chart(run: Run) -> Chart | None:
    """How the working subset grew and shrank; one trace per cell, one seed shown at a time."""
    traces: list[dict[str, Any]] = []
    kept_all = True
    for cell in run.cells:
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
    if not traces:
        return None
    note = "Nogueira's measure over seeds; band: 95 % interval. 1: always the same features, 0: as if drawn at random."
    return Chart("Stability at every size", traces, "subset size", "stability (Nogueira)", note)


def _line(
    k: int, arm: str, across: Sequence[int], up: Sequence[float | None], said: Sequence[object]
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
