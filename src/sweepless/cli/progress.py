"""One line on the terminal that tells how the search is going."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sweepless.search.walk import Progress

_EVERY = 0.1  # seconds


class ProgressLine:
    """A callback that rewrites one line of standard error, if that is a terminal."""

    def __init__(self, method: str, *, quiet: bool) -> None:
        self._shown = sys.stderr.isatty() and not quiet
        self._method = method
        self._last = 0.0
        self._width = 0

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._write("")

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if not self._shown or now - self._last < _EVERY:
            return
        self._last = now
        rate = progress.n_evaluations / max(progress.seconds, 1e-9)
        best = f"best {progress.best_value:.4f} at {progress.best_size}" if progress.best_size else "warming up"
        self._write(
            f"{self._method}  size {progress.size:>4}  {best}  "
            f"{progress.n_evaluations:,} evaluations  {rate:,.0f}/s  {progress.seconds:.0f} s"
        )

    def _write(self, text: str) -> None:
        if self._shown:
            sys.stderr.write("\r" + text.ljust(self._width) + ("\r" if not text else ""))
            sys.stderr.flush()
            self._width = len(text)
