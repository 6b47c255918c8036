"""How a campaign is going: a bar of its cells with the time left."""

from __future__ import annotations

import time
from types import TracebackType

from sweepless.selectors.progress import make_display


class CellBar:
    """A bar on standard error; where that is no terminal, a line now and then.

    Parameters
    ----------
    n_cells, n_finished : int
        Of the whole campaign, and at the start.
    shown : bool
    """

    def __init__(self, n_cells: int, n_finished: int, *, shown: bool) -> None:
        self._n_cells, self._n_finished, self._n_new = n_cells, n_finished, 0
        self._display = make_display() if shown else None

    def __enter__(self) -> CellBar:
        self._began = time.monotonic()
        self._show("")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._display is not None:
            self._display.stop()

    def advance(self, arm: str, seconds: float) -> None:
        """Count a finished cell."""
        self._n_finished += 1
        self._n_new += 1
        spent = time.monotonic() - self._began
        left = spent / self._n_new * (self._n_cells - self._n_finished)
        self._show(f", last {arm} in {seconds:.1f} s, {spent:.0f} s, about {left:.0f} s left")

    def _show(self, text: str) -> None:
        if self._display is not None:
            done = f"{self._n_finished} of {self._n_cells} cells"
            self._display.show(done + text, self._n_finished / self._n_cells)
