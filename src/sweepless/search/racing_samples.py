"""Racing where candidates can be compared sample by sample."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Values
from sweepless.search.racing import Compare, Heat, Look

_FORGIVENESS = 2.0  # how many standard errors a difference may be off


class SampleRace:
    """Finds the best of a batch by what its candidates predict for the same samples as the best so far.

    The difference between two candidates has a standard error of its own, which is small where both predict the same. A
    candidate is dropped as soon as it is behind the best by more than `_FORGIVENESS` of them.
    """

    def __call__(self, heat: Heat, look: Look, compare: Compare) -> Values:
        """Look at candidates until the best is known; return the values, and predictions for those without."""
        look(0, np.arange(len(heat.reached)))
        look(heat.last, heat.first)
        bounds, rival = np.full(len(heat.reached), np.nan), -1
        while True:
            if rival != (leader := heat.leader):
                rival, bounds[:] = leader, np.nan  # all are compared anew
            bounds[heat.is_valued] = -np.inf
            _predict(bounds, heat, compare, rival, _FORGIVENESS)
            if not len(going := heat.contenders(bounds)):
                break
            heat.go_on(going, look)
            bounds[going] = np.nan
        values = np.array(heat.found[heat.last])
        _predict(values, heat, compare, rival, 0.0)
        return values


def _predict(values: Values, heat: Heat, compare: Compare, rival: int, n_errors: float) -> None:
    """Fill in what is not known."""
    for rung, places in heat.by_rung(np.flatnonzero(np.isnan(values))):
        values[places] = compare(rung, places, rival, n_errors)
