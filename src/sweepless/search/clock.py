"""The time of a run, and how often it is checked."""

from __future__ import annotations

import time

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
        self.n_at_once = self._ration = 1

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._started

    def ration(self, most: int) -> int:
        """Return how many evaluations, at most `most`, to make before the next call of `passed`."""
        self._looked = time.monotonic()
        return min(most, max(self._ration, self.n_at_once))

    def passed(self, count: int) -> None:
        """Plan the next ration from the time that the last one, of `count` evaluations, took."""
        pause = _PAUSE if self.n_at_once == 1 else _PAUSE_OF_MANY
        pace = min(_FASTER, pause / max(time.monotonic() - self._looked, 1e-9))
        self._ration = max(int(count * pace), self.n_at_once)
