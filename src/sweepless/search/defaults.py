"""What a search is given where nobody says: the same for selectors and for the command line."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf

import numpy as np

from sweepless.search.budget import Budget, granted
from sweepless.search.methods import Method
from sweepless.search.sampled import WarmUp

MAX_SIZE = 100
"""The largest size that a growing search goes to, if there are so many features."""
N_FOLDS = 5
"""Folds of cross-validation, as in scikit-learn."""
_APPEARANCES = 5  # of every feature in the probes


@dataclass(frozen=True)
class AutomaticWarmUp:
    """Probes, and how many the rule would have if they were not limited to what the search costs."""

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
    """Return how many features lie between the start of a search and the size it goes to, at least one."""
    beyond = (overshoot or 0) if method.traits.overshoots else 0
    return max(1, min(abs(end - origin(method, n_features)) + beyond, n_features))


def origin(method: Method, n_features: int) -> int:
    """Return the size that the method starts from by itself."""
    return int(np.count_nonzero(method.direction.start(n_features)))


def automatic_warm_up(
    method: Method, n_features: int, steps_ahead: int, budget: Budget, backward_budget: Budget, most: int | None = None
) -> AutomaticWarmUp | None:
    """Warm up unless every addition is a sweep anyway, for at most what the search itself costs.

    Parameters
    ----------
    method : Method
    n_features, steps_ahead : int
        How many features there are, and how many steps the search needs at least.
    budget, backward_budget : int, BudgetFraction or None
    most : int, optional
        The limit of evaluations, of which half is left to the search.
    """
    forward, backward = granted(budget, n_features), granted(backward_budget, n_features)
    if forward >= n_features:
        return None
    floats = method.traits.overshoots or method.traits.pivots
    per_step = forward + backward if floats else forward if method.direction.adds else backward
    cost = steps_ahead * per_step
    return automatic_probes(n_features, cost if most is None else min(cost, most // 2))


def automatic_probes(n_features: int, search_cost: float = inf) -> AutomaticWarmUp:
    """Return as many probes as the paper has, but no more than the search costs.

    The paper's three settings have some five appearances of every feature in the probes: 10 features
    a probe for hundreds of features, 25 for thousands.
    """
    size = min(10 if n_features < 1000 else 25, max(1, n_features // 2))
    wanted = ceil(_APPEARANCES * n_features / size)
    return AutomaticWarmUp(int(min(wanted, max(1, search_cost))), size, wanted)
