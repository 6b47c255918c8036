"""`sweepless run`, `status` and `export`: a campaign from its spec, how far it is, and its rows as one table."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sweepless.cli import arguments
from sweepless.cli.output import add_json, put_json, report_damage, require_json, say
from sweepless.cli.parser import add_command
from sweepless.errors import CampaignError, InputError

_ABOUT = """The same command continues a campaign that was stopped, killed or interrupted: finished cells are kept and
never run twice, and the rows are the same as if nothing had happened."""


def add_to(commands: Any) -> None:
    begin = add_command(
        commands,
        "run",
        run,
        "run a campaign: methods, seeds and data from a TOML spec",
        guide="campaigns",
        examples=(
            "run spec.toml -o RUN --n-jobs -1",
            "run spec.toml -o RUN --backend dask --scheduler tcp://10.0.0.1:8786",
        ),
        about=_ABOUT,
    )
    begin.add_argument("spec", metavar="SPEC", help="a TOML file")
    begin.add_argument("-o", "--output", required=True, metavar="RUN", help="the directory of the run")
    arguments.add_n_jobs(begin, default=1)
    begin.add_argument(
        "--backend",
        choices=["loky", "threading", "multiprocessing", "dask", "ray"],
        default="loky",
        help="of joblib (default loky: processes of this machine)",
    )
    begin.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask cluster, for --backend dask")
    arguments.add_data_dir(begin)
    arguments.add_quiet(begin)
    add_json(begin)
    look = add_command(
        commands,
        "status",
        status,
        "show how far a campaign is",
        guide="campaigns",
        examples=("status RUN", "status RUN --json -"),
    )
    look.add_argument("run", metavar="RUN", help="what `sweepless run -o RUN` writes")
    add_json(look)
    write = add_command(
        commands,
        "export",
        export,
        "write the rows of a campaign as CSV, Parquet or JSON",
        guide="campaigns",
        examples=("export RUN --csv rows.csv", "export RUN --json -"),
    )
    write.add_argument("run", metavar="RUN", help="what `sweepless run -o RUN` wrote")
    formats = write.add_mutually_exclusive_group(required=True)
    for name in ("csv", "parquet"):
        formats.add_argument(f"--{name}", metavar="FILE")
    formats.add_argument("--json", metavar="FILE|-", help="a list of objects, one per row; - prints it")


def run(parsed: argparse.Namespace) -> int:
    import sweepless.paper  # noqa: F401 - adds its data sets by name
    from sweepless.runs import read_spec, run_campaign

    require_json(parsed)
    spec = read_spec(parsed.spec)
    try:
        summary = run_campaign(
            spec,
            parsed.output,
            n_jobs=parsed.n_jobs,
            backend=parsed.backend,
            scheduler=parsed.scheduler,
            data_dir=parsed.data_dir,
            show_progress=not parsed.quiet,
            command=["sweepless", *parsed.command_line],
        )
    except KeyboardInterrupt:
        kept = len(list((Path(parsed.output) / "cells").glob("*.json")))
        print(f"sweepless: interrupted; {kept} finished cells are kept, the same command goes on.", file=sys.stderr)
        return 1
    except InputError:
        raise
    except CampaignError as error:
        print(f"sweepless: {error}", file=sys.stderr)
        return 1
    before = summary.n_cells - summary.n_new
    again = f", of which {summary.n_damaged} for damaged ones" if summary.n_damaged else ""
    counts = f"{summary.n_new} new{again}, {before} there before"
    say(parsed, f"{spec.name}: {summary.n_cells} cells in {summary.path} ({counts})")
    numbers = f"{summary.n_samples:,} numbers, predicted by regression"
    say(parsed, f"target: {numbers if summary.n_classes is None else f'{summary.n_classes:,} classes'}")
    return put_json(parsed, {"name": spec.name} | asdict(summary))


def status(parsed: argparse.Namespace) -> int:
    from sweepless.runs.status import read_status

    require_json(parsed)
    found = read_status(parsed.run)
    width = max(len("all"), *(len(arm.name) for arm in found.arms))
    going = {True: "running", False: "not running", None: "running or not"}[found.is_running]
    say(parsed, f"{found.name}: {found.n_done} of {found.n_cells} cells done, {going}")
    say(parsed, f"{'arm':<{width}}  {'done':>6} {'missing':>8} {'evaluations':>14} {'seconds':>9} {'to come':>9}")
    for arm in (*found.arms, found.total):
        to_come = "?" if arm.seconds_left is None else f"{arm.seconds_left:.0f}"
        say(
            parsed,
            f"{arm.name:<{width}}  {arm.n_done:>6} {arm.n_cells - arm.n_done:>8} {arm.n_evaluations:>14,} "
            f"{arm.seconds:>9.1f} {to_come:>9}",
        )
    code = put_json(parsed, asdict(found) | {"n_cells": found.n_cells, "n_done": found.n_done})
    return report_damage(found.damaged) or code


def export(parsed: argparse.Namespace) -> int:
    from sweepless._needs import require
    from sweepless._writing import require_writable
    from sweepless.runs.export import WRITERS, as_json, long_table

    if parsed.json == "-":
        table, damaged = long_table(parsed.run)
        print(as_json(table))
        return report_damage(damaged)
    name = next(name for name in WRITERS if getattr(parsed, name) is not None)
    file = Path(getattr(parsed, name))
    require_writable(file)
    if name == "parquet":
        require("a Parquet file")
    table, damaged = long_table(parsed.run)
    WRITERS[name](table, file)
    print(f"{len(table)} rows in {file}")
    return report_damage(damaged)
