"""What a plan chooses where nobody says: the budgets of the steps, and the warm-up."""

from __future__ import annotations

from math import isfinite
from typing import Any

from sweepless.search.budget import PAPER, Operations, automatic_budget
from sweepless.search.methods import Method
from sweepless.search.settings import SearchSettings
from sweepless.search.warm_up import AutomaticWarmUp, automatic_warm_up, n_steps, origin

BUDGETS = ("budget", "backward_budget")


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
    """

    def __init__(
        self, settings: SearchSettings, method: Method, options: dict[str, Any], n_features: int, operations: Operations
    ) -> None:
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
            elif name in words:
                found[name] = automatic_budget(least, pool_size, self._usual, self.n_steps, self.most)
        return found

    def warm_up(self, *, may_look: bool) -> AutomaticWarmUp | None:
        """Choose a warm-up for the budgets among the options.

        Parameters
        ----------
        may_look : bool
            Whether an addition may value more than its budget, to look at every feature once.
        """
        forward, backward = (self.options.get(name, getattr(self.method.steps, name)) for name in BUDGETS)
        dearness = self._usual / self.operations(1) if isfinite(self._usual) else 1.0
        if not (may_look and self.takes_single_features and self.options.get("prior") is None):
            dearness = 0.0
        return automatic_warm_up(
            self.method, self.n_features, self.n_steps, forward, backward, most=self.most, dearness=dearness
        )

    @property
    def _usual(self) -> float:
        """What a candidate costs halfway."""
        return self.operations(max(1, (origin(self.method, self.n_features) + self.end) // 2))
