"""The tables of a run, and all of them as Markdown, LaTeX or CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sweepless._csv import as_csv
from sweepless._phrases import ranges
from sweepless.reports.records import Run
from sweepless.reports.run_statistics import (
    MINIMUM,
    PHASES,
    Measure,
    arm_means,
    chosen_sizes,
    measures,
    modelled_minutes,
    paired_tests,
    references,
    spread,
    subsets_at,
)
from sweepless.reports.table import Column, Spread, Table, Tag, Value, latex_escaped, markdown_escaped, written
from sweepless.stability import stability

_STD = "Mean ± sample standard deviation (n − 1) over seeds; the highest mean in bold."
_N_TOP = 20
_ARM = Column("arm", is_number=False)


def arm_tag(run: Run, arm: str) -> Tag:
    return Tag(arm, f"arm arm-{run.arms.index(arm)}")


def arms_table(run: Run) -> Table:
    """Return what every arm is: its method, the options that not all arms share, its seeds."""
    common = common_options(run)
    rows: list[list[Value]] = []
    for arm in run.arms:
        cells = run.of(arm)
        own = [(name, value) for name, value in _options(cells[0].options) if name not in common]
        options = ", ".join(f"{name} = {plain_option(value)}" for name, value in own)
        reasons = ", ".join(sorted({cell.stop_reason for cell in cells}))
        rows.append([arm_tag(run, arm), cells[0].method, options, ranges([cell.seed for cell in cells]), reasons])
    names = ("arm", "method", "options", "seeds", "stopped by")
    return Table("The arms", [Column(name, is_number=False) for name in names], rows)


def common_options(run: Run) -> dict[str, Any]:
    """Return the options that have the same value in all arms, if there are several."""
    first, *others = [dict(_options(run.of(arm)[0].options)) for arm in run.arms]
    return {name: value for name, value in first.items() if others and all(o.get(name) == value for o in others)}


def value_table(run: Run, measure: Measure, sizes: Sequence[int]) -> Table:
    """Return mean ± std of a measure at the chosen sizes, one row per arm."""
    found = arm_means(run, measure)
    sizes = [size for size in sizes if any(size in one.sizes for one in found)]
    rows: list[list[Value]] = [[arm_tag(run, one.arm), *(one.at(size) for size in sizes)] for one in found]
    marked = set()
    for place in range(1, len(sizes) + 1):
        means = {at: value.mean for at, row in enumerate(rows) if isinstance(value := row[place], Spread)}
        if len(rows) > 1 and means:
            marked |= {(at, place) for at, mean in means.items() if mean == max(means.values())}
    columns = [_ARM, *(Column(f"d\u00a0=\u00a0{size:,}") for size in sizes)]
    held = references(run, measure)
    note = _STD + "".join(f" {name.capitalize()}: {written(of, '.4f')}." for name, of in held.items())
    return Table(f"{measure.headline} at chosen sizes", columns, rows, note, frozenset(marked))


def tests_table(run: Run, measure: Measure, size: int) -> Table:
    """Return the paired tests between all arms at one size."""
    tests = paired_tests(run, measure, size)
    columns = [Column("first", is_number=False), Column("second", is_number=False), Column("n")]
    columns += [Column("difference", "+.4f"), Column("t", ".2f"), Column("p (t)", ".2g")]
    columns += [Column("W", ".1f"), Column("p (W)", ".2g"), Column("remark", is_number=False)]
    rows: list[list[Value]] = []
    for one in tests:
        arms = [arm_tag(run, one.first), arm_tag(run, one.second)]
        rows.append([*arms, one.n, one.difference, one.t, one.t_p, one.w, one.w_p, one.why])
    tested = sum(test.w_p is not None for test in tests)
    note = (
        "Difference: mean of first − second over paired seeds. t: paired t test; W: Wilcoxon's signed ranks; both "
        f"two-sided, from {MINIMUM} pairs on, and not corrected for the {tested} "
        f"comparison{'' if tested == 1 else 's'} of this table."
    )
    return Table(f"{measure.headline}, d = {size:,}", columns, rows, note)


def stability_table(run: Run, sizes: Sequence[int]) -> Table:
    """Return how much the subsets of every arm agree over seeds."""
    rows: list[list[Value]] = []
    for arm in run.arms:
        for size in sizes:
            if len(subsets := subsets_at(run, arm, size)) > 1:
                found = stability(subsets, run.cells[0].n_features)
                reach = f"{written(found.nogueira.low, '.3f')}\u00a0to\u00a0{written(found.nogueira.high, '.3f')}"
                numbers = [found.ati, found.cw_rel, found.anhi, found.nogueira.value]
                rows.append([arm_tag(run, arm), size, len(subsets), *numbers, reach])
    columns = [_ARM, Column("size"), Column("runs"), Column("ATI", ".3f")]
    columns += [Column("CW rel", ".3f"), Column("ANHI", ".3f"), Column("Nogueira", ".3f"), Column("95 % interval")]
    note = "1: all runs chose the same features. At least two runs are needed."
    return Table("Stability over seeds", columns, rows, note)


def features_table(run: Run, size: int) -> Table:
    """Return the features chosen most often at one size, with a count for every arm."""
    counts: dict[int, dict[str, int]] = {}
    runs = {arm: sum(size in cell.by_size for cell in run.of(arm)) for arm in run.arms}
    for cell in run.cells:
        for feature in cell.by_size[size].features if size in cell.by_size else ():
            of_arm = counts.setdefault(feature, dict.fromkeys(run.arms, 0))
            of_arm[cell.arm] += 1
    ordered = sorted(counts, key=lambda feature: (-sum(counts[feature].values()), feature))
    rows: list[list[Value]] = [
        [
            *([] if run.feature_names is None else [run.feature_name(feature)]),
            feature,
            sum(counts[feature].values()),
            *(counts[feature][arm] if runs[arm] else None for arm in run.arms),
        ]
        for feature in ordered[:_N_TOP]
    ]
    columns = [] if run.feature_names is None else [Column("name", is_number=False)]
    columns += [Column("feature"), Column("all"), *(Column(f"{arm} (of {runs[arm]})") for arm in run.arms)]
    note = f"The {min(_N_TOP, len(ordered))} most often chosen of {len(ordered):,} features that were chosen at all."
    return Table(f"Features chosen at size {size:,}", columns, rows, note)


def anatomy_table(run: Run) -> Table:
    """Return how many evaluations every arm spent on which purpose."""
    used = [phase for phase in PHASES if any(cell.phases[phase] for cell in run.cells)]
    rows: list[list[Value]] = []
    for arm in run.arms:
        cells = run.of(arm)
        counts = [[cell.phases[phase] for cell in cells] for phase in used]
        parts = [spread(count) if any(count) else None for count in [*counts, [cell.n_evaluations for cell in cells]]]
        rows.append([arm_tag(run, arm), *parts])
    columns = [_ARM, *(Column(PHASES[phase], ",.0f") for phase in used)]
    return Table("Evaluations by purpose", [*columns, Column("all", ",.0f")], rows, "Mean ± sample std over seeds.")


def cost_table(run: Run) -> Table:
    """Return what every arm cost: evaluations, sizes, seconds, and minutes by the cost model."""
    rows: list[list[Value]] = []
    for arm in run.arms:
        cells = run.of(arm)
        evaluated = sum(cell.n_evaluations for cell in cells)
        sizes = [cell.sum_of_sizes for cell in cells]
        mean_size = sum(filter(None, sizes)) / evaluated if evaluated and None not in sizes else None
        rows.append(
            [
                arm_tag(run, arm),
                spread([cell.n_evaluations for cell in cells]) if evaluated else None,
                mean_size,
                spread([cell.search_seconds for cell in cells if cell.search_seconds is not None]),
                spread([cell.seconds for cell in cells if cell.seconds is not None]),
                spread([minutes for cell in cells if (minutes := modelled_minutes(run, cell)) is not None]),
            ]
        )
    columns = [_ARM, Column("evaluations", ",.0f"), Column("mean size evaluated", ",.1f")]
    columns += [Column("search, s", ",.1f"), Column("cell, s", ",.1f"), Column("modelled, min", ",.2f")]
    kept = [k for k in range(len(columns)) if k < 2 or any(row[k] is not None for row in rows)]
    note = "Per cell, mean ± sample std over seeds. Seconds depend on the machine and its load."
    if run.cost_model is not None:
        note += f" Modelled: {run.cost_model[0]:g} + {run.cost_model[1]:g} d ms for an evaluation of d features."
    return Table("Cost", [columns[k] for k in kept], [[row[k] for k in kept] for row in rows], note)


def all_tables(run: Run, sizes: Sequence[int] | None = None) -> Iterator[Table]:
    """Yield every table of a run, in the order of the page."""
    sizes = chosen_sizes(run) if sizes is None else sizes
    yield arms_table(run)
    for measure in measures(run):
        yield value_table(run, measure, sizes)
    if len(run.arms) > 1 and len(run.seeds) > 1:
        for measure in measures(run):
            for size in sizes:
                yield tests_table(run, measure, size)
    yield anatomy_table(run)
    yield cost_table(run)
    if len(run.seeds) > 1:
        yield stability_table(run, sizes)
    for size in sizes:
        yield features_table(run, size)


def _options(options: Any) -> list[tuple[str, Any]]:
    """Return the options of an arm that its name and method do not already say."""
    return [(name, value) for name, value in options.items() if name not in ("name", "method") and value is not None]


def plain_option(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} = {plain_option(entry)}" for name, entry in value.items()) + "}"
    return str(value)


def rows_csv(runs: Sequence[Run]) -> str:
    """Return one line per run, arm, seed and size, in full precision, without the features."""
    classifiers = list(dict.fromkeys(name for run in runs for name in run.classifiers))
    head = ["run", "arm", "seed", "size", "value", *(f"holdout_{name}" for name in classifiers)]
    lines: list[list[object]] = [[*head, "n_evaluations", "sum_of_sizes"]]
    for run in runs:
        for cell in run.cells:
            for row in cell.rows:
                measured = [row.value, *(row.holdout.get(name) for name in classifiers)]
                spent = [row.n_evaluations, row.sum_of_sizes]
                lines.append([run.name, cell.arm, cell.seed, row.size, *measured, *spent])
    return as_csv(lines)


def subsets_csv(run: Run, sizes: Sequence[int]) -> str:
    """Return one line per arm, seed, chosen size and feature, with the feature's name."""
    lines: list[list[object]] = [["arm", "seed", "size", "feature", "name"]]
    for cell in run.cells:
        for size in sizes:
            if size in cell.by_size:
                for feature in cell.by_size[size].features:
                    lines.append([cell.arm, cell.seed, size, feature, run.feature_name(feature)])
    return as_csv(lines)


def markdown_tables(runs: Sequence[Run], sizes: Sequence[int] | None = None) -> str:
    """Return all tables of some runs, at the given or a few round sizes, as Markdown."""
    parts = [(f"## {markdown_escaped(run.title)}\n", *(t.markdown() for t in all_tables(run, sizes))) for run in runs]
    return "\n".join(text for part in parts for text in part)


def latex_tables(runs: Sequence[Run], sizes: Sequence[int] | None = None) -> str:
    """Return all tables of some runs as LaTeX, to be `\\input`; the document needs `\\usepackage{booktabs}`."""
    heads = [f"\\subsection*{{{latex_escaped(run.title)}}}\n" for run in runs]
    parts = [(head, *(t.latex() for t in all_tables(run, sizes))) for head, run in zip(heads, runs, strict=True)]
    return "\n".join(text for part in parts for text in part)
