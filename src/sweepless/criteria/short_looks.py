"""Forests of a few trees: a first look at candidates that costs a tenth."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from sweepless.criteria.gains import Gains, last_of

SHARE = 0.1
"""The share of its trees that a forest has at a first look."""
LEAST = 0.01
"""The least that a probability of a few trees counts as."""
_FEWEST_TREES = 3


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
