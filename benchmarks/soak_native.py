"""Random cross-validations, computed natively and by scikit-learn itself: the same value to 1e-12, or a broken promise.

    python benchmarks/soak_native.py --cases 2000
    python benchmarks/soak_native.py --only 12345

What is drawn: every estimator that is recognized with parameters of its own, scalers in front of it, splitters and
bootstraps of their training parts, scorings, sample weights, and data with ties, constants, duplicates, offsets of up
to 1e8 deviations and scales from 1e-6 to 1e6. k-NN gets data without ties, which it does not promise anything about.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier
from sklearn.metrics import get_scorer_names
from sklearn.model_selection import (
    KFold,
    LeaveOneOut,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.svm import SVC

import sweepless as sw
from sweepless.selectors.native import choose_criterion
from sweepless.selectors.native_weights import WEIGHTED

TOLERANCE = 1e-12

CLASS_SCORINGS = (
    None, None, None, "balanced_accuracy", "matthews_corrcoef", "f1_macro", "precision_weighted", "recall_micro",
    "jaccard_macro", "f1", "roc_auc", "average_precision", "roc_auc_ovr", "roc_auc_ovo_weighted", "top_k_accuracy",
    "neg_log_loss", "neg_brier_score", "d2_log_loss_score", "neg_mean_absolute_error",
)  # fmt: skip
NUMBER_SCORINGS = (
    "r2", "neg_mean_squared_error", "neg_root_mean_squared_error", "explained_variance", "d2_absolute_error_score",
    "neg_mean_absolute_error", "neg_median_absolute_error", "neg_max_error", "neg_mean_absolute_percentage_error",
    "neg_mean_squared_log_error",
)  # fmt: skip

ESTIMATORS: tuple[Callable[[random.Random], Any], ...] = (
    lambda rng: KNeighborsClassifier(**_neighbors(rng)),
    lambda rng: KNeighborsRegressor(**_neighbors(rng)),
    lambda rng: GaussianNB(var_smoothing=rng.choice((1e-9, 1e-9, 1e-2))),
    lambda rng: MultinomialNB(alpha=rng.choice((1.0, 1e-3)), fit_prior=rng.random() < 0.7),
    lambda rng: SVC(
        C=rng.choice((0.1, 1.0, 30.0)), gamma=rng.choice(("scale", "auto")), class_weight=rng.choice((None, "balanced"))
    ),
    lambda rng: LinearRegression(
        fit_intercept=rng.random() < 0.7, **({"tol": rng.choice((1e-6, 1e-6, 1e-2, 0.97))} if _HAS_TOL else {})
    ),
    lambda rng: Ridge(rng.choice((0.0, 1e-3, 1.0, 1e3)), fit_intercept=rng.random() < 0.7, solver=_solver(rng)),
    lambda rng: RidgeClassifier(rng.choice((1e-3, 1.0)), fit_intercept=rng.random() < 0.7, solver=_solver(rng)),
    lambda rng: LinearDiscriminantAnalysis(tol=rng.choice((1e-4, 1e-4, 1e-2))),
    lambda rng: LinearDiscriminantAnalysis(
        rng.choice(("lsqr", "eigen")), shrinkage=rng.choice((None, 0.1, 0.1, "auto", "auto"))
    ),
    lambda rng: QuadraticDiscriminantAnalysis(reg_param=rng.choice((0.01, 0.5))),
    lambda rng: QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=rng.choice((0.2, "auto"))),
)
_HAS_TOL = hasattr(LinearRegression(), "tol")
_SCALERS: tuple[Callable[[], Any], ...] = (
    StandardScaler,
    MinMaxScaler,
    MaxAbsScaler,
    RobustScaler,
    lambda: StandardScaler(with_mean=False),
    lambda: MinMaxScaler(feature_range=(-1, 2)),
)


@dataclass(frozen=True)
class Comparison:
    """One cross-validation: an estimator, data and splits."""

    number: int
    estimator: Any
    scoring: str | None
    splitter: str
    splits: list[tuple[Any, Any]] = field(repr=False)
    X: Any = field(repr=False)
    y: Any = field(repr=False)
    params: dict[str, Any] = field(default_factory=dict)

    def wrong(self) -> tuple[str | None, bool]:
        """Return what differs, if anything, and whether anything was computed natively."""
        data, rng = sw.Dataset(self.X, self.y), random.Random(self.number)
        try:
            chosen = choose_criterion(
                self.estimator, data, scoring=self.scoring, splits=self.splits, fit_params=self.params
            )
            cursor = chosen.criterion.bind(data)
        except sw.errors.DataError:  # nothing varies, say
            return None, False
        n_features = self.X.shape[1]
        here = rng.sample(range(n_features), rng.randint(0, n_features - 1))
        cursor.jump(np.sort(np.array(here, dtype=np.intp)))
        pool = sw.Direction.ADD.pool(cursor.members)
        try:
            values = cursor.peek(sw.Direction.ADD, pool)
        except sw.errors.CriterionError:  # the estimator refuses the subset, or has no such score for it
            return None, False
        k = rng.randrange(len(pool))
        members = np.sort(np.append(here, pool[k])).astype(np.intp)
        theirs = cross_val_score(
            self.estimator, self.X[:, members], self.y, cv=self.splits, scoring=self.scoring, params=self.params or None
        ).mean()
        for way, ours in (("evaluate", cursor.evaluate(members)), ("peek", values[k])):
            if not abs(ours - theirs) <= TOLERANCE * max(1.0, abs(theirs)):
                return f"{way} of {members.tolist()}: {ours!r}, cross_val_score {theirs!r}; {self}", chosen.is_native
        return None, chosen.is_native


def drawn(number: int) -> Comparison:
    """Draw the comparison of that number."""
    rng = random.Random(number)
    estimator = ESTIMATORS[number % len(ESTIMATORS)](rng)
    classifies = is_classifier(estimator)
    X, y = _data(rng, estimator, classifies)
    if not isinstance(estimator, MultinomialNB):
        scalers = [rng.choice(_SCALERS)() for _ in range(rng.choice((0, 0, 1, 1, 2)))]
        estimator = make_pipeline(*scalers, estimator) if scalers else estimator
    scoring = rng.choice(CLASS_SCORINGS if classifies else NUMBER_SCORINGS)
    if scoring is not None and scoring not in get_scorer_names():  # of an older scikit-learn
        scoring = None
    splitter = _splitter(rng, classifies, scoring)
    splits = list(splitter.split(X, y))
    if rng.random() < 0.15:  # a bootstrap of every training part
        splits = [(np.array(rng.choices(train.tolist(), k=len(train))), test) for train, test in splits]
    params = _sample_weight(rng, estimator, len(X))
    return Comparison(number, estimator, scoring, repr(splitter), splits, X, y, params)


def _data(rng: random.Random, estimator: Any, classifies: bool) -> tuple[Any, Any]:
    draws = np.random.default_rng(rng.randrange(2**32))
    n_samples, n_features = rng.randint(16, 60), rng.randint(1, 6)
    may_tie = not isinstance(estimator, KNeighborsClassifier | KNeighborsRegressor)
    kind = rng.choice(("normal", "normal", "binary", "whole", "rounded")) if may_tie else "normal"
    X = draws.normal(size=(n_samples, n_features))
    signal = X[:, 0] - X[:, -1] + rng.choice((0.3, 3.0)) * draws.normal(size=n_samples)
    if kind == "binary":
        X = (X > 0).astype(float)
    elif kind == "whole":
        X = np.rint(3.0 * X)
    elif kind == "rounded":
        X = np.round(X, 1)
    if may_tie and n_features > 1 and rng.random() < 0.4:
        X[:, rng.randrange(1, n_features)] = rng.choice((X[:, 0], 2.0 * X[:, 0], np.full(n_samples, 3.7)))
    if isinstance(estimator, MultinomialNB):
        X = np.abs(X)
    elif rng.random() < 0.5:
        X = X * 10.0 ** draws.uniform(-rng.choice((1, 6)), rng.choice((1, 6)), n_features)
        X = X + X.std(axis=0) * draws.choice((0.0, 1.0, 1e2, 1e3, 1e5, 1e8), n_features)
    if not classifies:
        return X, signal * rng.choice((1.0, 1e-3, 1e3)) + rng.choice((0.0, 0.0, 10.0, 1e6))
    n_classes = rng.choice((2, 2, 3))
    y = np.argsort(np.argsort(signal)) * n_classes // n_samples
    return X, draws.permutation(y) if rng.random() < 0.2 else y


def _splitter(rng: random.Random, classifies: bool, scoring: str | None) -> Any:
    seed = rng.randrange(100)
    some = [
        KFold(rng.randint(2, 5), shuffle=True, random_state=seed),
        ShuffleSplit(2, test_size=0.3, random_state=seed),
        RepeatedKFold(n_splits=3, n_repeats=2, random_state=seed),
    ]
    if classifies:
        some += [StratifiedKFold(rng.choice((2, 4))), StratifiedKFold(3)]
    if not classifies:
        some.append(TimeSeriesSplit(2))
    if scoring is None or (scoring.startswith("neg_mean_") and not classifies):
        some.append(LeaveOneOut())
    return rng.choice(some)


def _neighbors(rng: random.Random) -> dict[str, Any]:
    return {
        "n_neighbors": rng.randint(1, 4),
        "algorithm": rng.choice(("auto", "brute", "kd_tree", "ball_tree")),
        "p": rng.choice((1, 2)),
        "weights": rng.choice(("uniform", "distance")),
    }


def _sample_weight(rng: random.Random, estimator: Any, n_samples: int) -> dict[str, Any]:
    """Draw weights for an estimator, or a pipeline, whose criterion takes them."""
    name, last = estimator.steps[-1] if isinstance(estimator, Pipeline) else ("", estimator)
    if not isinstance(last, WEIGHTED) or rng.random() < 0.6:
        return {}
    draws = np.random.default_rng(rng.randrange(2**32))
    weights = rng.choice((draws.exponential(size=n_samples), draws.integers(0, 4, n_samples)))
    return {f"{name}__sample_weight" if name else "sample_weight": weights}


def _solver(rng: random.Random) -> str:
    return rng.choice(("auto", "cholesky", "svd"))


def compare(number: int) -> tuple[str | None, bool]:
    """Draw a comparison and return what differs, if anything, and whether anything was computed natively."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of singular matrices, classes that are missing, and other things drawn
        return drawn(number).wrong()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", type=int, help="the number of one case")
    given = parser.parse_args()
    first, cases = (given.first, given.cases) if given.only is None else (given.only, 1)
    began, n_wrong, n_native = time.monotonic(), 0, 0
    for number in range(first, first + cases):
        wrong, is_native = compare(number)
        n_native += is_native
        if wrong is not None:
            n_wrong += 1
            print(f"BROKEN, native {number}: {wrong}", flush=True)
    print(f"{cases} comparisons in {time.monotonic() - began:.0f} s, {n_native} native, {n_wrong} broken")
    return int(n_wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
