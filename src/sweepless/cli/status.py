"""`sweepless status`: how far a campaign is."""

from __future__ import annotations

import argparse
from typing import Any

from sweepless.cli.show import told_damaged


def add_to(commands: Any) -> None:
    parser = commands.add_parser("status", help="show how far a campaign is")
    parser.set_defaults(call=status)
    parser.add_argument("run", metavar="RUN", help="what `sweepless run -o RUN` writes")
    parser.add_argument("--debug", action="store_true", help="show tracebacks")


def status(parsed: argparse.Namespace) -> int:
    from sweepless.runs.status import read_status

    found = read_status(parsed.run)
    width = max(len("all"), *(len(arm.name) for arm in found.arms))
    going = {True: "running", False: "not running", None: "running or not"}[found.is_running]
    print(f"{found.name}: {found.n_done} of {found.n_cells} cells done, {going}")
    print(f"{'arm':<{width}}  {'done':>6} {'missing':>8} {'evaluations':>14} {'seconds':>9} {'to come':>9}")
    for arm in (*found.arms, found.total):
        to_come = "?" if arm.seconds_left is None else f"{arm.seconds_left:.0f}"
        print(
            f"{arm.name:<{width}}  {arm.n_done:>6} {arm.n_cells - arm.n_done:>8} {arm.n_evaluations:>14,} "
            f"{arm.seconds:>9.1f} {to_come:>9}"
        )
    return told_damaged(found.damaged)
