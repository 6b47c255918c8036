"""A comparison as one self-contained page."""

from __future__ import annotations

from sweepless.compare.run import Comparison
from sweepless.reports.report import render_report


def render_comparison(found: Comparison) -> str:
    """Return the page: what it shows in words first, then every chart and table of the run."""
    run = found.run
    return render_report(run, sizes=found.results.sizes, said=found.conclusions(), notes=found.plan.notes)
