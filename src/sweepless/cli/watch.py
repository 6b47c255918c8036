"""`sweepless watch`: follow a run by its journal."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from sweepless.cli import arguments
from sweepless.errors import JournalError

if TYPE_CHECKING:
    from sweepless.journal.watch import WatchedRun

_PORT = 8765


def add_to(commands: Any) -> None:
    parser = arguments.add_command(
        commands, "watch", watch, "follow a run by its journal, in the terminal or a local page"
    )
    parser.add_argument("file", metavar="FILE", help="a journal; it is only read, and need not be there yet")
    parser.add_argument("--once", action="store_true", help="show the present state and exit")
    parser.add_argument(
        "--every", type=arguments.seconds, default=1.0, metavar="S", help="seconds between two looks (default 1)"
    )
    parser.add_argument(
        "--timeout", type=arguments.seconds, metavar="S", help="give up after so long without anything new"
    )
    parser.add_argument("--serve", action="store_true", help="show it as a page of a server on this machine")
    parser.add_argument(
        "--port", type=arguments.whole, default=_PORT, metavar="N", help=f"0 is any free one (default {_PORT})"
    )
    parser.add_argument("--host", default="127.0.0.1", help="an address others can reach, if that is what you want")


def watch(parsed: argparse.Namespace) -> int:
    from sweepless.journal.watch import WatchedRun

    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a terminal without blocks and dots still gets the numbers
    run = WatchedRun(parsed.file)
    if parsed.once:
        return _once(run, parsed.file)
    if parsed.serve:
        from sweepless.reports.live.server import serve

        serve(run, parsed.host, parsed.port, partial(print, flush=True))
        return 0
    return _follow(run, parsed)


def _once(run: WatchedRun, path: str) -> int:
    run.read()
    if run.state == "waiting":
        raise JournalError(f"a journal must begin with a whole header, got none in {path}.")
    _print(run)
    return 0


def _follow(run: WatchedRun, parsed: argparse.Namespace) -> int:
    from sweepless.reports.live.terminal import screen

    heard = time.monotonic()
    try:
        with screen() as show:
            while True:
                if run.refresh():
                    heard = time.monotonic()
                if run.state == "ended":
                    break
                show(run.to_dict())
                if parsed.timeout is not None and time.monotonic() - heard >= parsed.timeout:
                    print(f"sweepless: there was nothing new for {parsed.timeout:g} s.", file=sys.stderr)
                    return 1
                if run.state != "reading":
                    time.sleep(parsed.every)
    except KeyboardInterrupt:
        _print(run)
        print("\nno longer watched; the run itself was not touched.", file=sys.stderr)
        return 1
    _print(run)
    return 0


def _print(run: WatchedRun) -> None:
    from sweepless.reports.live.text import block

    print("\n".join(block(run.to_dict(), shutil.get_terminal_size().columns - 1)))
