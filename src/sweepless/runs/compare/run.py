"""Run a comparison: a campaign of searches and of the peers that they are compared with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sweepless._phrases import shortened_list
from sweepless.data import load
from sweepless.reports.records import Run
from sweepless.reports.rundir import read_run
from sweepless.reports.table import Table
from sweepless.runs import parse_spec, run_campaign
from sweepless.runs.compare.conclusion import conclude, judges
from sweepless.runs.compare.plan import Plan, Request, plan
from sweepless.runs.compare.results import VALUE, Results
from sweepless.runs.compare.tables import cost_table, size_table


@dataclass(frozen=True)
class Comparison:
    """A finished comparison: what was planned, and what came out."""

    plan: Plan
    run: Run

    def __repr__(self) -> str:
        return f"Comparison of {shortened_list(self.run.arms)} on {self.headline()}"

    @cached_property
    def results(self) -> Results:
        return Results(self.run)

    def tables(self) -> list[Table]:
        """Return the holdout of every classifier or regressor, the values that were optimised, and the cost."""
        score = "accuracy" if self.plan.task == "classification" else "R²"
        holdouts = [
            size_table(self.results, name, f"Holdout {score} ({name}): mean ± standard deviation over seeds, by size")
            for name in judges(self.results, self.plan.same)
        ]
        value = size_table(
            self.results, VALUE, "Criterion value on the training part, which searches maximise, by size"
        )
        return [*holdouts, value, cost_table(self.results)]

    def headline(self) -> str:
        """Say in one line what was compared on what."""
        data, cell = self.run.data, self.run.cells[0]
        target = "numbers to predict" if data["n_classes"] is None else f"{data['n_classes']} classes"
        return (
            f"{data['name']}: {data['n_samples']:,} samples, {data['n_features']:,} features, {target}. "
            f"{len(self.run.seeds)} splits: {cell.n_train:,} samples to select on by {cell.criterion}, "
            f"{cell.n_test:,} to test on."
        )

    def conclusions(self) -> list[str]:
        return conclude(self.results, self.plan.same)


def compare(
    request: Request,
    path: str | Path,
    *,
    n_jobs: int = 1,
    data_dir: str | Path | None = None,
    show_progress: bool = False,
    command: Sequence[str] = (),
) -> Comparison:
    """Compare selectors on some data, or go on with a comparison that was interrupted.

    Parameters
    ----------
    request : Request
    path : path-like
        The run directory: a new one, or one of the same request and data.
    n_jobs : int
        Cells at a time, -1 for all cores; the rows do not depend on it.
    data_dir : path-like, optional
        Where the named sets are; see `sweepless.paper.find_data_dir`.
    show_progress : bool
    command : sequence of str
        What a reader may type to run it again.
    """
    data = load(request.source, label=request.label, drop=request.drop, data_dir=data_dir)
    planned = plan(request, data)
    run_campaign(
        parse_spec(planned.spec, "the comparison"),
        path,
        peers=planned.peers,
        n_jobs=n_jobs,
        data_dir=data_dir,
        show_progress=show_progress,
        command=["sweepless", *command],
    )
    return Comparison(planned, read_run(path))
