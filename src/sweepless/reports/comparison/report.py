"""A finished comparison: its tables for a terminal, its conclusions, its page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from sweepless._phrases import shortened_list
from sweepless.reports.comparison.conclusion import conclude, judges, spoken
from sweepless.reports.comparison.results import VALUE, Results
from sweepless.reports.records import Run
from sweepless.reports.run_page import render_runs
from sweepless.reports.rundir import read_run
from sweepless.reports.table import Column, Table, Value, written


class Planned(Protocol):
    """What a report must know of a comparison beside its rows.

    Attributes
    ----------
    same : str or None
        The classifier or regressor whose score the criterion estimates, if it estimates one.
    notes : sequence of str
        What a reader must know about how it was run.
    """

    @property
    def same(self) -> str | None: ...

    @property
    def notes(self) -> Sequence[str]: ...


@dataclass(frozen=True)
class Comparison:
    """What was planned, and what came out."""

    plan: Planned
    run: Run

    def __repr__(self) -> str:
        return f"Comparison of {shortened_list(self.run.arms)} on {self.headline()}"

    @cached_property
    def results(self) -> Results:
        return Results(self.run)

    def headline(self) -> str:
        """Say in one line what was compared on what."""
        data, cell = self.run.data, self.run.cells[0]
        target = "numbers to predict" if data["n_classes"] is None else f"{data['n_classes']} classes"
        return (
            f"{data['name']}: {data['n_samples']:,} samples, {data['n_features']:,} features, {target}. "
            f"{len(self.run.seeds)} splits: {cell.n_train:,} samples to select on by {cell.criterion}, "
            f"{cell.n_test:,} to test on."
        )

    def tables(self) -> list[Table]:
        """Return the holdout of all judges together and of each, the values that were optimized, and the cost."""
        score = "R²" if self.run.data["n_classes"] is None else "accuracy"
        holdouts = [
            _size_table(
                self.results,
                judge,
                f"Holdout {score} ({spoken(self.results, judge)}): mean ± standard deviation over seeds, by size",
            )
            for judge in judges(self.results, self.plan.same)
        ]
        title = "Criterion value on the training part, which the searches maximize, by size"
        return [*holdouts, _size_table(self.results, VALUE, title), _cost_table(self.results)]

    def conclusions(self) -> list[str]:
        """Say what the comparison shows."""
        return conclude(self.results, self.plan.same)

    def to_dict(self) -> dict[str, Any]:
        """Return what was found as plain values: one entry per arm, size and measure, and what each arm cost."""
        results, measures = self.results, [*judges(self.results, self.plan.same), VALUE]
        places = [(arm, size, size) for arm in results.arms for size in results.sizes]
        if results.reference is not None:
            places.append((results.reference, 0, results.n_features))
        return {
            "headline": self.headline(),
            "found": [
                {"arm": arm, "size": shown, "measure": measure} | asdict(results.spread(arm, size, measure))
                for arm, size, shown in places
                for measure in measures
                if results.has(arm, size, measure)
            ],
            "cost": [
                {"arm": arm, "n_evaluations": results.n_evaluations(arm), "seconds": results.seconds(arm)}
                for arm in results.arms
            ],
            "conclusions": self.conclusions(),
            "notes": list(self.plan.notes),
        }

    def page(self) -> str:
        """Return the page: the conclusions first, then every chart and table of the run."""
        return render_runs(self.run, sizes=self.results.sizes, said=self.conclusions(), notes=self.plan.notes)


def read_comparison(path: str | Path, plan: Planned) -> Comparison:
    """Read what `compare` wrote into a run directory; `plan` is what it returned."""
    return Comparison(plan, read_run(path))


def _size_table(results: Results, what: str, title: str) -> Table:
    """Return what every arm reached at every size, with the best of each size marked and all features below."""
    best = {size: arms[0] for size in results.sizes if (arms := results.arms_at(size, what))}
    rows: list[Sequence[Value]] = [
        [arm, *(results.spread(arm, size, what) if results.has(arm, size, what) else None for size in results.sizes)]
        for arm in results.arms
    ]
    marked = frozenset((results.arms.index(arm), results.sizes.index(size) + 1) for size, arm in best.items())
    note = "* the highest mean of a size."
    if results.reference is not None and results.has(results.reference, 0, what):
        every = written(results.spread(results.reference, 0, what), ".3f")
        note += f" All {results.n_features} features: {' '.join(every.split())}."
    return Table(title, [Column("", is_number=False), *_columns(results, ".3f")], rows, note, marked)


def _cost_table(results: Results) -> Table:
    """Return what choosing cost on one seed, and how much the subsets of the seeds agree."""
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


def _columns(results: Results, form: str) -> list[Column]:
    return [Column(str(size), form) for size in results.sizes]
