"""A comparison as one self-contained page."""

from __future__ import annotations

from sweepless.reports.report import render_report
from sweepless.runs.compare.run import Comparison


def render_comparison(found: Comparison) -> str:
    """Return the page: what it shows in words first, then every chart and table of the run."""
    run = found.run
    return render_report(run, sizes=found.results.sizes, said=found.conclusions(), notes=found.plan.notes)
