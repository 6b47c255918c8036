"""The only place where evaluations are counted and where batches are cut at a limit."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sweepless._typing import Values
from sweepless.search.clock import Clock
from sweepless.search.events import Anatomy
from sweepless.search.stop import Limits, StopReason, StopSearch


class Ledger:
    """Counts evaluations and grants them.

    Parameters
    ----------
    limits : Limits
    clock : Clock
    pause : callable
        Called between two rations of one batch, so that listeners can react during long steps.
    """

    def __init__(self, limits: Limits, clock: Clock, pause: Callable[[], None]) -> None:
        self.anatomy = Anatomy()
        self.clock = clock
        self._limits = limits
        self._pause = pause

    def pay(
        self,
        account: str,
        values: Values,
        compute: Callable[[slice], Values],
        sizes: Callable[[slice], int],
        until: float | None = None,
    ) -> Iterator[slice]:
        """Fill in the values ration by ration and count every evaluation.

        Parameters
        ----------
        account : str
            What the evaluations are for: a field of `Anatomy`.
        values : array
            The array to fill; each part is yielded as soon as it is filled.
        compute, sizes : callable
            Functions that return the values of a part and the sum of its subset sizes.
        until : float, optional
            Skip the rest once the run has taken this many seconds.
        """
        start = 0
        while start < len(values):
            part = slice(start, start + self.clock.ration(self._granted(len(values) - start)))
            values[part] = compute(part)
            self.anatomy.pay(account, part.stop - part.start, sizes(part))
            self.clock.passed(part.stop - part.start)
            yield part
            if until is not None and self.clock.seconds >= until:
                return
            start = part.stop
            if start < len(values):
                self._pause()

    def _granted(self, most: int) -> int:
        """Return how many evaluations, at most `most`, the limits allow; raise if they allow none."""
        limits, total = self._limits, self.anatomy.total
        if limits.max_evaluations is not None:
            most = min(most, limits.max_evaluations - total)
        if most <= 0:
            raise StopSearch(StopReason.EVALUATIONS)
        # One evaluation is granted in any case, so that there is a result even if compiling used up the time.
        if limits.max_seconds is not None and total and self.clock.seconds >= limits.max_seconds:
            raise StopSearch(StopReason.SECONDS)
        return most
