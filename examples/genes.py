"""Genes: 1,000 features, 150 samples. Which matter, what are they worth on other samples, and would others be found?

python examples/genes.py [folder for the picture]
"""

import sys
import tempfile
from pathlib import Path

from matplotlib import pyplot as plt
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from sweepless import SequentialSelector, consensus, permutation_reference
from sweepless.reports import PanelDisplay, StabilityDisplay

FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.gettempdir())

X, y = make_classification(
    n_samples=1150, n_features=1000, n_informative=8, n_redundant=12, n_classes=4, n_clusters_per_class=1,
    class_sep=1.5, shuffle=False, random_state=1,
)  # fmt: skip
X, X_new, y, y_new = train_test_split(X, y, train_size=150, stratify=y, random_state=0)

model = make_pipeline(StandardScaler(), SVC())
by_panel = SequentialSelector(n_features_to_select=10, random_state=0).fit(X, y)
by_accuracy = SequentialSelector(KNeighborsClassifier(1), n_features_to_select=10, random_state=0).fit(X, y)
print("1,000 genes, of which the first 20 matter. Ten are chosen,")
for name, selector, promised in [
    ("without an estimator", by_panel, by_panel.honest_score_),
    ("by the accuracy of 1-NN", by_accuracy, by_accuracy.best_score_),
]:
    new = model.fit(selector.transform(X), y).score(selector.transform(X_new), y_new)
    real = sum(selector.get_support(indices=True) < 20)
    print(f"  {name:<24} {real:>2} of them real; promised {promised:.3f}, on 1,000 new samples {new:.3f}.")

chosen = SequentialSelector(by_panel.criterion_.criterion, method="sSFS", max_size=10, random_state=0)
noise = permutation_reference(chosen, X, y, n_shuffles=9, random_state=0)
print(f"R² of the panel's criterion is {noise.best_observed:.3f}, on shuffled labels {noise.best_shuffled.mean():.3f}.")

agreed = consensus(chosen, X, y, n_runs=12, n_features=10, random_state=0)
print(f"Stability over 12 runs: {agreed.stability.nogueira.value:.2f}.")
print(f"Consensus of 10: {agreed.features.tolist()}; {sum(agreed.features < 20)} of them matter.")

figure, (left, right) = plt.subplots(1, 2, figsize=(15, 5.2), layout="constrained")
PanelDisplay.from_selector(SequentialSelector(max_size=20, judge=SVC(), random_state=0).fit(X, y), ax=left)
StabilityDisplay.from_consensus(agreed, n_top=14, ax=right)
figure.savefig(FOLDER / "genes.png", dpi=110)
