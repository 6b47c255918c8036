"""Defaults of a search, shared by the selectors and the command line."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf

import numpy as np

from sweepless.search.budget import Budget, granted
from sweepless.search.methods import Method
from sweepless.search.sampled import WarmUp

MAX_SIZE = 100
"""The largest size that a growing search goes to by default."""
N_FOLDS = 5
"""The default number of cross-validation folds, as in scikit-learn."""
_APPEARANCES = 5  # how often every feature appears in the probes


@dataclass(frozen=True)
class AutomaticWarmUp:
    """A warm-up chosen by rule, and how many probes it would have if the cost of the search did not limit them."""

    n_probes: int
    probe_size: int
    n_wanted: int

    @property
    def is_cut(self) -> bool:
        return self.n_probes < self.n_wanted

    @property
    def warm_up(self) -> WarmUp:
        return WarmUp(self.n_probes, self.probe_size)


def n_steps(method: Method, n_features: int, end: int, overshoot: int | None) -> int:
    """Return how many features lie between the start of a search and its final size, at least one."""
    beyond = (overshoot or 0) if method.traits.overshoots else 0
    return max(1, min(abs(end - origin(method, n_features)) + beyond, n_features))


def origin(method: Method, n_features: int) -> int:
    """Return the size that the method starts from by default."""
    return int(np.count_nonzero(method.direction.start(n_features)))


def automatic_warm_up(
    method: Method, n_features: int, steps_ahead: int, budget: Budget, backward_budget: Budget, most: int | None = None
) -> AutomaticWarmUp | None:
    """Choose a warm-up that costs at most as much as the search; return None if every addition is a sweep anyway.

    Parameters
    ----------
    method : Method
    n_features, steps_ahead : int
        The number of features, and the least number of steps that the search needs.
    budget, backward_budget : int, BudgetFraction or None
    most : int, optional
        The limit of evaluations; half of them are left to the search.
    """
    forward, backward = granted(budget, n_features), granted(backward_budget, n_features)
    if forward >= n_features:
        return None
    floats = method.traits.overshoots or method.traits.pivots
    per_step = forward + backward if floats else forward if method.direction.adds else backward
    cost = steps_ahead * per_step
    return automatic_probes(n_features, cost if most is None else min(cost, most // 2))


def automatic_probes(n_features: int, search_cost: float = inf) -> AutomaticWarmUp:
    """Return as many probes as the paper uses, but no more than the search costs.

    In the paper's three settings every feature appears in about five probes. A probe holds 10 features if there are
    hundreds of them and 25 if there are thousands.
    """
    size = min(10 if n_features < 1000 else 25, max(1, n_features // 2))
    wanted = ceil(_APPEARANCES * n_features / size)
    return AutomaticWarmUp(int(min(wanted, max(1, search_cost))), size, wanted)
