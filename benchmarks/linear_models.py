"""Smooth linear models against scikit-learn per evaluation, and whole selections against abess.

`python benchmarks/linear_models.py` takes about a minute, on one thread. The simulation is that of abess: exponentially
correlated normal features, of which 20 matter, with the coefficients of `abess.datasets.make_glm_data`.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.linear_model import GammaRegressor, HuberRegressor, LinearRegression, LogisticRegression, PoissonRegressor
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

import sweepless as sw
from rows import Row, compared, row
from sweepless.criteria import Criterion, LinearModel, RidgeCriterion
from sweepless.selectors.native import choose_criterion
from timing import BUDGET, step_time

N_TRAIN, N_TEST, N_FEATURES, N_TRUE, MOST, FEWER = 500, 2000, 8000, 20, 100, 30
CLOSE_TO_OPTIMUM = 0.02  # by so much may scikit-learn's solver, which stops short of it, be off on some subset


def estimator_rows() -> list[Row]:
    """Compare evaluations of sampled steps by estimators of classes: five folds, 1,000 samples, subsets of 20."""
    rows = []
    for name, n_classes, score, estimator, options in (
        ("logistic", 2, "accuracy", LogisticRegression(), {}),
        ("logistic", 2, "roc_auc", LogisticRegression(), {}),
        ("logistic", 2, "neg_log_loss", LogisticRegression(), {}),
        ("logistic, 4 classes", 4, "accuracy", LogisticRegression(), {}),
        ("linear machine", 2, "accuracy", LinearSVC(), {"loss": "squared_hinge", "intercept_scaling": 1.0}),
        ("linear machines, 4 classes", 4, "accuracy", LinearSVC(), {"loss": "squared_hinge", "intercept_scaling": 1.0}),
        ("LDA", 2, "accuracy", LinearDiscriminantAnalysis(), None),
        ("LDA, 5 classes", 5, "accuracy", LinearDiscriminantAnalysis(), None),
        ("QDA", 2, "accuracy", QuadraticDiscriminantAnalysis(), None),
        ("QDA, 5 classes", 5, "accuracy", QuadraticDiscriminantAnalysis(), None),
    ):
        X, y = make_classification(1000, 300, n_informative=20, n_redundant=20, n_classes=n_classes, random_state=0)
        data, splits = sw.Dataset(X, y), list(StratifiedKFold(5).split(X, y))
        criterion: Criterion
        if options is None:
            criterion, tolerance = choose_criterion(estimator, data, scoring=score, splits=splits).criterion, 1e-9
        else:
            folds = np.empty(len(y), dtype=int)
            for fold, (_, test) in enumerate(splits):
                folds[test] = fold
            criterion, tolerance = LinearModel(**options, score=score, folds=folds), CLOSE_TO_OPTIMUM

        def peer(
            subset: np.ndarray, X: Any = X, y: Any = y, e: Any = estimator, cv: Any = splits, s: str = score
        ) -> float:
            return float(cross_val_score(e, X[:, subset], y, cv=cv, scoring=s).mean())

        title = f"{name}, {score}, sADD of 100, n=1000, d=20"
        rows.append(compared(title, criterion, data, 20, BUDGET, peer, tolerance))
    return rows


def number_rows() -> list[Row]:
    """Do the same by estimators of numbers, each by its own score."""
    draws, rows = np.random.default_rng(0), []
    X = draws.normal(size=(1000, 300))
    signal = X[:, :20] @ draws.normal(size=20)
    mean, splits = np.exp(0.2 * signal + 0.5), list(KFold(5).split(X))
    for name, estimator, y in (
        ("Huber", HuberRegressor(), signal + draws.standard_t(2, 1000)),
        ("Poisson", PoissonRegressor(), draws.poisson(mean)),
        ("gamma", GammaRegressor(), draws.gamma(2.0, mean / 2.0)),
    ):
        data = sw.Dataset(X, y)
        criterion = choose_criterion(estimator, data, splits=splits).criterion

        def peer(subset: np.ndarray, y: Any = y, e: Any = estimator) -> float:
            return float(cross_val_score(e, X[:, subset], y, cv=splits).mean())

        title = f"{name} regression, sADD of 100, n=1000, d=20"
        rows.append(compared(title, criterion, data, 20, BUDGET, peer, CLOSE_TO_OPTIMUM))
    return rows


def sweep(X: np.ndarray, y: np.ndarray) -> Row:
    cursor = LinearModel().bind(sw.Dataset(X, y))
    seconds = step_time(cursor, np.arange(20), N_FEATURES - 50)
    return row(f"logistic, accuracy, full sweep, n={N_TRAIN}, D={N_FEATURES}, d=20", seconds)


def simulated(family: str, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return samples, targets and the features that matter."""
    draws = np.random.default_rng(seed)
    X = draws.normal(size=(N_FEATURES, N_TRAIN + N_TEST))
    for feature in range(1, N_FEATURES):
        X[feature] = 0.5 * X[feature - 1] + np.sqrt(0.75) * X[feature]
    true = np.sort(draws.choice(N_FEATURES, N_TRUE, replace=False))
    least = 5.0 * np.sqrt(2.0 * np.log(N_FEATURES) / N_TRAIN)
    ends = (least, 100.0 * least) if family == "linear" else (2.0 * least, 10.0 * least)
    signal = (draws.uniform(*ends, N_TRUE) * draws.choice([-1.0, 1.0], N_TRUE)) @ X[true]
    if family == "logistic":
        y = (draws.uniform(size=len(signal)) < 1.0 / (1.0 + np.exp(-np.clip(signal, -30, 30)))).astype(int)
    else:
        y = signal + draws.normal(size=len(signal))
    return np.asfortranarray(X.T), y, true


