"""
A campaign: methods × seeds from a file
=======================================

One run proves nothing about a method. A campaign runs several methods on several seeds from a description in a file. It
can be stopped and continued at any time, and its rows go wherever tables go.
"""

# %%
# A seed fixes the split and all draws, so methods can be compared seed by seed.
import tempfile
from pathlib import Path

import pandas as pd
from matplotlib import pyplot as plt

from sweepless.runs import long_table, parse_spec, run_campaign

SPEC = """
name = "budgets"
seeds = "1-5"

[data]
name = "make_madelon"
n_samples = 300
n_features = 100

[split]
train = 50
test = 50

[criterion]
name = "knn"

[stop]
max_size = 12

[validation]
classifiers = ["same"]
sizes = [3, 6, 9, 12]

[[arms]]
name = "SFFS"
method = "SFFS"

[[arms]]
name = "sSFFS, 20 a step"
method = "sSFFS"
budget = 20
backward_budget = 10

[[arms]]
name = "best one by one"
method = "BIF"
"""
folder = Path(tempfile.mkdtemp())
summary = run_campaign(parse_spec(SPEC, "budgets.toml"), folder)
print(summary.n_cells, "cells,", summary.n_new, "new")
again = run_campaign(parse_spec(SPEC, "budgets.toml"), folder)
print(again.n_cells, "cells,", again.n_new, "new: what is there is not computed again")

# %%
# One row per method, seed and size. ``sweepless report`` makes an interactive page of them.
rows = pd.DataFrame(long_table(folder)[0])
print(rows[rows["size"] == 12].groupby("arm")[["value", "holdout_knn", "n_evaluations"]].mean().round(3))

# %%
# What the searches maximized, and what the other half of the samples says.
figure, axes = plt.subplots(1, 2, figsize=(12, 4.4), layout="constrained", sharey=True)
for ax, column, title in zip(axes, ("value", "holdout_knn"), ("maximized", "on the other half")):
    for arm, of_arm in rows.dropna(subset=[column]).groupby("arm", sort=False):
        by_size = of_arm.groupby("size")[column]
        ax.errorbar(by_size.mean().index, by_size.mean(), by_size.sem(), marker=".", capsize=2, label=arm)
    ax.set(title=f"Accuracy of 1-NN, {title}", xlabel="features")
axes[0].legend(frameon=False)
plt.show()
