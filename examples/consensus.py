"""
Would other runs find the same features?
========================================

Another seed and other rows give another subset. How different it is, and which features all agree on, says more about a
selection than its score.
"""

# %%
# Six causes, each measured three times with an error: any of the three will do, so many subsets are equally good.
import numpy as np
from matplotlib import pyplot as plt

from sweepless import SequentialSelector, consensus
from sweepless.criteria import RidgeCriterion
from sweepless.reports import StabilityDisplay
from sweepless.stability import stability

rng = np.random.default_rng(0)
y = rng.integers(0, 2, 200)
causes = rng.normal(size=(200, 6)) + 0.7 * y[:, None]
measured = np.repeat(causes, 3, axis=1) + rng.normal(scale=0.2, size=(200, 18))
X = np.hstack([measured, rng.normal(size=(200, 282))])
selector = SequentialSelector(RidgeCriterion(alpha=len(X)), method="sSFS", max_size=8, random_state=0)
agreed = consensus(selector, X, y, n_runs=20, n_features=6, random_state=0)

# %%
# Nogueira's measure is 1 if all runs select the same, and 0 on average if they select at random. If features that take
# each other's place count as one, the runs agree more: they disagree about names rather than about information.
nogueira = agreed.stability.nogueira
print(f"Stability {nogueira.value:.2f}, between {nogueira.low:.2f} and {nogueira.high:.2f}.")
print(f"With interchangeable features as one: {agreed.group_stability.nogueira.value:.2f}.")
print(f"Consensus: {agreed.features.tolist()}; {sum(agreed.features < 18)} of them matter.")

# %%
# The subsets of repeated runs can come from anywhere; the measures take plain lists of features.
three_runs = stability([{0, 1, 2}, {0, 1, 3}, {0, 2, 3}], n_features=300)
print(f"Three runs: Tanimoto index {three_runs.ati:.2f}, Nogueira {three_runs.nogueira.value:.2f}.")

StabilityDisplay.from_consensus(agreed, n_top=16)
plt.show()
