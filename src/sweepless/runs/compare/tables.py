"""A comparison as tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from sweepless.reports.table import Column, Spread, Table, Value, written
from sweepless.runs.compare.cell import ALL
from sweepless.runs.compare.results import VALUE, Results


def size_table(results: Results, what: str, title: str) -> Table:
    """Return what every arm reached at every size, the best of a size marked; all features below."""
    best = {size: arms[0] for size in results.sizes if (arms := results.arms_at(size, what))}
    rows: list[Sequence[Value]] = []
    for arm in results.arms:
        row: list[Value] = [arm]
        for size in results.sizes:
            if results.has(arm, size, what):
                row.append(_spread(results, arm, size, what))
            else:
                row.append(None)
        rows.append(row)
    marked = frozenset((results.arms.index(arm), results.sizes.index(size) + 1) for size, arm in best.items())
    note = "* the highest mean of a size."
    if results.has(ALL, 0, what):
        every = written(_spread(results, ALL, 0, what), ".3f")
        note += f" All {results.n_features} features: {' '.join(every.split())}."
    return Table(title, [Column("", is_number=False), *_columns(results, ".3f")], rows, note, marked)


def cost_table(results: Results) -> Table:
    """Return what choosing cost on a seed, and how much the seeds agree."""
    rows: list[Sequence[Value]] = [
        [
            arm,
            round(results.n_evaluations(arm)),
            results.seconds(arm),
            *(results.stability(arm, size) if results.has(arm, size, VALUE) else None for size in results.sizes),
        ]
        for arm in results.arms
    ]
    columns = [Column("", is_number=False), Column("evaluations"), Column("seconds", ".1f"), *_columns(results, ".2f")]
    title = "What choosing cost on one seed, and how much the subsets of the seeds agree (1 all, 0 as by chance)"
    return Table(title, columns, rows)


def _spread(results: Results, arm: str, size: int, what: str) -> Spread:
    return Spread(results.mean(arm, size, what), results.spread(arm, size, what), len(results.run.seeds))


def _columns(results: Results, form: str) -> list[Column]:
    return [Column(str(size), form) for size in results.sizes]
