"""Runs as files without pictures: rows as CSV, all tables as Markdown or LaTeX."""

from __future__ import annotations

from collections.abc import Sequence

from sweepless._csv import as_csv
from sweepless.reports.records import Run
from sweepless.reports.run_tables import all_tables
from sweepless.reports.summary import chosen_sizes
from sweepless.reports.table import latex_escaped, markdown_escaped


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
    parts = []
    for run in runs:
        parts.append(f"## {markdown_escaped(run.title)}\n")
        parts += [table.markdown() for table in all_tables(run, chosen_sizes(run) if sizes is None else sizes)]
    return "\n".join(parts)


def latex_tables(runs: Sequence[Run], sizes: Sequence[int] | None = None) -> str:
    """Return all tables of some runs as LaTeX, to be `\\input`; the document needs `\\usepackage{booktabs}`."""
    parts = []
    for run in runs:
        parts.append(f"\\subsection*{{{latex_escaped(run.title)}}}\n")
        parts += [table.latex() for table in all_tables(run, chosen_sizes(run) if sizes is None else sizes)]
    return "\n".join(parts)
