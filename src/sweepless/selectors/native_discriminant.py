"""When discriminant analysis is computed natively."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sweepless._versions import versions
from sweepless.criteria.base import Criterion
from sweepless.criteria.discriminant.linear import LinearDiscriminant
from sweepless.criteria.discriminant.outcome import CLASS_SCORES
from sweepless.criteria.discriminant.quadratic import QuadraticDiscriminant
from sweepless.criteria.scores.names import score_of
from sweepless.selectors.native_parameters import require, require_number, shares
from sweepless.selectors.native_scores import NotNative

if TYPE_CHECKING:
    from sweepless.selectors.native_rules import Setting

_LARGEST_TOL = 1e100


def linear_discriminant(estimator: Any, setting: Setting) -> Callable[[Any], Criterion]:
    """Return what makes the native criterion of `LinearDiscriminantAnalysis`."""
    score, solver = setting.require_classes(estimator), estimator.solver
    require(estimator, "n_components", None)
    require(estimator, "solver", "svd", "lsqr", "eigen")
    if len(setting.data.classes) > 2 and solver != "svd" and score_of(score, *CLASS_SCORES).needs == "outputs":
        raise NotNative(f"`solver={solver!r}` ranks samples of more than two classes in its own way")
    shrinkage, priors = _normal(estimator, setting)
    tol = require_number(estimator, "tol", 0.0, _LARGEST_TOL)
    return lambda folds: LinearDiscriminant(solver, shrinkage, priors, tol, folds, score)


def quadratic_discriminant(estimator: Any, setting: Setting) -> Callable[[Any], Criterion]:
    """Return what makes the native criterion of `QuadraticDiscriminantAnalysis`."""
    score = setting.require_classes(estimator)
    shrinkage, priors = _normal(estimator, setting)
    solver = estimator.solver
    require(estimator, "solver", "svd", "eigen")
    share = require_number(estimator, "reg_param", 0.0, 1.0)
    tol = require_number(estimator, "tol", 0.0, _LARGEST_TOL)
    return lambda folds: QuadraticDiscriminant(solver, shrinkage, share, priors, tol, folds, score)


def _normal(estimator: Any, setting: Setting) -> tuple[Any, Any]:
    """Return the shrinkage and the priors."""
    if tuple(map(int, versions()["scikit-learn"].split(".")[:2])) < (1, 9):
        raise NotNative("scikit-learn estimates covariances otherwise before version 1.9")
    setting.require_dense()
    setting.require_doubles()
    require(estimator, "covariance_estimator", None)
    shrinkage = estimator.shrinkage
    if shrinkage is not None and estimator.solver == "svd":
        raise NotNative("the solver svd does not shrink")
    if shrinkage is not None and not (isinstance(shrinkage, str) and shrinkage == "auto"):
        shrinkage = require_number(estimator, "shrinkage", 0.0, 1.0)
    return shrinkage, shares(estimator.priors, setting)
