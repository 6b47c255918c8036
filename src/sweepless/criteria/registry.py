"""The names of criteria, and of the classifiers and regressors that validate, for the command line and for files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from sweepless import criteria  # whose modules are loaded only when a criterion is asked for
from sweepless._nearest import or_nearest
from sweepless.errors import InputError

if TYPE_CHECKING:  # the command line lists the names before it loads anything
    from sweepless.criteria.base import Criterion
    from sweepless.dataset import Task


@dataclass(frozen=True)
class _Entry:
    """The criterion behind a name.

    Attributes
    ----------
    kind : str
        The name of its class in `sweepless.criteria`.
    parameters : tuple of str
        The parameters that can be set by a word or a number.
    tasks : tuple of str
        The tasks it can value subsets for.
    predictor : str or None
        The name of the classifier or regressor that validates it.
    scale : str
        How features are scaled for it by default: distances need one scale.
    """

    kind: str
    parameters: tuple[str, ...]
    tasks: tuple[Task, ...] = ("classification",)
    predictor: str | None = None
    scale: Literal["train", "none"] = "none"


_CRITERIA = {
    "knn": _Entry("KNN", ("n_neighbors", "folds", "ties", "metric", "score"), predictor="knn", scale="train"),
    "knn-regression": _Entry(
        "KNNRegression",
        ("n_neighbors", "folds", "score", "metric"),
        ("regression",),
        predictor="knn-regression",
        scale="train",
    ),
    "soft-neighbors": _Entry("SoftNeighbors", ("bandwidth", "power", "score"), predictor="knn", scale="train"),
    "ridge": _Entry(
        "RidgeCriterion",
        ("alpha", "folds", "score", "class_weight"),
        ("classification", "regression"),
        predictor="ridge",
    ),
    "information": _Entry(
        "InformationCriterion", ("score", "alpha"), ("classification", "regression"), predictor="ridge"
    ),
    "gaussian-nb": _Entry(
        "GaussianNB",
        ("folds", "var_smoothing", "priors", "unvarying", "score", "tempering"),
        predictor="gaussian-nb",
    ),
    "multinomial-nb": _Entry(
        "MultinomialNB", ("folds", "alpha", "priors", "score", "tempering"), predictor="multinomial-nb"
    ),
    "multinomial": _Entry("MultinomialBhattacharyya", ("prior",), predictor="multinomial-nb"),
    "svm": _Entry("SVM", ("C", "gamma", "folds"), predictor="svm", scale="train"),
    "cfs": _Entry("CFS", ("bins",)),
    "wilks": _Entry("WilksLambda", ("regularization",)),
}
CRITERIA = tuple(_CRITERIA)
"""The names of the criteria."""

# The criterion, with its parameters, that validates by each classifier or regressor; where there is none, the name of
# a function of `criteria.predictors`.
_PREDICTORS: dict[Task, dict[str, str | tuple[str, dict[str, Any]]]] = {
    "classification": {
        "knn": ("knn", {}),
        "svm": ("svm", {}),  # radial, C = 1, gamma = 1 / (size · variance): A52
        "multinomial-nb": ("multinomial", {}),  # its holdout is multinomial naive Bayes
        "gaussian-nb": ("gaussian-nb", {}),
        "ridge": ("ridge", {"score": "accuracy"}),
        "logistic": "logistic",
        "forest": "forest",
    },
    "regression": {
        "ridge": ("ridge", {}),
        "knn-regression": ("knn-regression", {}),
        "forest": "regression_forest",
    },
}
CLASSIFIERS = tuple(_PREDICTORS["classification"])
"""The names of the classifiers that can validate."""
REGRESSORS = tuple(_PREDICTORS["regression"])
"""The names of the regressors that can validate."""


def criteria_for(task: Task) -> tuple[str, ...]:
    """Return the names of the criteria for classes, or for numbers; the default one first."""
    return tuple(sorted((name for name in CRITERIA if task in _CRITERIA[name].tasks), key=_DEFAULTS[task].__ne__))


# As in `SequentialSelector` without an estimator.
_DEFAULTS: dict[Task, str] = {"classification": "knn", "regression": "ridge"}


def make_criterion(name: str, parameters: Mapping[str, Any]) -> Criterion:
    """Return the criterion of a name with some of its parameters set."""
    if name not in _CRITERIA:
        raise InputError(f"`name` must be one of {', '.join(CRITERIA)}, got {name!r}{or_nearest(name, CRITERIA)}")
    known = _CRITERIA[name].parameters
    for key in parameters:
        if key not in known:
            listed = f"its parameters are: {', '.join(known)}{or_nearest(key, known)}"
            raise InputError(f"`{key}` is not a parameter of {name}; {listed}")
    made: Criterion = getattr(criteria, _CRITERIA[name].kind)(**parameters)
    return made


def make_predictor(name: str, task: Task) -> Criterion:
    """Return the criterion that validates by a classifier or regressor."""
    if name not in _PREDICTORS[task]:
        kind = "classifier" if task == "classification" else "regressor"
        known = _PREDICTORS[task]
        raise InputError(f"`{kind}` must be one of {', '.join(known)}, got {name!r}{or_nearest(name, known)}")
    entry = _PREDICTORS[task][name]
    if isinstance(entry, str):
        made: Criterion = getattr(import_module("sweepless.criteria.predictors"), entry)()
        return made
    return make_criterion(*entry)


def predictors_for(task: Task) -> tuple[str, ...]:
    """Return the names of the classifiers, or of the regressors, that can validate."""
    return CLASSIFIERS if task == "classification" else REGRESSORS


def predictor_of(name: str) -> str | None:
    """Return the name of the classifier or regressor that validates a criterion, or None."""
    return _CRITERIA[name].predictor


def parameters_of(name: str) -> tuple[str, ...]:
    """Return the names of the parameters of a criterion."""
    return _CRITERIA[name].parameters


def default_scale(name: str) -> Literal["train", "none"]:
    """Return how features are scaled for a criterion by default."""
    return _CRITERIA[name].scale


def score_for(name: str, task: Task) -> dict[str, str]:
    """Return the parameter that makes a criterion value subsets for a task, if it can do both."""
    return {"score": "accuracy"} if name == "ridge" and task == "classification" else {}


def task_of(name: str, parameters: Mapping[str, Any]) -> Task:
    """Return the task of a criterion with these parameters."""
    tasks = _CRITERIA[name].tasks
    if len(tasks) == 1:
        return tasks[0]
    return task_of_score(parameters.get("score")) or "regression"


def task_of_score(score: object) -> Task | None:
    """Return the task that a score implies, if it implies one."""
    return "classification" if score in ("accuracy", "class_r2") else None


def fitting_task(given: Task | None, criterion: str | None, has_classes: bool) -> Task:
    """Return the task: the given one, else the only one of the criterion, else the one that suits the target."""
    if given is not None and criterion is not None and given not in _CRITERIA[criterion].tasks:
        raise InputError(
            f"the criterion for {given} must be one of {', '.join(criteria_for(given))}, got {criterion!r}."
        )
    if given is not None:
        return given
    if criterion is not None and len(_CRITERIA[criterion].tasks) == 1:
        return _CRITERIA[criterion].tasks[0]
    return "classification" if has_classes else "regression"
