"""`sweepless completion`: a script for a shell that completes commands, options and their words."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from typing import Any

from sweepless.cli.parser import add_command, commands_of, options_of

_ABOUT = """bash and zsh: add `eval "$(sweepless completion bash)"` (or zsh) to ~/.bashrc (or ~/.zshrc). fish: write the
script to ~/.config/fish/completions/sweepless.fish, and again after an update."""


def add_to(commands: Any) -> None:
    parser = add_command(
        commands,
        "completion",
        completion,
        "print a script that completes commands, options and their words",
        guide="command-line",
        examples=("completion bash", "completion zsh", "completion fish"),
        about=_ABOUT,
    )
    parser.add_argument("shell", choices=["bash", "zsh", "fish"])


def completion(parsed: argparse.Namespace) -> int:
    from sweepless.cli.main import build_parser

    print("\n".join((_fish if parsed.shell == "fish" else _bash)(build_parser(), parsed.shell)))
    return 0


def _words(option: str, action: argparse.Action) -> list[str]:
    """Return what may stand behind an option; nothing if it is free."""
    if option == "--method":  # which the library checks, not the parser
        from sweepless.search.methods import METHODS

        return [name for name in METHODS if "(" not in name]  # a shell would want the others quoted
    return [str(word) for word in action.choices or ()]


def _places(parser: argparse.ArgumentParser) -> list[str]:
    """Return the words that a command takes without an option, such as a target."""
    return [str(word) for one in parser._actions if not one.option_strings for word in one.choices or ()]


def _bash(parser: argparse.ArgumentParser, shell: str) -> Iterator[str]:
    """Write the script for bash, which zsh understands after `bashcompinit`."""
    if shell == "zsh":
        yield "autoload -Uz compinit bashcompinit && compinit && bashcompinit"
    commands = commands_of(parser)
    yield "_sweepless() {"
    yield '  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" words=""'
    yield '  case "${COMP_WORDS[1]} $before" in'
    for name, one in commands.items():
        for option, action in options_of(one).items():
            if words := _words(option, action):
                yield f'  "{name} {option}") words="{" ".join(words)}" ;;'
    yield "  *)"
    yield '    case "$COMP_CWORD:${COMP_WORDS[1]}" in'
    yield f'    1:*) words="{" ".join([*commands, *options_of(parser)])}" ;;'
    for name, one in commands.items():
        yield f'    *:{name}) words="{" ".join([*_places(one), *options_of(one)])}" ;;'
    yield "    esac ;;"
    yield "  esac"
    yield '  COMPREPLY=($(compgen -W "$words" -- "$word"))'
    yield "}"
    yield "complete -o default -F _sweepless sweepless"  # where no word fits, files do


def _fish(parser: argparse.ArgumentParser, shell: str) -> Iterator[str]:
    commands = commands_of(parser)
    for name, one in commands.items():
        yield _line("__fish_use_subcommand", [f"-a {name}", "-f", f"-d {_quoted(str(one.description))}"])
    for name, one in commands.items():
        inside = f"__fish_seen_subcommand_from {name}"
        if places := _places(one):
            yield _line(inside, ["-f", f"-a {_quoted(' '.join(places))}"])
        for option, action in options_of(one).items():
            words = _words(option, action)
            takes = ["-x", f"-a {_quoted(' '.join(words))}"] if words else ["-r"] if action.nargs != 0 else []
            yield _line(inside, [f"-l {option[2:]}", *takes, f"-d {_quoted((action.help or '').replace('%%', '%'))}"])


def _line(condition: str, parts: Iterable[str]) -> str:
    return " ".join(["complete -c sweepless -n", _quoted(condition), *parts])


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
