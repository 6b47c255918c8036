"""A run in the terminal: redrawn in place by rich, or written line by line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sweepless.reports.live.text import block, heading, one_line

if TYPE_CHECKING:
    from rich.text import Text


@contextmanager
def screen() -> Iterator[Callable[[Mapping[str, Any]], None]]:
    """Yield a function that shows a state; without rich or a terminal it writes a line whenever something is new."""
    try:
        from rich.console import Console
        from rich.live import Live
    except ImportError:
        yield _Lines().show
        return
    console = Console()
    if not console.is_terminal:
        yield _Lines().show
        return
    with Live(console=console, auto_refresh=False, transient=True) as live:
        yield lambda state: live.update(_picture(state, console.width - 1), refresh=True)


class _Lines:
    """Write one line for every state that says something new."""

    def __init__(self) -> None:
        self._run: Any = self
        self._last = ""

    def show(self, state: Mapping[str, Any]) -> None:
        lines = []
        if state["run"] is not None and state["run"] != self._run:
            self._run = state["run"]
            lines.append(heading(state))
        if (line := one_line(state)) != self._last:
            self._last = line
            lines.append(line)
        sys.stdout.writelines(f"{line}\n" for line in lines)
        sys.stdout.flush()


def _picture(state: Mapping[str, Any], width: int) -> Text:
    """Return the block of text in color."""
    from rich.text import Text

    picture = Text(no_wrap=True, overflow="ellipsis")  # names in a journal are never markup
    for number, line in enumerate(block(state, width)):
        start, bar, rest = line.partition("│")
        if number == 0:
            picture.append(line, "bold")
        elif bar:
            picture.append(start + bar, "dim").append(rest, "blue")
        else:
            picture.append(line[:13], "dim").append(line[13:])
        picture.append("\n")
    return picture
