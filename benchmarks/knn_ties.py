"""What the rule for ties of native k-NN changes, beside scikit-learn's own selector, on sets where values repeat.

python benchmarks/knn_ties.py
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sweepless import Dataset, SequentialSelector
from sweepless.selectors.dispatch import choose_criterion

SETS = {"breast cancer": load_breast_cancer, "iris": load_iris, "wine": load_wine}


def main() -> None:
    print("| data | other features | single features differ by | the selected differ by | ours − theirs |")
    print("|---|---|---|---|---|")
    for name, load in SETS.items():
        X, y = load(return_X_y=True)
        splits = list(StratifiedKFold(5).split(X, y))
        n_others, alone, selected, gains = 0, 0.0, 0.0, []
        settings = [(k, is_scaled) for k in (1, 3, 5) for is_scaled in (False, True)]
        for k, is_scaled in settings:
            model = KNeighborsClassifier(k)
            estimator = make_pipeline(StandardScaler(), model) if is_scaled else model
            size = min(4, X.shape[1] - 1)
            theirs = SequentialFeatureSelector(estimator, n_features_to_select=size, cv=splits).fit(X, y)
            ours = SequentialSelector(estimator, method="SFS", n_features_to_select=size, cv=splits).fit(X, y)
            n_others += not np.array_equal(theirs.get_support(), ours.get_support())

            def scored(features: object, estimator: object = estimator) -> float:
                return float(cross_val_score(estimator, X[:, features], y, cv=splits).mean())

            data = Dataset(X, y)
            cursor = choose_criterion(estimator, data, splits=splits).criterion.bind(data)
            alone = max(alone, *(abs(cursor.evaluate(np.array([f])) - scored([f])) for f in range(X.shape[1])))
            reached = scored(ours.get_support(indices=True))
            selected = max(selected, abs(reached - ours.best_score_))
            gains.append(reached - scored(theirs.get_support(indices=True)))
        print(
            f"| {name} | in {n_others} of {len(settings)} | {alone:.3f} | {selected:.3f} | "
            f"{min(gains):+.3f} to {max(gains):+.3f} |"
        )


if __name__ == "__main__":
    main()
