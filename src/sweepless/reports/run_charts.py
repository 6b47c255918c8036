"""The charts of a run: what is drawn, for pages and for files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import fmean

from sweepless.reports.chart import Chart, Series, thinned
from sweepless.reports.records import Run
from sweepless.reports.run_statistics import PHASES, ArmMeans, Measure, arm_means, measures, references, subsets_at
from sweepless.reports.style import MUTED, PHASE_COLORS, arm_color, arm_dash
from sweepless.reports.table import Spread, written
from sweepless.stability import nogueira_stability

_FEW = 15  # sizes up to which every one is marked
_STEP = "%{fullData.name}<br>%{x:,} evaluations<br>size %{y:,}, value %{customdata}<extra></extra>"
_N_STEPS = 500
_N_STABLE = 60


def run_charts(run: Run) -> Iterator[tuple[str, Chart]]:
    """Yield every chart that the rows allow, each with a name for files."""
    for measure in measures(run):
        yield "value" if measure.classifier is None else f"holdout-{measure.classifier}", curve_chart(run, measure)
    for name, draw in (("anatomy", anatomy_chart), ("trajectory", trajectory_chart), ("stability", stability_chart)):
        if (chart := draw(run)) is not None:
            yield name, chart


def curve_chart(run: Run, measure: Measure) -> Chart:
    """Describe a measure at every size: mean and one sample standard deviation about it, by arm."""
    found = arm_means(run, measure)
    sizes = [size for one in found for size in one.sizes]
    if len(set(sizes)) == 1:
        return _dots(run, measure, found)
    lines = []
    for one in found:
        means = [spread.mean for spread in one.spreads]
        stds = [spread.std or 0.0 for spread in one.spreads]
        low = [mean - std for mean, std in zip(means, stds, strict=True)] if any(stds) else []
        high = [mean + std for mean, std in zip(means, stds, strict=True)] if any(stds) else []
        lines.append(_line(run, one.arm, one.sizes, means, list(map(_said, one.spreads)), low, high))
    for name, spread in references(run, measure).items():
        ends, level = [min(sizes), max(sizes)], [spread.mean] * 2
        lines.append(Series("level", name, ends, level, MUTED, said=[_said(spread)] * 2))
    title, note = f"{measure.headline} at every size", _note(run, measure, "band")
    return _by_size(title, lines, [one.sizes for one in found], measure.name, note)


def _by_size(title: str, lines: list[Series], sizes: Sequence[Sequence[int]], up: str, note: str) -> Chart:
    limits, hint = _size_limits(sizes)
    return Chart(title, lines, "subset size", up, note, hint, limits=limits, is_by_size=True)


def _size_limits(sizes: Sequence[Sequence[int]]) -> tuple[tuple[float, float] | None, str]:
    """Return the limits of the axis of sizes, and how to see those beyond it.

    One arm may have a size that no other comes near, such as all features, which would squeeze the others together.
    """
    counted = Counter(size for arm in sizes for size in set(arm))
    least, most = min(counted), max(counted)
    common = max((size for size, count in counted.items() if count > 1), default=most)
    if most <= 2 * common:
        return None, ""
    margin = 0.03 * (common - least)
    return (least - margin, common + margin), f"Double-click to see all sizes up to {most:,}."


def _dots(run: Run, measure: Measure, found: Sequence[ArmMeans]) -> Chart:
    """Describe a measure at the only size there is: a dot and a deviation for every arm, one below the other."""
    dots = []
    for place, one in enumerate(found):
        k, only = run.arms.index(one.arm), one.spreads[0]
        low = [only.mean - only.std] if only.std is not None else []
        high = [only.mean + only.std] if only.std is not None else []
        said, color = [_said(only)], arm_color(k)
        dots.append(Series("points", one.arm, [only.mean], [place], color, low, high, size=11, said=said, arm=k))
    title, height = f"{measure.headline} at {found[0].sizes[0]:,} features", 90 + 46 * len(found)
    rows = [(dot.name, dot.color) for dot in dots]
    return Chart(title, dots, measure.name, "", _note(run, measure, "bar"), height=height, rows=rows)


def _note(run: Run, measure: Measure, shape: str) -> str:
    """Say what is drawn, and on which data it was measured."""
    several = len(run.seeds) > 1
    what = f"Mean over seeds; {shape}: ± one sample standard deviation (n − 1)." if several else "One seed."
    return what + (" On data the search never saw." if measure.classifier else "")


def _said(spread: Spread) -> str:
    return f"{written(spread, '.4f')} (n = {spread.n})"


def anatomy_chart(run: Run) -> Chart | None:
    """Describe what the evaluations of every arm were spent on."""
    arms = [arm for arm in run.arms if any(cell.n_evaluations for cell in run.of(arm))]
    bars = []
    for phase, name in PHASES.items():
        spent = [fmean(cell.phases[phase] for cell in run.of(arm)) for arm in arms]
        if any(spent):
            says = "%{customdata}<br>%{x:,.0f} " + name + "<extra></extra>"
            rows = list(range(len(arms)))
            bars.append(Series("bars", name, spent, rows, PHASE_COLORS[phase], said=arms, template=says))
    if not bars:
        return None
    return Chart(
        "What the evaluations were spent on",
        bars,
        "evaluations",
        "",
        "Mean evaluations of a run.",
        "Click a purpose to hide it.",
        130 + 44 * len(arms),
        [(arm, arm_color(run.arms.index(arm))) for arm in arms],
        has_legend=True,
        starts_at_zero=True,
    )


def trajectory_chart(run: Run) -> Chart | None:
    """Describe how the working subset grew and shrank: one line per cell, those of the first seed shown."""
    lines: list[Series] = []
    kept_all = True
    for cell in run.cells:
        if not cell.phases["forward"] + cell.phases["backward"]:
            continue  # a ranking has no working subset
        steps = [cell.trajectory[place] for place in thinned(len(cell.trajectory), _N_STEPS)]
        kept_all = kept_all and len(steps) == len(cell.trajectory)
        if steps:
            k = run.arms.index(cell.arm)
            lines.append(
                Series(
                    "line",
                    cell.arm,
                    [step.n_evaluations for step in steps],
                    [step.size for step in steps],
                    arm_color(k),
                    dash=arm_dash(k),
                    said=[None if step.value is None else round(step.value, 4) for step in steps],
                    template=_STEP,
                    arm=k,
                    seed=cell.seed,
                    is_shown=cell.seed == run.seeds[0],
                )
            )
    if not lines:
        return None
    note = "Every taken step." if kept_all else f"At most {_N_STEPS} steps of a search are drawn, evenly thinned."
    return Chart("Size of the working subset", lines, "evaluations spent", "size", note, starts_at_zero=True)


def stability_chart(run: Run) -> Chart | None:
    """Describe Nogueira's measure at every size, with its interval."""
    lines: list[Series] = []
    for arm in run.arms:
        cells = run.of(arm)
        sizes = sorted(set.intersection(*(set(cell.by_size) for cell in cells)))
        sizes = [sizes[place] for place in thinned(len(sizes), _N_STABLE)]
        if len(cells) > 1 and len(sizes) > 1:
            found = [nogueira_stability(subsets_at(run, arm, size), cells[0].n_features) for size in sizes]
            said = [f"{one.value:.3f} ({one.low:.3f} to {one.high:.3f})" for one in found]
            values, low, high = zip(*((one.value, one.low, one.high) for one in found), strict=True)
            lines.append(_line(run, arm, sizes, values, said, low, high))
    if not lines:
        return None
    note = "Nogueira's measure over seeds; band: 95 % interval. 1: always the same features, 0: as if drawn at random."
    sizes_drawn = [[int(size) for size in line.x] for line in lines]
    return _by_size("Stability at every size", lines, sizes_drawn, "stability (Nogueira)", note)


def _line(
    run: Run,
    arm: str,
    sizes: Sequence[int],
    values: Sequence[float],
    said: Sequence[object],
    low: Sequence[float],
    high: Sequence[float],
) -> Series:
    k, size = run.arms.index(arm), 6 if len(sizes) <= _FEW else 0
    return Series("line", arm, sizes, values, arm_color(k), low, high, arm_dash(k), size, said=said, arm=k)
