"""The time of a run, and how often it is looked at."""

from __future__ import annotations

import time

_PAUSE = 0.1  # seconds of evaluation between two looks
_PAUSE_OF_MANY = 0.5  # calling several workers, of a cluster even more, takes time itself
_FASTER = 8.0  # how much longer a ration may become at once


class Clock:
    """Seconds since the run began, and a ration of evaluations until the next look.

    Limits of time and listeners get their turn between two rations. Values do not depend on how they are cut.

    Attributes
    ----------
    n_at_once : int
        How many subsets the cursor values at the same time.
    """

    def __init__(self) -> None:
        self._started = self._looked = time.monotonic()
        self.n_at_once = self._ration = 1

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._started

    def ration(self, most: int) -> int:
        """Return how many of at most so many evaluations to make before `passed` is called."""
        self._looked = time.monotonic()
        return min(most, max(self._ration, self.n_at_once))

    def passed(self, count: int) -> None:
        """Take note that a ration was valued, and plan the next by the time it took."""
        pause = _PAUSE if self.n_at_once == 1 else _PAUSE_OF_MANY
        pace = min(_FASTER, pause / max(time.monotonic() - self._looked, 1e-9))
        self._ration = max(int(count * pace), self.n_at_once)
