"""Which linear models with a smooth loss are computed at their optimum, and under which conditions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf
from typing import Any

import numpy as np
from sklearn.linear_model import GammaRegressor, HuberRegressor, LogisticRegression, PoissonRegressor
from sklearn.svm import LinearSVC

from sweepless.criteria.linear.huber import HuberModel
from sweepless.criteria.linear.log_linear import LogLinearModel, suits
from sweepless.criteria.linear.smooth import LinearModel
from sweepless.criteria.scores.base import Score
from sweepless.criteria.scores.names import SCORES
from sweepless.criteria.scores.slack import has_slack
from sweepless.selectors.native_rules import Recipe, Setting
from sweepless.selectors.native_scores import NotNative

_COARSEST = 1e-3  # the tolerance of a solver, and
_FEWEST = 100  # the number of iterations, that let it come near the optimum


def _logistic(estimator: Any, setting: Setting) -> Recipe:
    score = _score(estimator, setting)
    penalty = getattr(estimator, "penalty", "deprecated")
    if penalty is None or np.isposinf(estimator.C):
        raise NotNative("without a penalty there may be no optimum")
    if penalty not in ("deprecated", "l2") or (penalty == "deprecated" and estimator.l1_ratio not in (None, 0)):
        raise NotNative("a penalty on absolute coefficients is not smooth")
    scaling = inf
    if estimator.solver == "liblinear":
        if len(setting.data.classes) > 2:
            raise NotNative("liblinear takes two classes only")
        scaling = _positive(estimator, "intercept_scaling")
    return _model("logistic", estimator, setting, score, scaling)


def _linear_machine(estimator: Any, setting: Setting) -> Recipe:
    score = _score(estimator, setting)
    if estimator.penalty != "l2" or estimator.loss != "squared_hinge":
        raise NotNative(f"`loss={estimator.loss!r}` with `penalty={estimator.penalty!r}` is not smooth")
    if estimator.multi_class != "ovr":
        raise NotNative(f"`multi_class={estimator.multi_class!r}` is not computed natively")
    return _model("squared_hinge", estimator, setting, score, _positive(estimator, "intercept_scaling"))


def _log_linear(loss: Any, estimator: Any, setting: Setting) -> Recipe:
    score = setting.require_numbers(estimator)
    if setting.scoring is None:
        score = "d2"  # these estimators score themselves by their own deviance
    elif not has_slack(SCORES[score] if isinstance(score, str) else score):
        raise NotNative(f"the score {score} is not computed natively for this estimator")
    _require_convergence(estimator, setting)
    if estimator.alpha == 0.0:
        raise NotNative("without a penalty there may be no optimum")
    target = setting.data.target
    if not suits(loss, target) or any(not np.any(target[train]) for train, _ in setting.splits):
        raise NotNative("the target holds numbers that the loss does not take")
    if any(np.ptp(target[test]) == 0 for _, test in setting.splits):
        raise NotNative("the target is constant in a fold")
    alpha, intercept = _positive(estimator, "alpha"), bool(estimator.fit_intercept)
    return lambda folds: LogLinearModel(loss, alpha, folds, score, intercept)


def _huber(estimator: Any, setting: Setting) -> Recipe:
    score = setting.require_numbers(estimator)
    _require_convergence(estimator, setting)
    if estimator.epsilon <= 1.0:
        raise NotNative("with `epsilon=1` the scale shrinks to nothing")
    epsilon, intercept = _positive(estimator, "epsilon"), bool(estimator.fit_intercept)
    alpha = _positive(estimator, "alpha") if estimator.alpha else 0.0
    return lambda folds: HuberModel(epsilon, alpha, folds, score, intercept)


def _score(estimator: Any, setting: Setting) -> Any:
    """Return the score; those that are relative to a loss have no grid to round to."""
    score = setting.require_classes(estimator)
    whole = SCORES[score] if isinstance(score, str) else score
    if getattr(whole, "is_relative", False):
        raise NotNative(f"the score {whole.name} is not computed natively for this estimator")
    return score


def _model(loss: Any, estimator: Any, setting: Setting, score: str | Score, scaling: float) -> Recipe:
    _require_convergence(estimator, setting)
    weights = _class_weight(estimator.class_weight, setting)
    C, intercept = _positive(estimator, "C"), bool(estimator.fit_intercept)
    return lambda folds: LinearModel(loss, C, folds, score, weights, intercept, scaling, "nan")


def _require_convergence(estimator: Any, setting: Setting) -> None:
    setting.require_doubles()
    if estimator.max_iter < _FEWEST or estimator.tol > _COARSEST:
        raise NotNative(
            f"`max_iter={estimator.max_iter!r}` and `tol={estimator.tol!r}` let it stop far from the optimum"
        )


def _class_weight(given: Any, setting: Setting) -> Any:
    if given is None or (isinstance(given, str) and given == "balanced"):
        return given
    classes = set(setting.data.classes.tolist())
    if not isinstance(given, dict) or set(given) != classes or not all(0.0 < weight < inf for weight in given.values()):
        raise NotNative("`class_weight` is not a positive number for each class")
    return given


def _positive(estimator: Any, name: str) -> float:
    value = getattr(estimator, name)
    if not isinstance(value, (int, float, np.integer, np.floating)) or not 0.0 < value < inf:
        raise NotNative(f"`{name}={value!r}` is not computed natively")
    return float(value)


LINEAR: dict[type, Callable[[Any, Setting], Recipe]] = {
    LogisticRegression: _logistic,
    LinearSVC: _linear_machine,
    HuberRegressor: _huber,
    PoissonRegressor: partial(_log_linear, "poisson"),
    GammaRegressor: partial(_log_linear, "gamma"),
}
"""Estimators that are computed at their optimum, which they themselves only approach."""
