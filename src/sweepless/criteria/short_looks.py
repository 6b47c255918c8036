"""Forests of a few trees: a first look at candidates that costs a tenth, and what it says about their values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from sweepless._typing import Values
from sweepless.criteria.gains import FEWEST, Gains, last_of

SHARE = 0.1
"""The share of its trees that a forest has at a first look."""
LEAST = 0.01
"""The least that a probability of a few trees counts as."""
_FEWEST_TREES = 3
_DOUBT = 1.25  # rivals that looked best differ less from each other than from the rest


def shortened(estimator: Any) -> Any | None:
    """Return a clone with a tenth of its trees; None for what is no forest or has not enough of them.

    Trees that know nothing of each other are alike, so a few of them tell what all will predict. Those of boosting,
    which has a learning rate, correct each other.
    """
    last = last_of(estimator)
    params = last.get_params(deep=False) if hasattr(last, "get_params") else {}
    n_trees = params.get("n_estimators")
    if not isinstance(n_trees, int | np.integer) or "learning_rate" in params or SHARE * n_trees < _FEWEST_TREES:
        return None
    short = clone(estimator)
    unused = {"oob_score": False} if "oob_score" in params else {}
    last_of(short).set_params(n_estimators=int(SHARE * n_trees), **unused)
    return short


def rough(gains: Gains) -> Gains:
    """Return the gains for a few trees, which often give a class no chance at all that more of them would give some."""
    return replace(gains, least=LEAST) if gains.method == "predict_proba" else gains


def ahead_by_looks(
    ours: list[list[Values]], whole: list[list[Values]], short: list[list[Values]], n_whole: int, n_errors: float
) -> Values:
    """Return by how much subsets will be ahead of the mean of some rivals, plus so many standard errors.

    Parameters
    ----------
    ours : list of lists of arrays
        The gains of every subset on every fold: by whole fits on the first `n_whole` folds, by short ones on the rest.
    whole, short : lists of lists of arrays
        The gains of every rival on every fold, by both.

    Notes
    -----
    What whole fits add to short ones is about the same for all candidates, so subset and rivals are compared by the
    same fits. The rivals also tell by how much this differs: that is what is not known of the other folds.
    """
    sizes = np.array([len(gains) for gains in whole[0]])
    n_samples, n_left = sizes.sum(), sizes[n_whole:].sum()
    if n_samples < FEWEST or len(whole) < 2:
        return np.full(len(ours), np.inf)
    weights = np.repeat(sizes.mean() / sizes, sizes)  # every fold counts the same
    theirs, shortly = (np.array([np.concatenate(one) for one in gains]) * weights for gains in (whole, short))
    added = theirs - shortly
    squares = np.sum((added - added.mean(axis=0)) ** 2) / ((len(whole) - 1) * n_samples)
    known = np.where(np.arange(n_samples) < n_samples - n_left, theirs.mean(axis=0), shortly.mean(axis=0))
    differences = np.array([np.concatenate(one) for one in ours]) * weights - known
    return np.asarray(differences.mean(axis=1) + n_errors * _DOUBT * np.sqrt(squares * n_left) / n_samples)
