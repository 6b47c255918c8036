"""`sweepless run`: a campaign from its spec, begun or continued."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from sweepless.cli import arguments
from sweepless.errors import CampaignError, InputError

_EPILOG = """The same command continues a campaign that was stopped, killed or interrupted: finished cells are kept and
never run twice, and the rows are the same as if nothing had happened.

examples:
  sweepless run spec.toml -o RUN --jobs -1
  sweepless run spec.toml -o RUN --backend dask --scheduler tcp://10.0.0.1:8786"""


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "run",
        help="run a campaign: methods, seeds and data from a TOML spec",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(call=run)
    parser.add_argument("spec", metavar="SPEC", help="a TOML file")
    parser.add_argument("-o", "--output", required=True, metavar="RUN", help="the directory of the run")
    parser.add_argument(
        "--jobs", type=arguments.whole, default=1, metavar="N", help="cells at a time, -1 for all cores (default 1)"
    )
    parser.add_argument(
        "--backend",
        choices=["loky", "threading", "multiprocessing", "dask", "ray"],
        default="loky",
        help="of joblib (default loky: processes of this machine)",
    )
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask cluster, for --backend dask")
    parser.add_argument("--data-dir", help="where the named sets are (default: $SWEEPLESS_DATA, then the user cache)")
    parser.add_argument("--quiet", action="store_true", help="no progress line")
    parser.add_argument("--debug", action="store_true", help="show tracebacks")


def run(parsed: argparse.Namespace) -> int:
    import sweepless.paper  # noqa: F401 - adds its data sets by name
    from sweepless.runs import read_spec, run_campaign

    spec = read_spec(parsed.spec)
    try:
        summary = run_campaign(
            spec,
            parsed.output,
            n_jobs=parsed.jobs,
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
    print(f"{spec.name}: {summary.n_cells} cells in {summary.path} ({summary.n_new} new{again}, {before} there before)")
    numbers = f"{summary.n_samples:,} numbers, predicted by regression"
    print(f"target: {numbers if summary.n_classes is None else f'{summary.n_classes:,} classes'}")
    return 0
