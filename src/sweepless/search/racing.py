"""Racing: the candidates of a step are valued only as far as it takes to know the best of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeAlias

import numpy as np

from sweepless._typing import Features, Mask, Values

FEWEST = 6
"""Fewer candidates are not worth a race."""
_FIRST = 3  # how many of the most promising candidates are valued at once, for the others to be compared with
_TOGETHER = 4  # how many contenders go on at a time
_FORGIVENESS = 2.5  # how many deviations an estimate may be off
_MEMORY = 0.5  # how much of what earlier batches taught counts in the next: spreads shrink as subsets get better

Look: TypeAlias = Callable[[int, Features], None]
"""Looks at the candidates in some places on a rung, and notes what it finds."""
Compare: TypeAlias = Callable[[int, Features, Features, float], Values]
"""Predicts values of the candidates in some places from a rung and valued rivals, plus so many standard errors."""


class Heat:
    """What is known of the candidates of one batch.

    Parameters
    ----------
    candidates : sequence
        What tells each candidate from the others, in this batch and in the next.
    rungs : sequence of float
        The work that is done by every rung, in values; the last rung is the value itself.

    Attributes
    ----------
    found : array of shape (len(rungs), len(candidates))
        Estimates on every rung, and values in the last row; NaN where nobody looked.
    reached : array of int
        The last rung on which each candidate was looked at; -1 for none.
    """

    def __init__(self, candidates: Sequence[Hashable], rungs: Sequence[float]) -> None:
        self.candidates = candidates
        self.last = len(rungs) - 1
        self.found = np.full((len(rungs), len(candidates)), np.nan)
        self.reached = np.full(len(candidates), -1)
        self._work = np.array(rungs)

    def note(self, rung: int, places: Features, found: Values) -> None:
        """Keep what was found in some places on a rung."""
        self.found[rung, places] = found
        self.reached[places] = rung

    @property
    def is_valued(self) -> Mask:
        """Which candidates have their value, not only an estimate."""
        return np.asarray(self.reached == self.last)

    @property
    def looks_twice(self) -> bool:
        """Whether first looks are at all samples and no part of a value, which then costs more than one."""
        return bool(self._work[-1] > 1.0)

    @property
    def only_begins(self) -> bool:
        """Whether first looks are at a part of the first fold's work, so that they tell less than a fold does."""
        return not self.looks_twice and self.last > 0 and bool(self._work[0] < self._work[1] / 2)

    @property
    def leader(self) -> int:
        """The place of the best value or, while there is none, of the best estimate; -1 if nobody has begun."""
        rung = int(self.reached.max())
        return -1 if rung < 0 else int(np.nanargmax(self.found[self.last if rung == self.last else 0]))

    def first(self, count: int) -> Features:
        """Return the places of the most promising candidates, as far as the first rung tells."""
        return np.sort(np.argsort(-self.found[0], kind="stable")[:count])

    def contenders(self, bounds: Values) -> Features:
        """Return the next of the candidates whose bounds are not below the best value."""
        places = np.flatnonzero(~(bounds < np.nanmax(self.found[self.last])))
        return np.sort(places[np.argsort(-bounds[places], kind="stable")[:_TOGETHER]])

    def go_on(self, going: Features, look: Look) -> None:
        """Look at candidates on the next rung of each: those of the first ones may already tell more."""
        for rung, places in self.by_rung(going):
            look(rung + 1, places)

    def by_rung(self, places: Features) -> list[tuple[int, Features]]:
        """Return the places of candidates that have no value yet by the rung they have reached."""
        reached = self.reached[places]
        return [(rung, places[reached == rung]) for rung in range(self.last) if np.any(reached == rung)]

    @property
    def spared(self) -> float:
        """How many evaluations' worth of work the candidates that began were spared, less what first looks cost."""
        return float(np.sum(1.0 - self._work[self.reached[self.reached >= 0]]))


class Race:
    """Finds the best of a batch; it learns from each how far estimates are off.

    Estimates share what the folds have in common, so they are compared with those of valued candidates: an estimate
    and their mean difference between value and estimate predict a value. A candidate is dropped as soon as its
    prediction, and `_FORGIVENESS` deviations of these differences more, is below the best value. The deviations are
    pooled over the batches so far, the last ones above all.

    Parameters
    ----------
    n_rungs : int
    """

    def __init__(self, n_rungs: int) -> None:
        self._squares, self._freedom = np.zeros(n_rungs), np.zeros(n_rungs)

    def __call__(self, heat: Heat, look: Look, _: Compare | None = None) -> Values:
        """Look at candidates until the best is known; return the values, and predictions for those without."""
        look(0, np.arange(len(heat.reached)))
        for rung in range(1, heat.last + 1):
            look(rung, heat.first(_FIRST))
        while len(going := self._contenders(heat)):
            heat.go_on(going, look)
        shifts, squares, freedom = self._learned(heat)
        self._squares, self._freedom = squares, freedom
        predicted = self._predicted(heat, shifts)
        return np.where(heat.is_valued, heat.found[heat.last], predicted)

    def _contenders(self, heat: Heat) -> Features:
        """Return the next of the candidates that may still win."""
        shifts, squares, freedom = self._learned(heat)
        freedom = np.maximum(freedom, 1.0)
        slack = _FORGIVENESS * np.sqrt(squares / freedom) * (1.0 + 2.0 / freedom)  # more while little is learned
        bounds = np.where(heat.is_valued, -np.inf, self._predicted(heat, shifts + slack))
        return heat.contenders(bounds)

    def _learned(self, heat: Heat) -> tuple[Values, Values, Values]:
        """Return how much greater values are than estimates on every rung, and the pooled squares of deviations."""
        valued = heat.found[:, heat.is_valued]
        off = valued[-1] - valued[:-1]
        shifts = off.mean(axis=1)
        squares = _MEMORY * self._squares + np.sum((off - shifts[:, None]) ** 2, axis=1)
        return shifts, squares, _MEMORY * self._freedom + (off.shape[1] - 1)

    @staticmethod
    def _predicted(heat: Heat, added: Values) -> Values:
        """Return the last estimates with what is to be added on their rungs."""
        rungs = np.minimum(heat.reached, heat.last - 1)
        return np.asarray(heat.found[rungs, np.arange(len(rungs))] + added[rungs])
