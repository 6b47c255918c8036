"""Racing where candidates can be compared sample by sample."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from sweepless._typing import Features, Values
from sweepless.search.racing import Compare, Heat, Look

_FIRST = 2  # how many of the most promising candidates are valued at once, for the others to be compared with
_FORGIVENESS = 2.0  # how many standard errors a prediction may be off
_FEWEST = 4  # fewer candidates tell too little of how much values change from step to step


class SampleRace:
    """Finds the best of a batch by what its candidates predict for the same samples as those that were valued.

    The difference between candidates has a standard error of its own, which is small where they predict the same. A
    candidate is dropped as soon as it is behind the best by more than `_FORGIVENESS` of them. It is compared with all
    that were valued, not with the best of them: that one was also lucky on the folds that are not known of others.

    Who was behind in the last batch is likely to be so again. What was predicted there, plus what has changed since
    for all candidates on average, is a second prediction; it is as good as changes are alike.
    """

    def __init__(self) -> None:
        self._before: dict[Hashable, float] = {}  # what the last batch predicted

    def __call__(self, heat: Heat, look: Look, compare: Compare) -> Values:
        """Look at candidates until the best is known; return the values, and predictions for those without."""
        look(0, np.arange(len(heat.reached)))
        look(heat.last, heat.first(_FIRST))
        before = np.array([self._before.get(one, np.nan) for one in heat.candidates])
        values, errors = np.full((2, len(before)), np.nan)
        n_rivals = 0
        while True:
            rivals = np.flatnonzero(heat.is_valued)
            if n_rivals < len(rivals):
                n_rivals, values[:] = len(rivals), np.nan  # all are compared anew
            values[rivals], errors[rivals] = heat.found[heat.last, rivals], 0.0
            for rung, places in heat.by_rung(np.flatnonzero(np.isnan(values))):
                values[places], errors[places] = _predicted(compare, rung, places, rivals)
            likely, unsure = _with_memory(values, errors, before)
            going = heat.contenders(np.where(heat.is_valued, -np.inf, likely + _FORGIVENESS * unsure))
            if not len(going):
                break
            heat.go_on(going, look)
            values[going] = np.nan
        self._before = dict(zip(heat.candidates, values.tolist(), strict=True))
        return likely


def _predicted(compare: Compare, rung: int, places: Features, rivals: Features) -> tuple[Values, Values]:
    """Return predictions and their standard errors."""
    values = compare(rung, places, rivals, 0.0)
    return values, compare(rung, places, rivals, 1.0) - values


def _with_memory(values: Values, errors: Values, before: Values) -> tuple[Values, Values]:
    """Return predictions and standard errors that also rest on what was predicted before.

    The two are weighted by their variances. That of the second one counts twice, because both were made on the same
    samples.
    """
    told = np.isfinite(before) & np.isfinite(errors)
    if np.count_nonzero(told) < _FEWEST:
        return values, errors
    changes, ours = (values - before)[told], errors[told] ** 2
    theirs = 2.0 * np.var(changes, ddof=1) * (1.0 + 1.0 / len(changes))
    weights = ours / np.maximum(ours + theirs, np.finfo(float).tiny)
    likely, unsure = values.copy(), errors.copy()
    likely[told] += weights * (changes.mean() - changes)
    unsure[told] *= np.sqrt(1.0 - weights)
    return likely, unsure
