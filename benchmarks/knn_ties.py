"""What the rule for ties of native k-NN changes, beside scikit-learn's own selector, on sets where values repeat.

python benchmarks/knn_ties.py
python benchmarks/knn_ties.py --time    what ties cost: processor time of an evaluation by 1-NN
python benchmarks/knn_ties.py --search  the selector's default on half of pcmac by 1-NN, one thread
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.model_selection import StratifiedKFold, cross_val_score, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from honest_sets import Missing, halves, read
from sweepless import Dataset, SequentialSelector, run
from sweepless.criteria import KNN
from sweepless.selectors.native import choose_criterion

TIMED = {"madelon": 20, "gisette": 10, "dexter": 5, "pcmac": 10}  # sizes to which features are added
SETS = {"breast cancer": load_breast_cancer, "iris": load_iris, "wine": load_wine}


def main() -> None:
    print("| data | other features | single features differ by | the selected differ by | ours − theirs |")
    print("|---|---|---|---|---|")
    for name, load in SETS.items():
        found = [compared(*load(return_X_y=True), k, is_scaled) for k in (1, 3, 5) for is_scaled in (False, True)]
        others, alone, selected, gains = zip(*found, strict=True)
        print(
            f"| {name} | in {sum(others)} of {len(found)} | {max(alone):.3f} | {max(selected):.3f} | "
            f"{min(gains):+.3f} to {max(gains):+.3f} |"
        )


def timed() -> None:
    print("| data | samples × features | evaluations | µs each |")
    print("|---|---|---|---|")
    for name, size in TIMED.items():
        try:
            X, y = halves(name, 0)[:2]
        except Missing as missing:
            print(missing, file=sys.stderr)
            continue
        data = Dataset(np.asfortranarray(X), y)
        run("SFS", KNN(ties="index"), data, target=3)  # compiles
        start = time.process_time()
        result = run("SFS", KNN(ties="index"), data, target=size)
        each = 1e6 * (time.process_time() - start) / result.n_evaluations
        print(f"| {name} | {len(X)} × {X.shape[1]:,} | {result.n_evaluations:,} | {each:.1f} |")


def searched() -> None:
    """Search words that a pipeline standardizes, split by split, and words that were standardized before."""
    X, y = read("pcmac")
    train, _ = train_test_split(np.arange(len(y)), test_size=0.5, stratify=y, random_state=0)  # as in `halves`
    model = KNeighborsClassifier(1)
    for name, estimator, words in (
        ("a pipeline", make_pipeline(StandardScaler(), model), X[train]),
        ("standardized before", model, halves("pcmac", 0)[0]),
    ):
        times = []
        for _ in range(3):
            start = time.process_time()
            found = SequentialSelector(estimator, random_state=0, n_jobs=1).fit(words, y[train])
            times.append(time.process_time() - start)
        each = 1e6 * min(times) / found.n_evaluations_
        print(f"{name}: {min(times):.1f} s for {found.n_evaluations_:,} evaluations, {each:.1f} µs each")


def compared(X: Any, y: Any, k: int, is_scaled: bool) -> tuple[bool, float, float, float]:
    """Select four features, three of four, in both ways.

    Return whether they are others, how far values differ from scores for single features and for the selected ones,
    and how much better ours score.
    """
    splits = list(StratifiedKFold(5).split(X, y))
    model = KNeighborsClassifier(k)
    estimator = make_pipeline(StandardScaler(), model) if is_scaled else model
    size = min(4, X.shape[1] - 1)
    theirs = SequentialFeatureSelector(estimator, n_features_to_select=size, cv=splits).fit(X, y)
    ours = SequentialSelector(estimator, method="SFS", n_features_to_select=size, cv=splits).fit(X, y)

    def scored(features: Any) -> float:
        return float(cross_val_score(estimator, X[:, features], y, cv=splits).mean())

    data = Dataset(X, y)
    cursor = choose_criterion(estimator, data, splits=splits).criterion.bind(data)
    alone = max(abs(cursor.evaluate(np.array([f])) - scored([f])) for f in range(X.shape[1]))
    reached = scored(ours.get_support(indices=True))
    is_other = not np.array_equal(theirs.get_support(), ours.get_support())
    gain = reached - scored(theirs.get_support(indices=True))
    return is_other, alone, abs(reached - ours.best_score_), gain


if __name__ == "__main__":
    {"--time": timed, "--search": searched}.get(sys.argv[-1], main)()
