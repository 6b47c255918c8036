"""What a search that has just begun will cost, said before it takes minutes."""

from __future__ import annotations

import logging
from functools import cached_property
from typing import TYPE_CHECKING

from sweepless._phrases import duration
from sweepless.search.cost import least_cost
from sweepless.search.sampled import SampledSteps

if TYPE_CHECKING:
    from sweepless.search.events import Progress
    from sweepless.search.plan import Plan

_LOGGER = logging.getLogger("sweepless")
_SETTLED = 1.0  # seconds of evaluations that make a pace
_LONG = 60.0  # seconds that nobody should have to find out by waiting


class Forecast:
    """A callback of a run that warns, once, through the logger if more than a minute lies ahead.

    The pace is that of the search's own first evaluations; the very first block is left out, as it may have to compile.

    Parameters
    ----------
    plan : Plan
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._first: tuple[int, float] | None = None
        self._is_over = plan.limits.max_seconds is not None  # whether there is nothing (more) to warn of

    @cached_property
    def evaluations(self) -> int:
        """The evaluations of the whole search, or the least they can be; counted when first asked for."""
        method, n_features = self._plan.method, self._plan.goal.n_features
        total = least_cost(self._plan).total() + method.steps.preparation_cost(n_features)
        return min(total, self._plan.limits.max_evaluations or total)

    def __call__(self, progress: Progress) -> None:
        if self._first is None:
            self._first = progress.n_evaluations, progress.seconds
        elif not self._is_over and (left := self.seconds_left(progress)) is not None and left > _LONG:
            self._is_over = True
            _LOGGER.warning("%s", self._described(progress, left))

    def seconds_left(self, progress: Progress) -> float | None:
        """Return how long the rest takes at the pace so far; None while there is no pace, or past what was counted."""
        if self._first is None:
            return None
        n_valued, seconds = progress.n_evaluations - self._first[0], progress.seconds - self._first[1]
        if seconds < _SETTLED or n_valued < 1 or progress.n_evaluations >= self.evaluations:
            return None
        return (self.evaluations - progress.n_evaluations) * seconds / n_valued

    def _described(self, progress: Progress, left: float) -> str:
        method = self._plan.method
        least = "" if method.traits.is_fixed else "at least "
        cheaper = "a smaller `budget`" if isinstance(method.steps, SampledSteps) else "budgeted steps (sSFS, sSFFS …)"
        return (
            f"{method.name} values {least}{self.evaluations:,} subsets if it goes to its end; at the pace of the first "
            f"{progress.n_evaluations:,} the rest takes about {duration(left)}. `max_seconds` and `max_evaluations` "
            f"stop it earlier, fewer features to select or {cheaper} make it shorter, `verbose=1` shows how it goes."
        )
