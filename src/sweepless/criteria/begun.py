"""Boosting that is only begun: a first look at candidates, of which nothing is fitted twice."""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from sweepless._typing import Values
from sweepless.criteria.gains import ahead, last_of

SHARE = 0.25
"""The share of its iterations after which boosting is looked at."""
_FEWEST_ITERATIONS = 20  # checks and bins come again when a fit is continued, so few are not worth it
_MOST_GROWTH = 3.0  # differences between subsets grow with the iterations, but not without end
_STOPS_EARLY = 10_000  # from more samples on, scikit-learn stops boosting early unless it is told not to

# What goes on from a warm start as if it had never stopped, to the last bit. Subclasses may do otherwise, and so does
# most of what has a warm start.
_CONTINUES = (HistGradientBoostingClassifier, HistGradientBoostingRegressor)


def begun(estimator: Any, n_samples: int) -> Any | None:
    """Return a clone that stops after the first iterations, to be continued; None for what cannot be."""
    last = last_of(estimator)
    if type(last) not in _CONTINUES or last.warm_start or last.max_iter < _FEWEST_ITERATIONS:
        return None
    if last.early_stopping and (last.early_stopping != "auto" or n_samples > _STOPS_EARLY):
        return None  # where it stops depends on how long it may go on
    first = clone(estimator)
    last_of(first).set_params(max_iter=ceil(SHARE * last.max_iter), warm_start=True)
    return first


def continued(started: Any, estimator: Any) -> Any:
    """Return what was begun such that its next fit, to the same samples, makes the iterations that are left."""
    last_of(started).set_params(max_iter=last_of(estimator).max_iter)
    return started


def ahead_when_begun(
    ours: list[list[Values]], begun: list[list[Values]], whole: list[list[Values]], n_errors: float
) -> Values:
    """Return by how much subsets will be ahead of the mean of some rivals, plus so many standard errors.

    Parameters
    ----------
    ours, begun : lists of lists of arrays
        The gains of every subset, and of every rival, by fits that were only begun on the first fold.
    whole : list of lists of arrays
        The gains of every rival on every fold by whole fits.

    Notes
    -----
    What a sample gains more by one subset than by another grows with the iterations, in log losses above all. By how
    much it does so among the rivals, but no less than not at all, is taken to hold for all subsets: so their gains by
    whole fits on the first fold are predicted. How far off that is for the rivals is one more doubt.
    """
    first, early = (np.array([gains[0] for gains in some]) for some in (whole, begun))
    late, soon = first - first.mean(axis=0), early - early.mean(axis=0)
    total = (soon**2).sum()
    growth = np.clip((late * soon).sum() / total, 1.0, _MOST_GROWTH) if total > 0 else 1.0
    expected = [[first.mean(axis=0) + growth * (gains[0] - early.mean(axis=0))] for gains in ours]
    doubt = np.var(late - growth * soon, axis=0, ddof=1).mean() if len(whole) > 1 else 0.0
    return ahead(expected, whole, [], 1, n_errors, float(doubt))
