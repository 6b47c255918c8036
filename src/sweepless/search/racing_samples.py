"""Racing where candidates can be compared sample by sample."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Features, Values
from sweepless.search.racing import Compare, Heat, Look

_FIRST = 2  # how many of the most promising candidates are valued at once, for the others to be compared with
_FORGIVENESS = 2.25  # how many standard errors a difference may be off


class SampleRace:
    """Finds the best of a batch by what its candidates predict for the same samples as those that were valued.

    The difference between candidates has a standard error of its own, which is small where they predict the same. A
    candidate is dropped as soon as it is behind the best by more than `_FORGIVENESS` of them. It is compared with all
    that were valued, not with the best of them: that one was also lucky on the folds that are not known of others.
    """

    def __call__(self, heat: Heat, look: Look, compare: Compare) -> Values:
        """Look at candidates until the best is known; return the values, and predictions for those without."""
        look(0, np.arange(len(heat.reached)))
        look(heat.last, heat.first(_FIRST))
        bounds, n_rivals = np.full(len(heat.reached), np.nan), 0
        while True:
            rivals = np.flatnonzero(heat.is_valued)
            if n_rivals < len(rivals):
                n_rivals, bounds[:] = len(rivals), np.nan  # all are compared anew
            bounds[rivals] = -np.inf
            _predict(bounds, heat, compare, rivals, _FORGIVENESS)
            if not len(going := heat.contenders(bounds)):
                break
            heat.go_on(going, look)
            bounds[going] = np.nan
        values = np.array(heat.found[heat.last])
        _predict(values, heat, compare, rivals, 0.0)
        return values


def _predict(values: Values, heat: Heat, compare: Compare, rivals: Features, n_errors: float) -> None:
    """Fill in what is not known."""
    for rung, places in heat.by_rung(np.flatnonzero(np.isnan(values))):
        values[places] = compare(rung, places, rivals, n_errors)
