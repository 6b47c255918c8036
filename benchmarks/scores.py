"""What a score costs: steps of native classifiers by every kind of score, beside their accuracy (`make bench-scores`).

Steps of 100 additions to 20 of 300 features, 1,000 samples, five stratified folds, one thread. Accuracy and score take
turns; the least processor times of several turns are compared.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

import sweepless as sw
from sweepless.selectors.native import choose_criterion
from timing import BUDGET

ESTIMATORS: dict[str, Any] = {
    "1-NN": KNeighborsClassifier(1),
    "5-NN": KNeighborsClassifier(5),
    "5-NN, weighed by distance": KNeighborsClassifier(5, weights="distance"),
    "Gaussian naive Bayes": GaussianNB(),
    "multinomial naive Bayes": MultinomialNB(),
    "LDA": LinearDiscriminantAnalysis(),
    "QDA": QuadraticDiscriminantAnalysis(),
    "ridge": RidgeClassifier(),
    "logistic": LogisticRegression(),
    "linear machine": LinearSVC(),
}
ANY = ("balanced_accuracy", "f1_macro")
TWO = ("roc_auc", "average_precision")
SEVERAL = ("roc_auc_ovr", "roc_auc_ovr_weighted", "roc_auc_ovo", "roc_auc_ovo_weighted", "average_precision")
LOSS = ("neg_log_loss",)


def ratios(estimator: Any, n_classes: int, scores: tuple[str, ...], turns: int) -> tuple[float, dict[str, float]]:
    """Return the time of a candidate by accuracy, and those by scores as its multiples; NaN if it is not native."""
    X, y = make_classification(1000, 300, n_informative=20, n_redundant=20, n_classes=n_classes, random_state=0)
    if isinstance(estimator, MultinomialNB):
        X = np.floor(np.exp(np.clip(X, -3.0, 3.0)))
    data, splits = sw.Dataset(X, y), list(StratifiedKFold(5).split(X, y))
    steps = {}
    for score in ("accuracy", *scores):
        choice = choose_criterion(estimator, data, scoring=score, splits=splits)
        if choice.is_native:
            steps[score] = Steps(choice.criterion.bind(data))
    least = dict.fromkeys(steps, np.inf)
    for _ in range(turns):
        for score, step in steps.items():
            least[score] = min(least[score], step())
    base = least["accuracy"]
    return base / BUDGET, {score: least[score] / base if score in least else np.nan for score in scores}


class Steps:
    """Steps of a search that is under way, always the same four."""

    def __init__(self, cursor: sw.criteria.Cursor) -> None:
        self._cursor, self._order = cursor, np.random.default_rng(0).permutation(cursor.data.n_features)
        self()

    def __call__(self) -> float:
        """Return the processor time of a step; the first after the jump does what the jump has put off."""
        self._cursor.jump(np.sort(self._order[:20]))
        spent = []
        for k in range(5):
            pool = np.sort(self._order[21 + k : 21 + k + BUDGET])
            start = time.process_time()
            self._cursor.peek(sw.Direction.ADD, pool)
            self._cursor.move(sw.Direction.ADD, self._order[20 + k])
            spent.append(time.process_time() - start)
        return sum(spent[1:]) / 4


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--classes", type=int, nargs="+", default=[2, 5])
    parser.add_argument("--only", nargs="+", default=list(ESTIMATORS))
    parser.add_argument("--turns", type=int, default=5)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    for n_classes in asked.classes:
        scores = (*ANY, *(TWO if n_classes == 2 else SEVERAL), *LOSS)
        print(f"| {n_classes} classes | accuracy, µs | " + " | ".join(scores) + " |")
        print("|---|" + "---:|" * (1 + len(scores)))
        for name in asked.only:
            with threadpool_limits(1):
                base, found = ratios(ESTIMATORS[name], n_classes, scores, asked.turns)
            shown = ["" if np.isnan(found[score]) else f"{found[score]:.2f}" for score in scores]
            print(f"| {name} | {1e6 * base:.0f} | " + " | ".join(shown) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
