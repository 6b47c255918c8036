"""Commands, exit codes and errors: 0 there is a result, 1 failed or nothing found, 2 usage or bad input."""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from sweepless._version import __version__
from sweepless.cli.parser import Parser, commands_of
from sweepless.errors import SweeplessError

_OVERVIEW = """sweepless {version}: sequential feature selection without the sweep

Which of the columns of a table predict its label? Try this first:
  sweepless select --data genes.csv --label tissue       which features (also TSV, Parquet, NPZ, ARFF, svmlight)
  sweepless select --data make_madelon --target 5        the same on data made up here, to see what comes out
  sweepless compare genes.csv --label tissue             which selector suits these data

commands:
{commands}

  sweepless COMMAND --help      options and examples of a command, and its page in the guide
  sweepless COMMAND --json -    the result as one JSON object (docs/guide/json.md)

In Python: from sweepless import SequentialSelector. The guide begins at docs/guide/index.md.
"""


def build_parser() -> Parser:
    # Imported here so that `sweepless --version` loads nothing heavy.
    from sweepless.cli import (
        campaign,
        compare,
        completion,
        doctor,
        methods,
        report,
        reproduce,
        resume,
        select,
        warm,
        watch,
    )

    parser = Parser(prog="sweepless", description="Sequential feature selection without the sweep.")
    parser.add_argument("--version", action="version", version=f"sweepless {__version__}")
    commands = parser.add_subparsers(dest="command", parser_class=Parser, metavar="COMMAND")
    for module in (select, resume, compare, watch, campaign, report, methods, reproduce, warm, doctor, completion):
        module.add_to(commands)
    return parser


def overview(parser: Parser) -> str:
    """Say in one screen what there is and where to begin."""
    listed = "\n".join(f"  {name:<11} {one.description}" for name, one in commands_of(parser).items())
    return _OVERVIEW.format(version=__version__, commands=listed)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # names from files may be what no terminal can show
    parser = build_parser()
    parsed, unknown = parser.parse_known_args(arguments)
    if parsed.command is None and not unknown:
        print(overview(parser), end="")
        return 0
    if unknown:
        commands_of(parser).get(parsed.command, parser).refuse(unknown[0])
    parsed.command_line = sys.argv[1:] if arguments is None else list(arguments)
    try:
        with _terminated_like_interrupted():
            code: int = parsed.call(parsed)
        return code
    except SweeplessError as error:
        return _failed(str(error), 2, parsed.debug)
    except BrokenPipeError:  # whoever reads, `head` for example, has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # where the rest goes at exit
        return 1
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
