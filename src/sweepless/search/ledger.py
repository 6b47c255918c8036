"""The only till: evaluations are counted here, batches are cut where a limit says so, and the clock is looked at."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from sweepless._typing import Values
from sweepless.search.events import Anatomy
from sweepless.search.stop import Limits, StopReason, StopSearch

_PAUSE = 0.1  # seconds of evaluation between two checks
_PAUSE_OF_MANY = 0.5  # sending work to several workers, above all on a cluster, takes time itself
_FASTER = 8.0  # how many times longer than the last a ration may become


class Clock:
    """Measures the seconds of a run and rations the evaluations between two checks of the time.

    Time limits and listeners get their turn between two rations. Values do not depend on how a batch is rationed.

    Attributes
    ----------
    n_at_once : int
        How many subsets the cursor values at the same time.
    """

    def __init__(self) -> None:
        self._started = self._looked = time.monotonic()
        self.n_at_once = self.plan = 1  # the next ration

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._started

    def ration(self, most: int) -> int:
        """Return how many evaluations, at most `most`, to make before the next call of `passed`."""
        self._looked = time.monotonic()
        return min(most, max(self.plan, self.n_at_once))

    def passed(self, count: int, n_paid: int) -> None:
        """Plan the next ration from the time that the last one took: `count` values, `n_paid` of them evaluations."""
        pause = _PAUSE if self.n_at_once == 1 else _PAUSE_OF_MANY
        pace = min(_FASTER, pause / max(time.monotonic() - self._looked, 1e-9))
        self.plan = max(int(count * pace), self.n_at_once)


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
        account: str | None,
        values: Values,
        compute: Callable[[slice], Values],
        sizes: Callable[[slice], int],
        until: float | None = None,
    ) -> Iterator[slice]:
        """Fill in the values ration by ration and count every evaluation.

        Parameters
        ----------
        account : str or None
            What the evaluations are for: a field of `Anatomy`. None is more work on subsets that were counted before.
        values : array
            The array to fill; each part is yielded as soon as it is filled.
        compute, sizes : callable
            Functions that return the values of a part and the sum of its subset sizes.
        until : float, optional
            Skip the rest once the run has taken this many seconds.
        """
        start = 0
        while start < len(values):
            count = self.clock.ration(self._granted(len(values) - start, account is not None))
            part = slice(start, start + count)
            values[part] = compute(part)
            if account is not None:
                self.anatomy.pay(account, count, sizes(part))
            self.clock.passed(count, 0 if account is None else count)
            yield part
            if until is not None and self.clock.seconds >= until:
                return
            start = part.stop
            if start < len(values):
                self._pause()

    def ask(self, values: Values, compute: Callable[[slice], Values]) -> None:
        """Fill in what costs next to nothing, which says nothing about how long the next ration will take."""
        plan = self.clock.plan
        for _ in self.pay(None, values, compute, lambda part: 0):
            pass
        self.clock.plan = plan

    def _granted(self, most: int, counts: bool) -> int:
        """Return how many evaluations, at most `most`, the limits allow; raise if they allow none."""
        limits, total = self._limits, self.anatomy.total
        if counts and limits.max_evaluations is not None:
            most = min(most, limits.max_evaluations - total)
        if most <= 0:
            raise StopSearch(StopReason.EVALUATIONS)
        # One evaluation is granted in any case, so that there is a result even if compiling used up the time.
        if limits.max_seconds is not None and total and self.clock.seconds >= limits.max_seconds:
            raise StopSearch(StopReason.SECONDS)
        return most
