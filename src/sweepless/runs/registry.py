"""Words of the command line and of specs into options of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sweepless.errors import InputError
from sweepless.search.budget import Budget, BudgetFraction, checked_budget
from sweepless.search.methods import METHODS
from sweepless.search.options import schedule_options, step_options
from sweepless.search.proposal import PROPOSALS
from sweepless.search.sampled import WarmUp
from sweepless.search.statistics import (
    ContrastStatistics,
    Frozen,
    RawContrastStatistics,
    RawMeanStatistics,
    Statistics,
)

STATISTICS: dict[str, type[Statistics]] = {
    "contrast": ContrastStatistics,
    "raw-mean": RawMeanStatistics,
    "raw-contrast": RawContrastStatistics,
    "frozen": Frozen,
}
_OBJECTS = ("prior", "cost_model", "max_cost")  # options that no word can say


def read_options(method: str, words: Mapping[str, Any]) -> dict[str, Any]:
    """Return options of a run from words and numbers; `run` says what does not belong to the method."""
    if method not in METHODS:
        raise InputError(f"`method` must be one of {', '.join(METHODS)}, got {method!r}.")
    sayable = [
        name for name in [*step_options(METHODS[method]), *schedule_options(METHODS[method])] if name not in _OBJECTS
    ]
    options: dict[str, Any] = {}
    for name, word in words.items():
        # A sweeping method accepts `full` and `none`, which are what it does anyway.
        if name not in sayable:
            if (name, word) in (("budget", "full"), ("backward_budget", "full"), ("warm_up", "none")):
                continue
            raise InputError(f"`{name}` is not an option of {method}; its options are: {', '.join(sayable) or 'none'}.")
        options[name] = _read(name, word)
    return options


def _read(name: str, word: Any) -> Any:
    if name in ("budget", "backward_budget"):
        return read_budget(name, word)
    if name == "warm_up":
        return read_warm_up(word)
    if name == "proposal":
        return _named(name, word, PROPOSALS)()
    if name == "statistics":
        return _named(name, word, STATISTICS)()
    return tuple(word) if isinstance(word, list) else word


def read_budget(name: str, word: Any) -> Budget:
    """Read a count, a fraction below 1, or `full`."""
    if word == "full":
        return None
    return BudgetFraction(word) if isinstance(word, float) else checked_budget(name, word)


def read_warm_up(word: Any) -> WarmUp | None:
    """Read m0 @ r, or `none`."""
    if word == "none":
        return None
    if not isinstance(word, str):
        raise InputError(f"a warm-up must look like 200@10, got {word!r}.")
    return WarmUp.parse(word)


def _named(name: str, word: Any, known: Mapping[str, Any]) -> Any:
    if not isinstance(word, str) or word not in known:
        raise InputError(f"`{name}` must be one of {', '.join(known)}, got {word!r}.")
    return known[word]
