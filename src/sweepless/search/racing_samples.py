"""Racing where candidates can be compared sample by sample."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from sweepless._typing import Features, Values
from sweepless.search.racing import Compare, Heat, Look

_FIRST = 2  # how many of the most promising candidates are valued at once, for the others to be compared with
_FORGIVENESS = 2.0  # how many standard errors a prediction may be off
_SURE = 0.5  # where fits are only begun, changes vary at least by so much of the variance of what they are made of
_FEWEST = 4  # fewer candidates tell too little of how much values change from step to step


class SampleRace:
    """Finds the best of a batch by what its candidates predict for the same samples as those that were valued.

    The difference between candidates has a standard error of its own, which is small where they predict the same. A
    candidate is dropped as soon as it is behind the best by more than `_FORGIVENESS` of them. It is compared with all
    that were valued, not with the best of them: that one was also lucky on the folds that are not known of others.

    Who was behind in the last batch is likely to be so again. What was known there, plus what has changed since for
    all candidates on average, is a second prediction: as good as it was there, and as changes are alike. Another fold
    comes first in every step, so it rests on other samples, and knowledge adds up. Not so where first looks are at all
    samples: who is underrated once is so again, and only what the last batch told by itself is remembered. And where
    fits are only begun, candidates may look alike that are not: that their changes do so, too, says little.
    """

    def __init__(self) -> None:
        self._before: dict[Hashable, tuple[float, float]] = {}  # predictions of the last batch, and their errors

    def __call__(self, heat: Heat, look: Look, compare: Compare) -> Values:
        """Look at candidates until the best is known; return the values, and predictions for those without."""
        look(0, np.arange(len(heat.reached)))
        look(heat.last, heat.first(_FIRST))
        before = np.array([self._before.get(one, (np.nan, np.nan)) for one in heat.candidates]).T
        values, errors = np.full(before.shape, np.nan)
        n_rivals = 0
        while True:
            rivals = np.flatnonzero(heat.is_valued)
            if n_rivals < len(rivals):
                n_rivals, values[:] = len(rivals), np.nan  # all are compared anew
            values[rivals], errors[rivals] = heat.found[heat.last, rivals], 0.0
            for rung, places in heat.by_rung(np.flatnonzero(np.isnan(values))):
                values[places], errors[places] = _predicted(compare, rung, places, rivals)
            likely, unsure = _with_memory(values, errors, before, _SURE if heat.only_begins else 0.0)
            going = heat.contenders(np.where(heat.is_valued, -np.inf, likely + _FORGIVENESS * unsure))
            if not len(going):
                break
            heat.go_on(going, look)
            values[going] = np.nan
        known = (values, errors) if heat.looks_twice else (likely, unsure)
        self._before = dict(zip(heat.candidates, zip(*known, strict=True), strict=True))
        return likely


def _predicted(compare: Compare, rung: int, places: Features, rivals: Features) -> tuple[Values, Values]:
    """Return predictions and their standard errors."""
    values = compare(rung, places, rivals, 0.0)
    return values, compare(rung, places, rivals, 1.0) - values


def _with_memory(values: Values, errors: Values, before: Values, least: float = 0.0) -> tuple[Values, Values]:
    """Return predictions and standard errors that also rest on those before, weighted by their variances.

    The variance of changes counts as no less than the `least` share of that of the predictions.
    """
    told = np.isfinite(errors) & np.isfinite(before).all(axis=0)
    if np.count_nonzero(told) < _FEWEST:
        return values, errors
    changes, ours = (values - before[0])[told], errors[told] ** 2
    theirs = before[1, told] ** 2 + max(np.var(changes, ddof=1), least * ours.mean())
    weights = ours / np.maximum(ours + theirs, np.finfo(float).tiny)
    likely, unsure = values.copy(), errors.copy()
    likely[told] += weights * (changes.mean() - changes)
    unsure[told] *= np.sqrt(1.0 - weights)
    return likely, unsure
