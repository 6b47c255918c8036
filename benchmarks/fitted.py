"""Forward selection by estimators that are fitted, beside scikit-learn's own selector, in processor time.

python benchmarks/fitted.py
"""

from __future__ import annotations

import time
import warnings
from typing import Any

from sklearn.datasets import make_classification, make_regression
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import ElasticNet, LogisticRegression, SGDClassifier
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR, LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from sweepless import SequentialSelector

ROWS, COLUMNS, TARGET, ROUNDS = 150, 8, 2, 5
SEEDED: dict[str, Any] = {"random_state": 0}
CASES: list[tuple[Any, str]] = [
    (RandomForestClassifier(10, **SEEDED), "accuracy"),
    (RandomForestClassifier(10, **SEEDED), "roc_auc"),
    (RandomForestRegressor(10, **SEEDED), "r2"),
    (ExtraTreesClassifier(10, **SEEDED), "accuracy"),
    (HistGradientBoostingClassifier(max_iter=10, **SEEDED), "accuracy"),
    (HistGradientBoostingClassifier(max_iter=10, **SEEDED), "neg_log_loss"),
    (GradientBoostingClassifier(n_estimators=10, **SEEDED), "f1"),
    (AdaBoostClassifier(n_estimators=10, **SEEDED), "accuracy"),
    (DecisionTreeClassifier(**SEEDED), "accuracy"),
    (DecisionTreeClassifier(**SEEDED), "f1_macro"),
    (DecisionTreeRegressor(**SEEDED), "neg_mean_absolute_error"),
    (make_pipeline(StandardScaler(), LogisticRegression()), "average_precision"),
    (make_pipeline(StandardScaler(), MLPClassifier((8,), max_iter=20, **SEEDED)), "accuracy"),
    (LinearSVC(**SEEDED), "roc_auc"),
    (SGDClassifier(**SEEDED), "accuracy"),
    (KNeighborsClassifier(weights="distance"), "neg_brier_score"),
    (NearestCentroid(), "balanced_accuracy"),
    (SVR(kernel="sigmoid"), "r2"),
    (ElasticNet(), "neg_root_mean_squared_error"),
]


def seconds(selectors: list[Any], X: Any, y: Any) -> list[float]:
    """Return the least processor time of each selector, in rounds of one fit each: other work disturbs all alike."""
    times = [[] for _ in selectors]
    for _ in range(ROUNDS):
        for selector, spent in zip(selectors, times, strict=True):
            began = time.process_time()
            selector.fit(X, y)
            spent.append(time.process_time() - began)
    return [min(spent) for spent in times]


def main() -> None:
    warnings.simplefilter("ignore")
    print("| estimator | score | scikit-learn, s | ours, the same fits | ours, by default |\n|---|---|---|---|---|")
    for estimator, score in CASES:
        numbers = score == "r2" or score.endswith("error")
        make = make_regression if numbers else make_classification
        X, y = make(ROWS, COLUMNS, random_state=0)
        options = {"n_features_to_select": TARGET, "scoring": score, "cv": 5}
        ours: tuple[dict[str, Any], ...] = ({"racing": None, "tie_break": "first"}, {})  # as theirs, and by default
        theirs, same, raced = seconds(
            [
                SequentialFeatureSelector(estimator, **options),
                *(SequentialSelector(estimator, method="SFS", native=False, **options, **own) for own in ours),
            ],
            X,
            y,
        )
        name = type(estimator[-1] if hasattr(estimator, "steps") else estimator).__name__
        print(f"| {name} | {score} | {theirs:.2f} | {theirs / same:.2f}× | {theirs / raced:.2f}× |", flush=True)


if __name__ == "__main__":
    main()
