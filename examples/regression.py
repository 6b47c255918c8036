"""
Regression: what drives a number?
=================================

Friedman's function of five inputs, among 100 columns of which the others are noise or noisy copies. Linear models miss
its curves, so trees judge the subsets here: an estimator that has to be fitted, and is therefore raced.
"""

# %%
# The first five columns make the target: ``10 sin(π x0 x1) + 20 (x2 - 0.5)² + 10 x3 + 5 x4``. Columns 5 to
# 9 are noisy copies of them.
import warnings

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import make_friedman1
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeRegressor

from sweepless import SequentialSelector
from sweepless.errors import AuditWarning
from sweepless.reports import SubsetCurveDisplay, TrajectoryDisplay

rng = np.random.default_rng(0)
X, y = make_friedman1(n_samples=1000, n_features=100, noise=0.5, random_state=0)
X[:, 5:10] = X[:, :5] + rng.normal(scale=0.2, size=(len(X), 5))
seen, unseen, y_seen, y_unseen = train_test_split(X, y, train_size=300, random_state=0)

# %%
# A fifth of the rows is held back from the search and used once, to audit what it found. If the audit does not confirm
# the value, a warning says so.
model = DecisionTreeRegressor(min_samples_leaf=8, random_state=0)
selector = SequentialSelector(
    model, method="sSFFS", n_features_to_select="1se", max_size=7, budget=30, scoring="r2", audit=0.2, random_state=0
)
with warnings.catch_warnings():
    warnings.simplefilter("ignore", AuditWarning)
    selector.fit(seen, y_seen)
print(f"{selector.n_evaluations_:,} subsets valued; racing spared {selector.anatomy_.spared_share:.0%} of the fits.")
print(f"Chosen: {selector.get_support(indices=True).tolist()}; R² {selector.best_score_:.3f}.")

# %%
# On rows that nobody saw, a tree of the chosen columns and one of all columns:
few = model.fit(selector.transform(seen), y_seen).score(selector.transform(unseen), y_unseen)
everything = model.fit(seen, y_seen).score(unseen, y_unseen)
print(f"R² on 700 other rows: {few:.3f} with {selector.n_features_} columns, {everything:.3f} with all 100.")

figure, (left, right) = plt.subplots(1, 2, figsize=(13, 4.6), layout="constrained")
SubsetCurveDisplay.from_selector(selector, ax=left)
TrajectoryDisplay.from_selector(selector, ax=right)
plt.show()