def against_abess(family: str) -> None:
    """Print seconds, test error and what was found, for abess and for our searches."""
    X, y, true = simulated(family, 1)
    train, test = slice(None, N_TRAIN), slice(N_TRAIN, None)
    data = sw.Dataset(X[train], y[train], task="regression" if family == "linear" else "classification")

    def show(arm: str, seconds: float, subset: np.ndarray) -> None:
        final = LinearRegression() if family == "linear" else LogisticRegression(C=1e3, max_iter=1000)
        # 1 - R², or the share of wrong classes.
        error = 1.0 - final.fit(X[train][:, subset], y[train]).score(X[test][:, subset], y[test])
        hits = len(np.intersect1d(subset, true))
        print(f"| {family} | {arm} | {seconds:.2f} | {len(subset)} | {error:.2g} | {hits} | {len(subset) - hits} |")

    seconds, chosen = timed(lambda: best_subset(family, X[train], y[train]))
    show("abess, size by its EBIC", seconds, chosen)
    score = "r2" if family == "linear" else "class_r2"
    arms: list[tuple[str, str, Any, int]] = [
        (f"{method}, leave-one-out ridge", method, RidgeCriterion(1.0, score=score), MOST) for method in ("SFS", "sSFS")
    ]
    if family == "logistic":
        name = f"sSFS to {FEWER}, log loss of logistic regression"
        arms.append((name, "sSFS", LinearModel(score="neg_log_loss"), FEWER))
    for arm, method, criterion, most in arms:
        seconds, result = timed(lambda m=method, c=criterion, t=most: sw.run(m, c, data, target=t, seed=1))
        best = max(result.archive.values(), key=lambda record: record.value)
        show(f"{arm}, size of the greatest J", seconds, best.features)
        show(f"{arm}, size of abess", seconds, result.archive[len(chosen)].features)


def best_subset(family: str, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    from abess import linear

    kind = linear.LinearRegression if family == "linear" else linear.LogisticRegression
    return np.flatnonzero(kind(support_size=range(MOST + 1), thread=1).fit(X, y).coef_)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        estimator_rows()
        number_rows()
        X, y, _ = simulated("logistic", 1)
        sweep(X[:N_TRAIN], y[:N_TRAIN])
        print("\n| | arm | seconds | features | test error | true | false |\n|---|---|---|---|---|---|---|")
        for family in ("linear", "logistic"):
            against_abess(family)
