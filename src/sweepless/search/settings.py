"""All settings of a search: the name, type, default and meaning of each, in one place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from enum import Enum
from math import inf
from typing import Any, Final, cast

import numpy as np

from sweepless.engine.generator import Rng
from sweepless.errors import InputError
from sweepless.search.budget import Budget, BudgetFraction, BudgetWord, checked_budget
from sweepless.search.cost_model import CostModel
from sweepless.search.methods import METHODS, Method
from sweepless.search.proposal import PROPOSALS, Proposal
from sweepless.search.statistics import STATISTICS, Statistics
from sweepless.search.stop import Limits
from sweepless.search.warm_up import WarmUp


class Default(Enum):
    """A marker for settings that were not chosen."""

    OWN = "the method's own"

    def __repr__(self) -> str:
        return "OWN"


OWN: Final = Default.OWN
"""The default of every setting whose default depends on the method."""

MAX_SIZE = 100
"""The largest size that a growing search goes to by default."""
N_FOLDS = 5
"""The default number of cross-validation folds, as in scikit-learn."""
_GENERAL = ("method", "target", "overshoot", "start", "seed", "rng", "racing", "options")


@dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """All settings of a search besides its criterion and its data.

    Selectors, the command line, campaigns and `run` all build this object; `plan` resolves it once for a number of
    features. Settings from a file or a command line may be words: a budget may be "full" or a fraction, a warm-up
    "none", "auto" or `"200@10"`, and a proposal or statistics may be given by name.

    Parameters
    ----------
    method : str or Method
        A name from `METHODS`: "SFFS", "sSFFS", "OS", "BIF" …
    target : int, optional
        The size to find; without it the search goes on to its end or to a limit, and the best size wins.
    overshoot : int or None
        How far past the target the frontier of a floating search may go; None is unrestricted.
    start : array of int or {"scores", "ranking", "random"}, optional
        The subset to begin with, or a way to make one, instead of the method's own start.
    max_size, max_evaluations, max_seconds, patience, tol : optional
        Limits; see `Limits`. A run that ends at one of them, or by Ctrl-C, still has a valid result.
    seed : int
    rng : {"portable", "reference"} or Rng
    racing : "auto" or None
        "auto" drops candidates that cannot win a step by their first folds, where an estimator is fitted; see `Race`.
    budget, backward_budget : "auto", "paper", int, BudgetFraction or None
        Candidates valued per addition and per removal; None is the full sweep. "auto", the default for methods given
        by name, follows what a candidate costs as the criterion declares it: all of them if they are cheap, at least
        100 and 50. "paper" is 100 and 50, for removals too unless they have a budget of their own; so is the default
        with the reference generator.
    proposal : Proposal or {"softmax", "uniform", "top-k"}
        How candidates are drawn.
    floor_fraction : float
        Share of the budget that explores the least evaluated features (0.2).
    temperature : float or None
        Temperature of the softmax; None derives it from the scores.
    statistics : Statistics or {"contrast", "raw-mean", "raw-contrast", "frozen"}
        What is learned about single features.
    horizon : int
        Number of updates after which the statistics of a feature begin to forget (100).
    warm_up : "auto", "M@R", WarmUp or None
        Random subsets valued before the search to seed the statistics: M subsets of R features. "auto", the default for
        methods given by name, is off if there is a prior or a screen, or if every addition is a sweep. Else it includes
        every feature about five times and costs at most as much as the search itself; where the budget is automatic,
        the first addition values every feature if that costs less than the search. With `max_seconds` the warm-up takes
        at most half of that time.
    prior : "auto", array or None
        Initial scores of the features. "auto", the default for methods given by name unless a certain warm-up is asked
        for, takes what the criterion promises of single features: by default their R² with the target.
    screen : Criterion
        A cheap criterion that proposes the candidates besides the floor; by name, methods have the criterion's own.
    tuple_size : int
        Features per step (1).
    measure : str or None
        The measure by which BIF ranks features instead of the criterion.
    ties : {"low", "high"}
        Which of several features with equal scores a ranking puts first.
    normalized : bool
        Whether DAF divides by deviations.
    n_probes, probe_sizes : int or None, (int, int)
        Number of probes of a DAF, and the smallest and the largest size of them.
    max_cost, cost_model : float, CostModel
        Draw probes until their modelled cost reaches `max_cost`.
    drop_duplicates : bool
        Count equal probes once.
    pool_size : int
        Number of best single features within which LFS searches.
    n_returns, min_gain : int, float
        How often features that FBED dropped come back (1), and the gain that one must exceed to stay in play (0).
    l, r : int
        Additions and removals per cycle of (l,r) and G(l,r).
    r_max, neighborhood : int
        The largest tuple of adaptive floating searches, and how near the target they use it.
    max_depth, reuse_ends : int, bool
        The deepest swing of oscillating searches, and whether a swing may continue from the end of the last one.
    options : mapping, optional
        Options of your own schedule or steps.
    """

    method: str | Method = "sSFFS"
    target: int | None = None
    overshoot: int | None = 5
    start: Any = None
    max_size: int | None = None
    max_evaluations: int | None = None
    max_seconds: float | None = None
    patience: int | None = None
    tol: float = 0.0
    seed: int = 0
    rng: str | Rng = "portable"
    racing: str | None = "auto"
    budget: Budget | str | Default = OWN
    backward_budget: Budget | str | Default = OWN
    proposal: Proposal | str | Default = OWN
    floor_fraction: float | Default = OWN
    temperature: float | Default | None = OWN
    statistics: Statistics | str | Default = OWN
    horizon: int | Default = OWN
    warm_up: WarmUp | str | Default | None = OWN
    prior: Any = OWN
    screen: Any = OWN
    tuple_size: int | Default = OWN
    measure: str | Default | None = OWN
    ties: str | Default = OWN
    normalized: bool | Default = OWN
    n_probes: int | Default | None = OWN
    probe_sizes: tuple[int, int] | Default = OWN
    max_cost: float | Default | None = OWN
    cost_model: CostModel | Default | None = OWN
    drop_duplicates: bool | Default = OWN
    pool_size: int | Default = OWN
    n_returns: int | Default = OWN
    min_gain: float | Default = OWN
    l: int | Default = OWN  # noqa: E741 - the literature's name
    r: int | Default = OWN
    r_max: int | Default = OWN
    neighborhood: int | Default = OWN
    max_depth: int | Default = OWN
    reuse_ends: bool | Default = OWN
    options: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        for name, read in _READERS.items():
            if (value := getattr(self, name)) is not OWN:
                object.__setattr__(self, name, read(name, value))

    @property
    def limits(self) -> Limits:
        return Limits(self.max_evaluations, self.max_seconds, self.max_size, self.patience, self.tol)

    @property
    def given(self) -> dict[str, Any]:
        """The options of steps and schedule that were chosen explicitly."""
        chosen = {name: value for name in OPTIONS if (value := getattr(self, name)) is not OWN}
        return chosen | dict(self.options or {})

    def to_dict(self, unnamed: Callable[[Any], Any] = repr) -> dict[str, Any]:
        """Return the chosen settings as plain values that `from_dict` reads.

        Parameters
        ----------
        unnamed : callable
            Describes objects that have no name, such as a proposal of your own.
        """
        values = ((field.name, getattr(self, field.name)) for field in fields(self))
        return {name: _plain(name, value, unnamed) for name, value in values if value is not OWN}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> SearchSettings:
        """Build settings from plain values."""
        return cls(**{name: _rebuilt(name, value) for name, value in plain.items()})


def _read_budget(name: str, word: Any) -> Budget | BudgetWord:
    if isinstance(word, str):
        if word in ("auto", "paper"):
            return cast(BudgetWord, word)
        if word == "full":
            return None
    return BudgetFraction(word) if isinstance(word, float) else checked_budget(name, word)


def _read_warm_up(name: str, word: Any) -> WarmUp | str | None:
    if word is None or word is False or (isinstance(word, str) and word == "none"):
        return None
    if isinstance(word, WarmUp) or (isinstance(word, str) and word == "auto"):
        return word
    if isinstance(word, str) and "@" in word:
        return WarmUp.parse(word)
    raise InputError(f"`{name}` must be 'auto', 'M@R', a WarmUp or None, got {word!r}.")


def _read_racing(name: str, word: Any) -> str | None:
    if word is None or (isinstance(word, str) and word in ("auto", "none")):
        return "auto" if word == "auto" else None
    raise InputError(f"`{name}` must be 'auto' or None, got {word!r}.")


def _read_prior(name: str, word: Any) -> Any:
    if word is None or (isinstance(word, str) and word == "none"):
        return None
    if np.ndim(word) != 1 and not (isinstance(word, str) and word == "auto"):
        raise InputError(f"`{name}` must be 'auto', an array of scores or None, got {word!r}.")
    return word


def _by_name(known: Mapping[str, type], kind: type) -> Callable[[str, Any], Any]:
    def read(name: str, word: Any) -> Any:
        if isinstance(word, kind):
            return word
        if not isinstance(word, str) or word not in known:
            raise InputError(f"`{name}` must be one of {', '.join(known)}, or a {kind.__name__}, got {word!r}.")
        return known[word]()

    return read


def _read_sizes(name: str, sizes: Any) -> Any:
    return tuple(sizes) if isinstance(sizes, list) else sizes


_READERS: dict[str, Callable[[str, Any], Any]] = {
    "budget": _read_budget,
    "backward_budget": _read_budget,
    "warm_up": _read_warm_up,
    "racing": _read_racing,
    "prior": _read_prior,
    "proposal": _by_name(PROPOSALS, Proposal),
    "statistics": _by_name(STATISTICS, Statistics),
    "probe_sizes": _read_sizes,
}
_PARTS: dict[str, Mapping[str, type]] = {
    "proposal": PROPOSALS,
    "statistics": STATISTICS,
    "warm_up": {"warm-up": WarmUp},
    "cost_model": {"cost model": CostModel},
}
LIMITS = tuple(field.name for field in fields(Limits))
"""The settings that limit how far a search goes and do not change its path."""
OPTIONS = tuple(
    field.name for field in fields(SearchSettings) if field.name not in _GENERAL and field.name not in LIMITS
)
"""The settings of steps and schedules, which only some methods have."""


def _plain(name: str, value: Any, unnamed: Callable[[Any], Any]) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and value == inf:
        return None
    if value is None:
        return "full" if name.endswith("budget") else None
    if isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, BudgetFraction):
        return value.fraction
    if isinstance(value, Rng):
        return value.name
    if isinstance(value, tuple):
        return list(value)
    if name == "start" and isinstance(value, np.ndarray | list):
        return [int(feature) for feature in value]
    if isinstance(value, Method) and METHODS.get(value.name) == value:
        return value.name
    word = {kind: word for word, kind in _PARTS.get(name, {}).items()}.get(type(value))
    if word is None:
        return unnamed(value)
    made_of = (field.name for field in fields(value) if field.init and field.repr)
    return {"name": word} | {part: _plain(name, getattr(value, part), unnamed) for part in made_of}


def _rebuilt(name: str, plain: Any) -> Any:
    if not isinstance(plain, Mapping) or name == "options":
        return plain
    known = _PARTS.get(name, {})
    if plain.get("name") not in known:
        raise InputError(f"`{name}` must be given again, because it has parts that sweepless does not know.")
    parts = {key: _rebuilt(name, part) for key, part in plain.items() if key != "name"}
    return known[plain["name"]](**parts)
