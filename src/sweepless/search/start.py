"""The subset with which a search begins."""

from __future__ import annotations

from typing import Any

import numpy as np

from sweepless._typing import Features
from sweepless.engine.generator import Rng
from sweepless.errors import InputError
from sweepless.search.methods import Method
from sweepless.search.ranking import Ranking
from sweepless.search.route import Goal
from sweepless.search.sampled import SampledSteps
from sweepless.search.step import Operators
from sweepless.search.walk import Walk

_MADE = ("scores", "ranking", "random")


def begin(walk: Walk, start: Any, method: Method, goal: Goal, operators: Operators, rng: Rng) -> None:
    """Put the walk at the subset with which the search begins.

    `start` is a subset, the name of a way to make one of the target size, or None for the method's default. By
    default a search begins with the empty or the full set. A search around a pivot begins with the features that
    score best after a warm-up; without a warm-up, it begins with a random subset for sampled steps and with the top
    of a ranking for sweeps (A43).
    """
    target = goal.target
    if start is None and (target is None or not method.traits.pivots):
        walk.begin(np.flatnonzero(method.direction.start(walk.n_features)), valued=values_origin(method, goal))
        return
    if start is None:
        start = _default_pivot(method)
    if isinstance(start, str):
        if target is None:
            raise InputError(f"`start={start!r}` needs a `target`, which determines its size, got none.")
        start = _made(start, target, walk, operators, rng)
    walk.begin(np.sort(start), valued=True)


def values_origin(method: Method, goal: Goal) -> bool:
    """Return whether a search that starts from the full set values it, as it does if the full set is the target."""
    return method.traits.values_full_set or goal.target == goal.n_features


def checked_start(start: Any, n_features: int) -> Any:
    """Return a start as ascending indices, or unchanged if it is a name; raise if it is neither."""
    if start is None or (isinstance(start, str) and start in _MADE):
        return start
    try:
        members = np.unique(np.asarray(start))
    except TypeError:
        members = np.empty(0)
    if members.dtype.kind not in "iu" or len(members) == 0 or members[0] < 0 or members[-1] >= n_features:
        raise InputError(
            f"`start` must be feature indices from 0 to {n_features - 1} or one of {', '.join(_MADE)}, got {start!r}."
        )
    return members.astype(np.intp)


def _default_pivot(method: Method) -> str:
    if not isinstance(method.steps, SampledSteps):
        return "ranking"
    return "random" if method.steps.warm_up is None else "scores"


def _made(way: str, target: int, walk: Walk, operators: Operators, rng: Rng) -> Features:
    if way == "random":
        return rng.stream("start").subset(walk.n_features, target)
    if way == "ranking":
        return Ranking.by(walk.singles()).order[:target]
    if operators.statistics is None:
        raise InputError("`start='scores'` needs a sampled method, because sweeping methods learn no scores.")
    return Ranking.by(operators.statistics.scores).order[:target]
