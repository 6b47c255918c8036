"""Words of the command line and of specs into what they mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sweepless.criteria.base import Criterion
from sweepless.errors import InputError
from sweepless.search.budget import Budget, BudgetFraction, checked_budget
from sweepless.search.methods import METHODS
from sweepless.search.options import schedule_options, step_options
from sweepless.search.proposal import Proposal, SoftmaxProposal, TopKProposal, UniformProposal
from sweepless.search.sampled import WarmUp
from sweepless.search.statistics import (
    ContrastStatistics,
    Frozen,
    RawContrastStatistics,
    RawMeanStatistics,
    Statistics,
)

PROPOSALS: dict[str, type[Proposal]] = {
    "softmax": SoftmaxProposal,
    "uniform": UniformProposal,
    "top-k": TopKProposal,
}
STATISTICS: dict[str, type[Statistics]] = {
    "contrast": ContrastStatistics,
    "raw-mean": RawMeanStatistics,
    "raw-contrast": RawContrastStatistics,
    "frozen": Frozen,
}
# Name of a criterion: its class, what a word or number can say about it, and the classifier that validates it.
_CRITERIA: dict[str, tuple[str, tuple[str, ...], str | None]] = {
    "knn": ("KNN", ("n_neighbors", "folds", "ties", "metric"), "knn"),
    "multinomial": ("MultinomialBhattacharyya", ("prior",), "multinomial-nb"),
    "gaussian-nb": ("GaussianNB", ("folds", "var_smoothing", "priors", "unvarying"), "gaussian-nb"),
    "multinomial-nb": ("MultinomialNB", ("folds", "alpha", "priors"), "multinomial-nb"),
    "svm": ("SVM", ("C", "gamma", "folds"), "svm"),
    "ridge": ("RidgeCriterion", ("alpha", "folds", "score"), "ridge"),
    "cfs": ("CFS", ("bins",), None),
}
CRITERIA = tuple(_CRITERIA)
_OBJECTS = ("prior", "cost_model", "max_cost")  # options that no word can say


def make_criterion(name: str, parameters: Mapping[str, Any]) -> Criterion:
    """Return the criterion of a name with some of its parameters set."""
    import sweepless as sw  # here, so that only the criterion asked for is loaded

    if name not in _CRITERIA:
        raise InputError(f"`name` must be one of {', '.join(CRITERIA)}, got {name!r}.")
    kind, known, _ = _CRITERIA[name]
    for key in parameters:
        if key not in known:
            raise InputError(f"`{key}` is not a parameter of {name}; its parameters are: {', '.join(known)}.")
    made = getattr(sw, kind)(**parameters)
    assert isinstance(made, Criterion)  # nosec B101 # only tells the type
    return made


def classifier_of(name: str) -> str | None:
    """Return what the classifier that validates a criterion is called, None if it has none."""
    return _CRITERIA[name][2]


def default_scale(name: str) -> str:
    """Return how features are scaled for a criterion unless it is said: distances need one scale."""
    return "train" if name in ("knn", "svm") else "none"


def read_options(method: str, words: Mapping[str, Any]) -> dict[str, Any]:
    """Return options of a run from words and numbers; `run` says what does not belong to the method."""
    if method not in METHODS:
        raise InputError(f"`method` must be one of {', '.join(METHODS)}, got {method!r}.")
    sayable = [
        name for name in [*step_options(METHODS[method]), *schedule_options(METHODS[method])] if name not in _OBJECTS
    ]
    options: dict[str, Any] = {}
    for name, word in words.items():
        # A sweeping method may be told to sweep: `full` and `none` are what it does anyway.
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
