"""Commands, exit codes and errors: 0 there is a result, 1 failed or nothing found, 2 usage or bad input."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from sweepless._version import __version__
from sweepless.errors import SweeplessError


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one sentence, without the whole usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def build_parser() -> Parser:
    # Imported here so that `sweepless --version` loads nothing heavy.
    from sweepless.cli import campaign, compare, methods, report, reproduce, resume, select, warm, watch

    parser = Parser(prog="sweepless", description="Sequential feature selection without the sweep.")
    parser.add_argument("--version", action="version", version=f"sweepless {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=Parser, metavar="COMMAND")
    for module in (select, resume, compare, watch, campaign, report, methods, reproduce, warm):
        module.add_to(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # names from files may be what no terminal can show
    parsed = build_parser().parse_args(arguments)
    parsed.command_line = sys.argv[1:] if arguments is None else list(arguments)
    try:
        with _terminated_like_interrupted():
            code: int = parsed.call(parsed)
        return code
    except SweeplessError as error:
        return _failed(str(error), 2, parsed.debug)
    except OSError as error:
        return _failed(f"{error.filename or 'a file'} could not be used: {error.strerror or error}.", 2, parsed.debug)
    except KeyboardInterrupt:
        return _failed("interrupted.", 1, parsed.debug)
    except MemoryError:
        return _failed("there is not enough memory for this.", 1, parsed.debug)
    except Exception as error:
        return _failed(f"unexpected {type(error).__name__}: {error} (--debug shows where)", 1, parsed.debug)


@contextmanager
def _terminated_like_interrupted() -> Iterator[None]:
    """Let SIGTERM end a command as Ctrl-C does: with what was found."""
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
    ):
        yield  # the caller handles signals already
        return
    process = os.getpid()

    def interrupt(number: int, frame: FrameType | None) -> None:
        if os.getpid() == process:
            raise KeyboardInterrupt
        signal.signal(number, signal.SIG_DFL)  # a worker that was forked has nothing to show
        signal.raise_signal(number)

    signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _failed(message: str, code: int, debug: bool) -> int:
    if debug:
        traceback.print_exc()
    print(f"sweepless: {message}", file=sys.stderr)
    return code
