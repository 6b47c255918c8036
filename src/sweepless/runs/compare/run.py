"""Run a comparison: a campaign of searches and of the peers that they are compared with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sweepless.data import load
from sweepless.runs import parse_spec, run_campaign
from sweepless.runs.compare.plan import Plan, plan
from sweepless.runs.compare.request import Request


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
    return planned
