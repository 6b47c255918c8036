"""The parser: errors in one sentence, with the nearest name for a wrong one, and help that shows how it is used."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from sweepless._nearest import nearest

Command = Callable[[argparse.Namespace], int]
"""Takes the parsed words, returns the exit code."""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one sentence, without the whole usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help.\n")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            listed = ", ".join(map(str, action.choices))
            raise argparse.ArgumentError(
                action, f"it must be one of {listed}, got {value!r}{_or_nearest(value, action.choices)}"
            )

    def refuse(self, word: str) -> NoReturn:
        """Say that a word is not known, and which option may have been meant."""
        option = word.partition("=")[0]
        if option in options_of(self):
            self.error(f"{option} must stand behind the command")
        self.error(f"{option} is not one of its options{_or_nearest(option, options_of(self))}")


def add_command(
    commands: Any, name: str, call: Command, help: str, *, guide: str, examples: Sequence[str], about: str = ""
) -> Any:
    """Add a command, with what the help of all commands ends with, and the option that all of them have.

    Parameters
    ----------
    guide : str
        The page of the guide that explains it.
    examples : sequence of str
        Whole commands.
    about : str
        What else its users should know.
    """
    shown = "\n".join(f"  sweepless {example}" for example in examples)
    epilog = f"{about}\n\n" * bool(about) + f"examples:\n{shown}\n\nguide: docs/guide/{guide}.md"
    parser = commands.add_parser(
        name,
        help=help,
        description=f"{help[0].upper()}{help[1:]}.",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(call=call)
    parser.add_argument("--debug", action="store_true", help="show tracebacks")
    return parser


def commands_of(parser: argparse.ArgumentParser) -> dict[str, Any]:
    """Return the parser of every command, in the order of the help."""
    return next(action.choices for action in parser._actions if isinstance(action, argparse._SubParsersAction))


def options_of(parser: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    """Return the options of a parser by their long names."""
    return {word: action for action in parser._actions for word in action.option_strings if word.startswith("--")}


def _or_nearest(word: Any, known: Any) -> str:
    near = nearest(word, known)
    return "" if near is None else f" (did you mean {near}?)"
