"""A run in the terminal: redrawn in place by rich, or written line by line."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Protocol

from sweepless.reports.live.text import block, heading, one_line


class Screen(Protocol):
    """Something that shows one state after another."""

    def __enter__(self) -> Screen: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def show(self, state: Mapping[str, Any]) -> None: ...


class Lines:
    """Write a line whenever there is something new to say."""

    def __init__(self) -> None:
        self._run: Any = self
        self._last = ""

    def __enter__(self) -> Lines:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def show(self, state: Mapping[str, Any]) -> None:
        if state["run"] is not None and state["run"] != self._run:
            self._run = state["run"]
            self._write(heading(state))
        if (line := one_line(state)) != self._last:
            self._last = line
            self._write(line)

    def _write(self, line: str) -> None:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


def screen() -> Screen:
    """Return a screen that redraws in place, or one that writes lines if there is no rich or no terminal."""
    try:
        from rich.console import Console
        from rich.live import Live
        from rich.text import Text
    except ImportError:
        return Lines()
    console = Console()
    if not console.is_terminal:
        return Lines()

    class Redrawn:
        def __init__(self) -> None:
            self._live = Live(console=console, auto_refresh=False, transient=True)

        def __enter__(self) -> Redrawn:
            self._live.start()
            return self

        def __exit__(
            self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
        ) -> None:
            self._live.stop()

        def show(self, state: Mapping[str, Any]) -> None:
            picture = Text(no_wrap=True, overflow="ellipsis")  # names in a journal are never markup
            for number, line in enumerate(block(state, console.width - 1)):
                start, bar, rest = line.partition("│")
                if number == 0:
                    picture.append(line, "bold")
                elif bar:
                    picture.append(start + bar, "dim").append(rest, "blue")
                else:
                    picture.append(line[:13], "dim").append(line[13:])
                picture.append("\n")
            self._live.update(picture, refresh=True)

    return Redrawn()
