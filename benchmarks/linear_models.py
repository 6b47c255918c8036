"""Smooth linear models against scikit-learn per evaluation; `linear_peers.py` compares whole selections.

`python benchmarks/linear_models.py` takes about a minute, on one thread.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.linear_model import GammaRegressor, HuberRegressor, LogisticRegression, PoissonRegressor
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

import sweepless as sw
from linear_peers import N_FEATURES, N_TRAIN, simulated
from rows import Row, compared, row
from sweepless.criteria import Criterion, LinearModel
from sweepless.selectors.native import choose_criterion
from timing import BUDGET, step_time

CLOSE_TO_OPTIMUM = 0.02  # by so much may scikit-learn's solver, which stops short of it, be off on some subset


def estimator_rows() -> list[Row]:
    """Compare evaluations of sampled steps by estimators of classes: five folds, 1,000 samples, subsets of 20."""
    rows = []
    for name, n_classes, score, estimator, options in (
        ("logistic", 2, "accuracy", LogisticRegression(), {}),
        ("logistic", 2, "roc_auc", LogisticRegression(), {}),
        ("logistic", 2, "neg_log_loss", LogisticRegression(), {}),
        ("logistic, 4 classes", 4, "accuracy", LogisticRegression(), {}),
        ("logistic, 4 classes", 4, "neg_log_loss", LogisticRegression(), {}),
        ("linear machine", 2, "accuracy", LinearSVC(), {"loss": "squared_hinge", "intercept_scaling": 1.0}),
        ("linear machines, 4 classes", 4, "accuracy", LinearSVC(), {"loss": "squared_hinge", "intercept_scaling": 1.0}),
        ("LDA", 2, "accuracy", LinearDiscriminantAnalysis(), None),
        ("LDA, 5 classes", 5, "accuracy", LinearDiscriminantAnalysis(), None),
        ("QDA", 2, "accuracy", QuadraticDiscriminantAnalysis(), None),
        ("QDA, 5 classes", 5, "accuracy", QuadraticDiscriminantAnalysis(), None),
        ("QDA, 5 classes, shrunk", 5, "accuracy", QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=0.1), None),
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


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        estimator_rows()
        number_rows()
        X, y, _ = simulated("logistic", 1)
        sweep(X[:N_TRAIN], y[:N_TRAIN])
