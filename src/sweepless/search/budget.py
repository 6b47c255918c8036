"""How many candidates a step may value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

from sweepless._checks import whole
from sweepless.errors import InputError


@dataclass(frozen=True)
class BudgetFraction:
    """A constant fraction of the pool instead of a constant count: an ablation arm (A24)."""

    fraction: float

    def __post_init__(self) -> None:
        if not 0.0 < self.fraction <= 1.0:
            raise InputError(f"a budget fraction must be above 0 and at most 1, got {self.fraction!r}.")


Budget: TypeAlias = int | BudgetFraction | None
"""A count of candidates, a fraction of the pool, or None for all of them."""


def checked_budget(name: str, budget: Budget) -> Budget:
    """Return the budget, or raise if it is not valid."""
    if budget is None or isinstance(budget, BudgetFraction):
        return budget
    try:
        return whole(name, budget, 1)
    except InputError:
        raise InputError(f"`{name}` must be a positive integer, a BudgetFraction or None, got {budget!r}.") from None


def granted(budget: Budget, pool_size: int) -> int:
    """Return how many candidates of a pool a step values (C14, A24)."""
    if budget is None:
        return pool_size
    if isinstance(budget, BudgetFraction):
        return min(pool_size, max(1, math.ceil(budget.fraction * pool_size)))
    return min(pool_size, budget)
