"""Which estimators a native criterion computes exactly, and under which conditions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.svm import SVC, SVR

from sweepless._typing import AnyArray
from sweepless.criteria.base import Criterion
from sweepless.criteria.bayes import gaussian, multinomial
from sweepless.criteria.linear.least_squares import LeastSquares
from sweepless.criteria.neighbors.distance import DistanceKNN
from sweepless.criteria.neighbors.knn import KNN
from sweepless.criteria.neighbors.regression import KNNRegression
from sweepless.criteria.scores.base import Needs, Score
from sweepless.criteria.scores.names import SCORES, score_of
from sweepless.criteria.scoring import has_squares
from sweepless.criteria.svm import SVM
from sweepless.dataset import Dataset
from sweepless.selectors.far import FARTHEST, is_far
from sweepless.selectors.native_discriminant import linear_discriminant, quadratic_discriminant
from sweepless.selectors.native_parameters import class_weights
from sweepless.selectors.native_parameters import require as _require
from sweepless.selectors.native_parameters import shares as _shares
from sweepless.selectors.native_scores import NotNative, score_for

Splits: TypeAlias = Sequence[tuple[Any, Any]]
"""Pairs of row numbers: those to train on, those to test."""
Recipe: TypeAlias = Callable[[Any], Criterion]
"""Makes the criterion for a partition, or for one split."""

_LARGEST = 1e100
_LARGEST_TREE = 15  # features up to which `algorithm="auto"` of k-NN is a tree
# The ratio of singular values from which on solvers that use them lose the twelfth digit.
_WIDEST = 2.0**-13


@dataclass(frozen=True)
class Setting:
    """Everything about a cross-validation except the estimator."""

    data: Dataset
    scoring: Any
    splits: Splits
    is_scaled: bool
    n_jobs: int | Literal["auto"]

    @property
    def is_sparse(self) -> bool:
        return bool(sparse.issparse(self.data.X))

    @property
    def is_narrow(self) -> bool:
        """Whether X holds floating-point numbers other than doubles, with which estimators may compute."""
        return bool(self.data.X.dtype.kind == "f" and self.data.X.dtype.itemsize != 8)

    def require_classes(self, estimator: Any, *known: Needs) -> Any:
        """Return the score; raise unless it is native, and a known one, and every training part has two classes."""
        target = self.data.target
        if target.ndim != 1 or (target.dtype.kind == "f" and not np.array_equal(target, np.trunc(target))):
            raise NotNative("the target is not one class label per sample")
        classes = self.data.classes.tolist()
        if classes != sorted(classes):
            raise NotNative("the classes are given in an order of their own")
        n_trained = [len(np.unique(self.data.codes[train])) for train, _ in self.splits]
        if min(n_trained) < 2:
            raise NotNative("a training part holds one class only")
        score = score_for(self.scoring, estimator, self.data.classes)
        if known and score.needs not in known:
            raise NotNative(f"{score.name} needs {score.needs}, which are not computed natively")
        if score.needs != "labels" and min(n_trained) < len(classes):
            raise NotNative(f"{score.name} needs every class in every training part")
        return self._defined(score, self.data.classes, self.data.codes)

    def require_numbers(self, estimator: Any) -> Any:
        """Return the score; raise unless it is native and one number per sample is to be predicted."""
        target = self.data.target
        if target.ndim != 1 or target.dtype.kind not in "iuf" or (target.dtype.kind == "f" and target.itemsize != 8):
            raise NotNative("the target is not one double or integer per sample")
        score = self._defined(score_for(self.scoring, estimator, np.empty(0)), np.empty(0), target)
        if not has_squares(target):
            raise NotNative("squared differences of the target overflow or vanish")
        if is_far(target):
            raise NotNative(f"the mean of the target is more than {FARTHEST:,.0f} deviations from zero")
        return score

    def _defined(self, score: Score, classes: AnyArray, truth: AnyArray) -> Score | str:
        """Return the score, by its name if it has one; raise unless scikit-learn defines it on all folds."""
        objection = score.objection(classes, [truth[test] for _, test in self.splits])
        if objection is not None:
            raise NotNative(objection)
        return score.name if SCORES.get(score.name) == score else score

    def require_doubles(self) -> None:
        if self.is_narrow:
            raise NotNative(f"the estimator computes on {self.data.X.dtype} with fewer digits than a native criterion")

    def require_dense(self) -> None:
        if self.is_sparse:
            raise NotNative("the estimator treats sparse data in its own way")


def _knn(estimator: Any, setting: Setting) -> Recipe:
    score = setting.require_classes(estimator)
    metric = _neighbors(estimator, setting)
    if estimator.weights == "distance":
        return _by_distance(estimator, setting, score, metric)
    return lambda folds: KNN(estimator.n_neighbors, folds, "index", metric, score, setting.n_jobs)


def _knn_regression(estimator: Any, setting: Setting) -> Recipe:
    score = setting.require_numbers(estimator)
    metric = _neighbors(estimator, setting)
    if estimator.weights == "distance":
        return _by_distance(estimator, setting, score, metric)
    return lambda folds: KNNRegression(estimator.n_neighbors, folds, score, metric, setting.n_jobs)


def _by_distance(estimator: Any, setting: Setting, score: Any, metric: Any) -> Recipe:
    """Return the recipe of k-NN with weights; without a tree, scikit-learn expands squared distances."""
    setting.require_doubles()
    is_small = any(estimator.n_neighbors >= len(train) // 2 for train, _ in setting.splits)
    has_trees = {"auto": 0 if is_small else _LARGEST_TREE, "brute": 0}.get(estimator.algorithm, setting.data.n_features)
    exact_size = 0 if setting.is_sparse else has_trees
    return lambda folds: DistanceKNN(estimator.n_neighbors, folds, score, metric, exact_size, setting.n_jobs)


def _neighbors(estimator: Any, setting: Setting) -> Any:
    """Return the native name of the metric."""
    if estimator.metric == "cosine":
        raise NotNative("the cosine distance of a subset is no sum over its features")
    _require(estimator, "weights", "uniform", "distance")
    _require(estimator, "metric_params", None, {})
    if not isinstance(estimator.n_neighbors, (int, np.integer)) or estimator.n_neighbors < 1:
        raise NotNative(f"`n_neighbors={estimator.n_neighbors!r}` is no number of neighbors")
    power = {1: "manhattan", 2: "euclidean"}.get(estimator.p) if estimator.metric == "minkowski" else None
    named = {"l1": "manhattan", "cityblock": "manhattan", "l2": "euclidean"}
    metric = power or (named.get(estimator.metric, estimator.metric) if isinstance(estimator.metric, str) else None)
    if metric not in ("euclidean", "manhattan"):
        raise NotNative(f"the metric {estimator.metric!r} (p={estimator.p}) is neither euclidean nor manhattan")
    if metric == "manhattan":
        setting.require_doubles()
    return metric


def _gaussian(estimator: Any, setting: Setting) -> Recipe:
    score = setting.require_classes(estimator)
    setting.require_dense()
    setting.require_doubles()
    if not 0.0 < estimator.var_smoothing <= _LARGEST:
        raise NotNative(f"`var_smoothing={estimator.var_smoothing!r}` leaves variances of zero")
    priors = _shares(estimator.priors, setting)
    return lambda folds: gaussian.GaussianNB(folds, estimator.var_smoothing, priors, "nan", "nan", score)


def _multinomial(estimator: Any, setting: Setting) -> Recipe:
    score = setting.require_classes(estimator)
    setting.require_doubles()
    if setting.is_scaled:
        raise NotNative("counts are not scaled natively")
    stored = setting.data.X.data if setting.is_sparse else setting.data.X
    if stored.size and stored.min() < 0:
        raise NotNative("a feature has negative values")
    if not isinstance(estimator.alpha, (int, float)) or not 1e-10 <= estimator.alpha <= _LARGEST:
        raise NotNative(f"`alpha={estimator.alpha!r}` is not computed natively")
    priors: Any = _shares(estimator.class_prior, setting)
    if priors is None and not estimator.fit_prior:
        priors = "uniform"
    return lambda folds: multinomial.MultinomialNB(folds, estimator.alpha, priors, "nan", score)


def _machine(estimator: Any, setting: Setting) -> Recipe:
    score = setting.require_classes(estimator, "labels", "outputs")
    if len(setting.data.classes) > 2 and score_of(score, "labels", "outputs").needs == "outputs":
        _require(estimator, "decision_function_shape", "ovr")
    setting.require_dense()
    if setting.is_scaled:
        setting.require_doubles()
    if estimator.kernel in ("linear", "poly"):
        raise NotNative(f"`kernel={estimator.kernel!r}` leaves most of the time to the solver, native or not")
    _require(estimator, "kernel", "rbf")
    _require(estimator, "break_ties", False)
    _require(estimator, "max_iter", -1)
    _require(estimator, "tol", 1e-3)
    _require(estimator, "shrinking", True)
    if not 0.0 < estimator.C <= _LARGEST:
        raise NotNative(f"`C={estimator.C!r}` is not computed natively")
    if estimator.gamma not in ("scale", "auto") and not 0.0 < estimator.gamma <= _LARGEST:
        raise NotNative(f"`gamma={estimator.gamma!r}` is not computed natively")
    weight = class_weights(estimator, setting)
    return lambda folds: SVM(estimator.C, estimator.gamma, folds, "nan", score, weight, setting.n_jobs)


def _least_squares(estimator: Any, setting: Setting) -> Recipe:
    score = setting.require_numbers(estimator)
    # Since scikit-learn 1.9 `tol` decides which singular values count as zero, also for dense data.
    tol = getattr(estimator, "tol", 0.0)
    if not isinstance(tol, (int, float, np.integer, np.floating)) or not tol >= 0.0:
        raise NotNative(f"`tol={tol!r}` is not computed natively")
    return _linear(estimator, setting, score, 0.0, max(float(tol), _WIDEST))


def _ridge(estimator: Any, setting: Setting) -> Recipe:
    score = setting.require_numbers(estimator)
    return _linear(estimator, setting, score, *_penalty(estimator))


def _ridge_classifier(estimator: Any, setting: Setting) -> Recipe:
    score = setting.require_classes(estimator, "labels", "outputs")
    return _linear(estimator, setting, score, *_penalty(estimator), class_weights(estimator, setting))


def _penalty(estimator: Any) -> tuple[float, float]:
    """Return the penalty and the least allowed ratio of singular values, 0 if the solver uses normal equations."""
    _require(estimator, "solver", "auto", "cholesky", "svd")
    if not isinstance(estimator.alpha, (int, float, np.integer, np.floating)) or not 0.0 <= estimator.alpha <= _LARGEST:
        raise NotNative(f"`alpha={estimator.alpha!r}` is not computed natively")
    return float(estimator.alpha), _WIDEST if estimator.solver == "svd" or estimator.alpha == 0.0 else 0.0


def _linear(estimator: Any, setting: Setting, score: Any, alpha: float, cond: float, weights: Any = None) -> Recipe:
    setting.require_dense()
    setting.require_doubles()
    _require(estimator, "positive", False)
    return lambda folds: LeastSquares(alpha, bool(estimator.fit_intercept), folds, score, cond, weights)


RECOGNIZED: dict[type, Callable[[Any, Setting], Recipe]] = {
    KNeighborsClassifier: _knn,
    KNeighborsRegressor: _knn_regression,
    GaussianNB: _gaussian,
    MultinomialNB: _multinomial,
    SVC: _machine,
    LinearRegression: _least_squares,
    Ridge: _ridge,
    RidgeClassifier: _ridge_classifier,
    LinearDiscriminantAnalysis: linear_discriminant,
    QuadraticDiscriminantAnalysis: quadratic_discriminant,
}

DECLINING = tuple(set(RECOGNIZED) - {KNeighborsClassifier, KNeighborsRegressor})
"""Estimators whose native criterion leaves some subsets to them: degenerate ones, and ties."""

FITTED = {SVR: "its digits follow the last bits of its kernel, and most of the time is that of its solver"}
"""Why there is no native criterion for an estimator that could have one."""
