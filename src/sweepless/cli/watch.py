"""`sweepless watch`: follow a run by its journal."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sweepless.cli import arguments
from sweepless.cli.output import add_json, put_json, require_json, say
from sweepless.cli.parser import add_command
from sweepless.errors import JournalError

if TYPE_CHECKING:
    from sweepless.journal.watch import WatchedRun

_PORT = 8765


def add_to(commands: Any) -> None:
    parser = add_command(
        commands,
        "watch",
        watch,
        "follow a run by its journal, in the terminal or a local page",
        guide="watch",
        examples=("watch run.jsonl", "watch run.jsonl --serve", "watch run.jsonl --once --json -"),
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
    add_json(parser)


def watch(parsed: argparse.Namespace) -> int:
    from sweepless.journal.watch import WatchedRun

    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a terminal without blocks and dots still gets the numbers
    require_json(parsed)
    run = WatchedRun(parsed.file)
    if parsed.once:
        return _once(run, parsed)
    if parsed.serve:
        from sweepless.reports.live.server import serve

        serve(run, parsed.host, parsed.port, partial(print, flush=True))
        return 0
    return _follow(run, parsed)


def _once(run: WatchedRun, parsed: argparse.Namespace) -> int:
    run.read()
    if run.state == "waiting":
        got = "none in" if Path(parsed.file).exists() else "no file at"
        raise JournalError(f"a journal must begin with a whole header, got {got} {parsed.file}.")
    return _print(run, parsed)


def _follow(run: WatchedRun, parsed: argparse.Namespace) -> int:
    from sweepless.reports.live.terminal import screen

    heard = time.monotonic()
    try:
        with nullcontext(lambda state: None) if parsed.json == "-" else screen() as show:
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
        _print(run, parsed)
        print("\nno longer watched; the run itself was not touched.", file=sys.stderr)
        return 1
    return _print(run, parsed)


def _print(run: WatchedRun, parsed: argparse.Namespace) -> int:
    from sweepless.reports.live.text import block

    state = run.to_dict()
    say(parsed, "\n".join(block(state, shutil.get_terminal_size().columns - 1)))
    return put_json(parsed, state)
