"""`sweepless resume`: go on with a run that `sweepless select --journal` kept."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

import msgspec

from sweepless.cli import arguments
from sweepless.cli.output import add_json
from sweepless.cli.parser import add_command
from sweepless.cli.select import add_to as add_select
from sweepless.cli.select import search
from sweepless.errors import JournalError


def add_to(commands: Any) -> None:
    parser = add_command(
        commands,
        "resume",
        resume,
        "go on with a run from its journal",
        guide="journal",
        examples=("resume run.jsonl", "resume run.jsonl --max-evaluations 50000 --json -"),
    )
    parser.add_argument("file", metavar="FILE", help="what `sweepless select --journal FILE` wrote")
    parser.add_argument("--data", help="where the same data are now (default: where they were)")
    arguments.add_limits(parser, max_size="another limit; like the others it counts from the start of the run")
    add_json(parser)
    parser.add_argument("--report", metavar="FILE", help="write a page with the curve and the features")
    arguments.add_quiet(parser)


def resume(parsed: argparse.Namespace) -> int:
    from sweepless.journal.journal import Journal, RecordedRun
    from sweepless.search.automatic import BUDGETS

    recorded = RecordedRun(parsed.file)
    note = recorded.found.header.note
    command = note.get("command") if isinstance(note, dict) else None
    if not isinstance(command, list) or command[:1] != ["select"] or not all(isinstance(word, str) for word in command):
        raise JournalError(
            f"`sweepless resume` is for journals of `sweepless select`, got {parsed.file}, which a program wrote: "
            "resume it there."
        )
    before = _parsed_again(command, parsed.file)
    # What was derived from the limits of the first command, budgets and warm-up, stays as it was then.
    settled: dict[str, Any] = {
        name: limit if (given := getattr(parsed, name, None)) is None else given
        for name, limit in msgspec.to_builtins(recorded.found.limits).items()
    }
    if "warm_up" in recorded.settings:
        settled["warm_up"] = recorded.warm_up
    settled |= {name: recorded.settings[name] for name in BUDGETS if name in recorded.settings}
    before.data = parsed.data or before.data
    # A journal must not name files to write to: those are of the present command.
    before.json, before.report, before.quiet, before.debug = parsed.json, parsed.report, parsed.quiet, parsed.debug
    return search(before, Journal(parsed.file, resumes=recorded.found), settled)


class _Recorded(argparse.ArgumentParser):
    """A parser of a recorded command: it shows no help, and every error is one of the journal."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings | {"add_help": False, "exit_on_error": False})

    def error(self, message: str) -> NoReturn:
        raise JournalError(message)


def _parsed_again(command: list[str], path: str) -> argparse.Namespace:
    """Parse the `sweepless select` that wrote a journal."""
    parser = _Recorded(prog="sweepless")
    add_select(parser.add_subparsers(parser_class=_Recorded))
    try:
        return parser.parse_args(command)
    except (JournalError, argparse.ArgumentError) as error:
        raise JournalError(f"the journal {path} must record a whole `sweepless select`, got: {error}.") from None
