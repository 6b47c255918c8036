"""What a plan chooses where nobody says: the budgets of the steps, the prior, and the warm-up."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any, TypeAlias

from sweepless._typing import Values
from sweepless.criteria.base import Criterion
from sweepless.search.budget import PAPER, SCREENED, Budget, Operations, automatic_budget, granted
from sweepless.search.methods import Method
from sweepless.search.settings import SearchSettings
from sweepless.search.statistics import ContrastStatistics
from sweepless.search.warm_up import AutomaticWarmUp, automatic_warm_up, n_steps, origin

BUDGETS = ("budget", "backward_budget")
Promise: TypeAlias = Callable[[], Values | None]
"""Scores single features by a cheap measure, if there is one."""

Screen: TypeAlias = Callable[[], Criterion | None]
"""Makes the criterion that proposes candidates, if there is one."""


def unscreened() -> None:
    """Stand for a criterion that is not known."""


def unpromised() -> None:
    """Stand for a criterion that is not known."""


class Prospect:
    """What a search has ahead of it, as far as that is known before it begins.

    Parameters
    ----------
    settings : SearchSettings
    method : Method
        With sampled steps.
    options : dict
        The options of its steps that were chosen.
    n_features : int
    operations : callable
        What a candidate of a size costs.
    screen : Criterion, optional
        The criterion's own screen, which proposes if it is among the options.
    """

    def __init__(
        self,
        settings: SearchSettings,
        method: Method,
        options: dict[str, Any],
        n_features: int,
        operations: Operations,
        screen: Criterion | None = None,
    ) -> None:
        self.is_screened = screen is not None and options.get("screen") is screen
        self.method, self.options, self.n_features, self.operations = method, options, n_features, operations
        self.most = settings.max_evaluations
        target, overshoot = settings.target, settings.overshoot
        end = target or ((settings.max_size or n_features) if method.direction.adds else 1)
        self.end = min(end, n_features)
        self.n_steps = n_steps(method, n_features, self.end, overshoot if target else 0)
        beyond = n_features if overshoot is None else overshoot
        self.largest = min(n_features, max(origin(method, n_features), self.end + beyond))
        tuple_size = options.get("tuple_size", method.steps.tuple_size)
        self.takes_single_features = tuple_size == 1 and not method.traits.sets_tuples

    def budgets(self, words: dict[str, str]) -> dict[str, Any]:
        """Turn the words for budgets into numbers: "paper", or "auto" for as many as are cheap enough."""
        if words.get("budget") == "paper" and words.get("backward_budget") == "auto":
            words = dict.fromkeys(words, "paper")
        found: dict[str, Any] = {}
        for name, least, pool_size in zip(BUDGETS, PAPER, (self.n_features, self.largest), strict=True):
            if words.get(name) == "paper" or (name in words and not self.takes_single_features):
                found[name] = least
            elif name == "budget" and name in words and self.is_screened:
                found[name] = SCREENED
            elif name in words:
                found[name] = automatic_budget(least, pool_size, self._usual, self.n_steps, self.most)
        return found

    def prior(self, promise: Promise) -> Values | None:
        """Return what the criterion promises of single features, if steps sample and their statistics can use it."""
        forward, backward = self._given_budgets
        is_sampled = granted(forward, self.n_features) < self.n_features
        is_sampled |= not self.method.direction.adds and granted(backward, self.n_features) < self.n_features
        statistics = self.options.get("statistics", getattr(self.method.steps, "statistics", None))
        is_used = isinstance(statistics, ContrastStatistics) and not self.is_screened
        return promise() if is_sampled and is_used else None

    def warm_up(self, *, may_look: bool) -> AutomaticWarmUp | None:
        """Choose a warm-up for the budgets among the options; with a prior there is none.

        A prior costs one pass over the data, and searches that begin with it find better subsets than those that begin
        with as many probes as the paper's, or with both (measured: see the decisions).

        Parameters
        ----------
        may_look : bool
            Whether an addition may value more than its budget, to look at every feature once.
        """
        if self.options.get("prior") is not None:
            return None
        forward, backward = self._given_budgets
        dearness = self._usual / self.operations(1) if isfinite(self._usual) else 1.0
        if not (may_look and self.takes_single_features):
            dearness = 0.0
        return automatic_warm_up(
            self.method, self.n_features, self.n_steps, forward, backward, most=self.most, dearness=dearness
        )

    @property
    def _given_budgets(self) -> tuple[Budget, Budget]:
        forward, backward = (self.options.get(name, getattr(self.method.steps, name)) for name in BUDGETS)
        return forward, backward

    @property
    def _usual(self) -> float:
        """What a candidate costs halfway."""
        return self.operations(max(1, (origin(self.method, self.n_features) + self.end) // 2))
