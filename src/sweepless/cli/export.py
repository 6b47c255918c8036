"""`sweepless export`: the rows of a campaign as one long table."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from sweepless.cli.show import told_damaged


def add_to(commands: Any) -> None:
    parser = commands.add_parser("export", help="write the rows of a campaign as CSV, Parquet or JSON")
    parser.set_defaults(call=export)
    parser.add_argument("run", metavar="RUN", help="what `sweepless run -o RUN` wrote")
    formats = parser.add_mutually_exclusive_group(required=True)
    for name in ("csv", "parquet", "json"):
        formats.add_argument(f"--{name}", metavar="FILE")
    parser.add_argument("--debug", action="store_true", help="show tracebacks")


def export(parsed: argparse.Namespace) -> int:
    from sweepless._needs import require
    from sweepless._writing import require_writable
    from sweepless.runs.export import WRITERS, long_table

    name = next(name for name in WRITERS if getattr(parsed, name) is not None)
    file = Path(getattr(parsed, name))
    require_writable(file)
    if name == "parquet":
        require("a Parquet file")
    table, damaged = long_table(parsed.run)
    WRITERS[name](table, file)
    print(f"{len(table)} rows in {file}")
    return told_damaged(damaged)
