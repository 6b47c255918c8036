"""How many candidates a step may value."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sweepless._checks import whole
from sweepless.errors import InputError

PAPER: tuple[int, int] = (100, 50)
"""The paper's budgets of additions and of removals, the least that automatic ones are."""

SCREENED = 20
"""The automatic budget of additions whose candidates a screen proposes."""

# What the additions, or the removals, of a search may cost: a quarter of a second of one core each, ten together.
_STEP_OPERATIONS, _SEARCH_OPERATIONS = 2.5e8, 5e9


@dataclass(frozen=True)
class BudgetFraction:
    """A constant fraction of the pool instead of a constant count: an ablation arm (A24)."""

    fraction: float

    def __post_init__(self) -> None:
        if not 0.0 < self.fraction <= 1.0:
            raise InputError(f"a budget fraction must be above 0 and at most 1, got {self.fraction!r}.")


Budget: TypeAlias = int | BudgetFraction | None
"""A count of candidates, a fraction of the pool, or None for all of them."""

BudgetWord: TypeAlias = Literal["auto", "paper"]
"""A budget that a plan turns into a number: by what a candidate costs, or the paper's."""

Operations: TypeAlias = Callable[[int], float]
"""About how many operations a candidate of a size takes."""


def unknown_operations(size: int) -> float:
    """Stand for a criterion that does not say what a candidate takes."""
    return math.inf


def checked_budget(name: str, budget: Budget) -> Budget:
    """Return the budget, or raise if it is not valid."""
    if budget is None or isinstance(budget, BudgetFraction):
        return budget
    try:
        return whole(name, budget, 1)
    except InputError:
        raise InputError(
            f"`{name}` must be a positive integer, a BudgetFraction, 'auto', 'paper' or None, got {budget!r}."
        ) from None


def automatic_budget(least: int, pool_size: int, operations: float, n_steps: int, most: int | None = None) -> Budget:
    """Return as many candidates as are cheap enough, from `least` to all of the pool.

    Parameters
    ----------
    least : int
    pool_size : int
        The largest pool that the search meets.
    operations : float
        What a candidate takes.
    n_steps : int
        The least number of steps that the search needs.
    most : int, optional
        The limit of evaluations; half of them are shared out among the steps.
    """
    affordable = min(_STEP_OPERATIONS, _SEARCH_OPERATIONS / n_steps) / operations
    if most is not None:
        affordable = min(affordable, most / (2 * n_steps))
    count = max(least, int(min(affordable, pool_size)))
    return None if count >= pool_size else count


def granted(budget: Budget, pool_size: int) -> int:
    """Return how many candidates of a pool a step values (C14, A24)."""
    if budget is None:
        return pool_size
    if isinstance(budget, BudgetFraction):
        return min(pool_size, max(1, math.ceil(budget.fraction * pool_size)))
    return min(pool_size, budget)


def in_words(word: str | None, budget: Budget, backward_budget: Budget, n_features: int) -> str:
    """Say what the budgets of a search come to.

    Parameters
    ----------
    word : str or None
        The word that stood for them, such as "auto".
    budget, backward_budget : int, BudgetFraction or None
    n_features : int
    """
    if isinstance(backward_budget, BudgetFraction):
        removal = f"{backward_budget.fraction:g} of the members"
    else:
        removal = "all" if backward_budget is None else f"{backward_budget:,}"
    named = "budget" if word is None else f"budget {word}"
    return f"{named}: {granted(budget, n_features):,} of {n_features:,} features per addition, {removal} per removal"
