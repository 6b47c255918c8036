"""How a search is going: a bar for people, a logger for programs."""

from __future__ import annotations

import logging
import sys
import time
from html import escape
from types import TracebackType
from typing import TYPE_CHECKING, Any

from sweepless._phrases import duration
from sweepless.errors import InputError

if TYPE_CHECKING:
    from sweepless.search.events import Progress
    from sweepless.selectors.cost import Forecast

_EVERY = 0.1  # seconds
_LINE_EVERY = 20.0  # seconds, where nothing can be rewritten
_LOGGER = logging.getLogger("sweepless")


class ProgressBar:
    """A callback of a run that shows size, best value, evaluations and, where there is a limit, the time left.

    Parameters
    ----------
    method : str
    shown : bool
        Whether to draw it: below the cell of a notebook; else on standard error, with rich if that is installed, or as
        one line that is rewritten; where that is no terminal, as a line now and then.
    max_seconds, max_evaluations, max_size : optional
        The limits of the run; whichever is nearest decides how full the bar is.
    forecast : Forecast, optional
        Estimates the time left where no limit does.
    """

    def __init__(
        self,
        method: str,
        *,
        shown: bool = True,
        max_seconds: float | None = None,
        max_evaluations: int | None = None,
        max_size: int | None = None,
        forecast: Forecast | None = None,
    ) -> None:
        self._method = method
        self._forecast = forecast
        self._limits = (max_seconds, max_evaluations, max_size)
        self._drawn: Any = make_display() if shown else None
        self._last = 0.0

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._drawn is not None:
            self._drawn.stop()

    def __call__(self, progress: Progress) -> None:
        if progress.step is not None and _LOGGER.isEnabledFor(logging.DEBUG):
            _LOGGER.debug("%s", described(self._method, progress))
        now = time.monotonic()
        if self._drawn is None or now - self._last < _EVERY:
            return
        self._last = now
        share = self._share(progress)
        text = described(self._method, progress)
        if (left := self._seconds_left(progress)) is not None:
            text += f", {left:.0f} s left"
        elif self._forecast is not None and (left := self._forecast.seconds_left(progress)) is not None:
            text += f", about {duration(left)} left"
        self._drawn.show(text, share)

    def _share(self, progress: Progress) -> float | None:
        done = (progress.seconds, progress.n_evaluations, progress.size)
        shares = [part / limit for part, limit in zip(done, self._limits, strict=True) if limit]
        return min(1.0, max(shares)) if shares else None

    def _seconds_left(self, progress: Progress) -> float | None:
        max_seconds, max_evaluations, _ = self._limits
        left = [] if max_seconds is None else [max_seconds - progress.seconds]
        if max_evaluations is not None:
            left.append((max_evaluations - progress.n_evaluations) / rate(progress))
        return max(0.0, min(left)) if left else None


def read_callbacks(given: Any) -> list[Any]:
    """Return the callbacks of a selector as a list."""
    listed = [] if given is None else [given] if callable(given) else list(given)
    for callback in listed:
        if not callable(callback):
            raise InputError(f"`callbacks` must be callables that take a Progress, got {callback!r}.")
    return listed


def rate(progress: Progress) -> float:
    """Return evaluations per second so far."""
    return max(progress.n_evaluations, 1) / max(progress.seconds, 1e-9)


def described(method: str, progress: Progress) -> str:
    """Say in one line how a search is going."""
    best = f"best {progress.best_value:.4f} at {progress.best_size}" if progress.best_size else "no subset yet"
    return (
        f"{method} size {progress.size:>3}, {best}, {progress.n_evaluations:,} evaluations, "
        f"{rate(progress):,.0f}/s, {progress.seconds:.0f} s"
    )


def make_display() -> Any:
    """Return something to `show(text, share)` on and to `stop`: a notebook's cell, a bar drawn by rich, or text."""
    if is_notebook():
        return _Cell()
    return _rich() or (_Line() if sys.stderr.isatty() else _Lines())


def is_notebook() -> bool:
    """Tell whether output is shown below the cell of a notebook: Jupyter's, VS Code's and others have this kernel."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


class _Cell:
    """An output of a notebook that is updated in place, which needs no widgets; the last state stays."""

    def __init__(self) -> None:
        self._shown: Any = None

    def stop(self) -> None:
        """Leave it as it is."""

    def show(self, text: str, share: float | None) -> None:
        from IPython.display import display

        bar = "" if share is None else f'<progress value="{share:.3f}" style="width:12em"></progress> '
        content = {"text/plain": text, "text/html": f"<div>{bar}<code>{escape(text)}</code></div>"}
        if self._shown is None:
            self._shown = display(content, raw=True, display_id=True)
        else:
            self._shown.update(content, raw=True)


class _Line:
    """One line of standard error, a terminal, that is rewritten."""

    def __init__(self) -> None:
        self._width = 0

    def stop(self) -> None:
        self._write("")

    def show(self, text: str, share: float | None) -> None:
        self._write(text if share is None else f"{text}  {share:.0%}")

    def _write(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self._width) + ("\r" if not text else ""))
        sys.stderr.flush()
        self._width = len(text)


class _Lines:
    """A line of standard error now and then, for a file or a pipe; short work has none."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def stop(self) -> None:
        """Leave the lines as they are."""

    def show(self, text: str, share: float | None) -> None:
        now = time.monotonic()
        if now - self._last >= _LINE_EVERY:
            self._last = now
            sys.stderr.write(f"{text}\n" if share is None else f"{text}, {share:.0%}\n")
            sys.stderr.flush()


def _rich() -> Any:
    """Return a bar drawn by rich, or None if that is not installed or has nowhere to draw."""
    try:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn
    except ImportError:
        return None
    console = Console(stderr=True)
    if not console.is_terminal:
        return None

    class Bar:
        def __init__(self) -> None:
            self._progress = Progress(
                TextColumn("{task.description}"), BarColumn(bar_width=12), console=console, transient=True
            )
            self._task = self._progress.add_task("", total=None)

        def stop(self) -> None:
            self._progress.stop()

        def show(self, text: str, share: float | None) -> None:
            total = None if share is None else 1.0
            self._progress.update(self._task, description=text, total=total, completed=share or 0.0)
            self._progress.start()  # only now is there something to see

    return Bar()
