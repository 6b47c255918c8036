"""Genes: 2,000 features, 160 samples. What did the search find, and what of it can be believed?

python examples/genes.py [folder for the picture]
"""

import sys
import tempfile
import warnings
from pathlib import Path

from matplotlib import pyplot as plt
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

from sweepless import SequentialSelector, consensus, permutation_reference
from sweepless.errors import AuditWarning
from sweepless.reports import StabilityDisplay, SubsetCurveDisplay

FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.gettempdir())

X, y = make_classification(
    n_samples=160, n_features=2000, n_informative=6, n_redundant=14, n_clusters_per_class=1, class_sep=1.0,
    shuffle=False, random_state=1,
)  # fmt: skip
selector = SequentialSelector(
    GaussianNB(), max_size=10, scoring="accuracy", audit=0.33, prior="f", warm_up=None, random_state=0
)

with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always", AuditWarning)
    selector.fit(X, y)
print(
    f"2,000 genes, of which the first 20 matter; {selector.n_evaluations_:,} evaluations in {selector.fit_time_:.0f} s."
)
print(*[f"Warning: {warning.message}" for warning in told], sep="\n")

noise = permutation_reference(selector, X, y, n_shuffles=9, random_state=0)
print(
    f"The same search on shuffled labels reaches {noise.best_shuffled.mean():.3f} on average (p = {noise.p_value:.2f})."
)

agreed = consensus(selector.set_params(audit=None), X, y, n_runs=12, n_features=6, random_state=0)
print(f"Stability over 12 runs: {agreed.stability.nogueira.value:.2f}.")
print(f"Consensus of 6: {agreed.features.tolist()}; {sum(agreed.features < 20)} of them matter.")

figure, (left, right) = plt.subplots(1, 2, figsize=(13, 5.2), layout="constrained")
SubsetCurveDisplay.from_selector(selector, permutation=noise, ax=left)
StabilityDisplay.from_consensus(agreed, n_top=14, ax=right)
figure.savefig(FOLDER / "genes.png", dpi=110)
