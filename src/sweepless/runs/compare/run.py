"""Run a comparison: the searches as a campaign, then the peers, all in one run directory that can be gone on with."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed

from sweepless._workers import tied_to_us
from sweepless.data import load
from sweepless.dataset import Dataset
from sweepless.runs import parse_spec, run_campaign
from sweepless.runs.compare.cell import RANDOM, PeerCell
from sweepless.runs.compare.plan import SEARCH, Plan, Request, plan
from sweepless.runs.progress import CellBar
from sweepless.runs.sources import key_of
from sweepless.runs.store import RunDirectory


def compare(
    request: Request,
    path: str | Path,
    *,
    n_jobs: int = 1,
    data_dir: str | Path | None = None,
    show_progress: bool = False,
    command: Sequence[str] = (),
) -> Plan:
    """Compare selectors on some data, or go on with a comparison that was interrupted.

    Returns what was planned; `sweepless.reports.comparison` makes tables, conclusions and a page of the run directory.

    Parameters
    ----------
    request : Request
    path : path-like
        The run directory: a new one, or one of the same request and data.
    n_jobs : int
        Cells at a time, -1 for all cores; the rows do not depend on it.
    data_dir : path-like, optional
        Where the named sets are; see `sweepless.data.find_data_dir`.
    show_progress : bool
    command : sequence of str
        What a reader may type to run it again.
    """
    data = load(request.source, label=request.label, drop=request.drop, data_dir=data_dir)
    planned = plan(request, data)
    data = data.with_task(planned.task)
    spec = parse_spec(planned.spec, "the comparison")
    run_campaign(
        spec, path, n_jobs=n_jobs, data_dir=data_dir, show_progress=show_progress, command=["sweepless", *command]
    )
    _run_peers(planned, request.seeds, data, RunDirectory(path), n_jobs, show_progress)
    return planned


def _run_peers(
    planned: Plan, seeds: Sequence[int], data: Dataset, store: RunDirectory, n_jobs: int, show_progress: bool
) -> None:
    """Run the peers' cells that are not there yet, seed by seed."""
    key = key_of(data)
    records, _ = store.records()
    spent = {record["seed"]: record["n_evaluations"] for record in records if record["arm"] == SEARCH}
    cells = [
        PeerCell(arm, seed, key, spent[seed] if arm.name == RANDOM else None) for seed in seeds for arm in planned.peers
    ]
    with store.claimed():
        present = set(store.ids()).intersection(cell.id for cell in cells)
        finished = present.difference(store.damaged(present))
        todo = [cell for cell in cells if cell.id not in finished]
        if not todo:
            return
        with CellBar(len(cells), len(cells) - len(todo), shown=show_progress) as bar:
            parallel = Parallel(n_jobs, return_as="generator_unordered", **tied_to_us())
            jobs = (delayed(_timed)(cell, data) for cell in todo)
            for record, seconds, choosing in parallel(jobs):
                store.keep(record, seconds, choosing)
                bar.advance(record["arm"], seconds)


def _timed(cell: PeerCell, data: Dataset) -> tuple[dict[str, Any], float, float]:
    began = time.monotonic()
    record, choosing = cell.record(data)
    return record, time.monotonic() - began, choosing
