"""`sweepless report`: a page, tables and figures from run directories."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from sweepless._needs import require
from sweepless._writing import require_writable, require_writable_directory, write_whole
from sweepless.cli import arguments
from sweepless.cli.output import add_json, put_json, report_damage, require_json, say
from sweepless.cli.parser import add_command

_EXAMPLES = (
    "report runs/tradeoff -o tradeoff.html",
    "report runs/tradeoff --latex tables.tex --figures figures --sizes 20,100",
)


def add_to(commands: Any) -> None:
    parser = add_command(
        commands,
        "report",
        report,
        "write a page, tables and figures of finished or unfinished runs",
        guide="command-line",
        examples=_EXAMPLES,
    )
    parser.add_argument("runs", metavar="RUN", nargs="+", help="a directory that `sweepless run` wrote")
    parser.add_argument("-o", "--output", metavar="FILE", help="the page (default report.html if nothing is asked for)")
    parser.add_argument("--markdown", metavar="FILE", help="all tables as Markdown")
    parser.add_argument("--latex", metavar="FILE", help="all tables as LaTeX (they need the package booktabs)")
    parser.add_argument("--csv", metavar="FILE", help="all rows: one line per run, arm, seed and size")
    parser.add_argument("--figures", metavar="DIR", help="every figure as PNG and SVG (needs matplotlib)")
    parser.add_argument("--title", help="of the page (default: of the run)")
    parser.add_argument("--sizes", type=_sizes, metavar="N,N…", help="sizes of the tables (default: a few round ones)")
    add_json(parser)


def report(parsed: argparse.Namespace) -> int:
    from sweepless.reports.run_page import render_runs
    from sweepless.reports.run_tables import latex_tables, markdown_tables, rows_csv
    from sweepless.reports.rundir import read_run

    asked = (parsed.markdown, parsed.latex, parsed.csv)
    require_json(parsed)
    if parsed.output is None and not any([*asked, parsed.figures]):
        parsed.output = "report.html"
    for path in filter(None, [parsed.output, *asked]):
        require_writable(path)
    if parsed.output is not None:
        require("a page")
    if parsed.figures is not None:
        require("a picture")
        require_writable_directory(parsed.figures)
    runs = [read_run(path) for path in parsed.runs]
    for run in runs:
        missing = f", {run.n_missing} missing" if run.n_missing else ""
        say(parsed, f"read      {run.path}: {len(run.cells)} cells{missing}")
    if parsed.output is not None:
        write_whole(parsed.output, render_runs(runs, title=parsed.title, sizes=parsed.sizes))
    if parsed.markdown is not None:
        write_whole(parsed.markdown, markdown_tables(runs, parsed.sizes))
    if parsed.latex is not None:
        write_whole(parsed.latex, latex_tables(runs, parsed.sizes))
    if parsed.csv is not None:
        write_whole(parsed.csv, rows_csv(runs))
    written = [path for path in (parsed.output, *asked) if path is not None]
    if parsed.figures is not None:
        from sweepless.reports.figures import write_figures

        written += map(str, write_figures(runs, Path(parsed.figures)))
    for path in written:
        say(parsed, f"wrote     {path}")
    read = [
        {"path": str(run.path), "n_cells": len(run.cells), "n_missing": run.n_missing, "damaged": list(run.damaged)}
        for run in runs
    ]
    code = put_json(parsed, {"runs": read, "written": written})
    return report_damage([reason for run in runs for reason in run.damaged]) or code


def _sizes(text: str) -> list[int]:
    parts = text.split(",")
    if not all(arguments.is_whole(part.strip()) and int(part) > 0 for part in parts):
        raise argparse.ArgumentTypeError(f"sizes must look like 20,100, got {arguments.shown(text)}")
    return sorted({int(part) for part in parts})
