"""
Five methods, the same evaluations
==================================

Which method makes the most of 2,500 evaluations? On data whose features matter mostly together, rankings fail, full
sweeps come a few steps far, and sampled steps go on.
"""

# %%
# 500 features, of which 20 matter; the names of the others begin with "probe".
import warnings

import pandas as pd
from matplotlib import pyplot as plt
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

from sweepless import RankingSelector, SequentialSelector, make_madelon
from sweepless.errors import SaturationWarning
from sweepless.reports import SubsetCurveDisplay

EVALUATIONS = 2500
data = make_madelon(n_samples=600, seed=0)
X = pd.DataFrame(data.X, columns=data.feature_names)
seen, unseen, y_seen, y_unseen = train_test_split(X, data.y, random_state=0, stratify=data.y)

# %%
# Every method may value as many subsets as the others. Where that is too few to reach 15 features, the result is what
# was found until then. Accuracies tie, of which a warning tells that is silenced here.
warnings.simplefilter("ignore", SaturationWarning)
settings = {"cv": 3, "scoring": "accuracy", "max_size": 15, "max_evaluations": EVALUATIONS, "random_state": 0}
classifier = KNeighborsClassifier(n_neighbors=3)
selectors = {
    "sSFFS": SequentialSelector(classifier, method="sSFFS", **settings),
    "SFFS": SequentialSelector(classifier, method="SFFS", **settings),
    "SFS": SequentialSelector(classifier, method="SFS", **settings),
    "DAF1": RankingSelector(classifier, method="DAF1", n_probes=EVALUATIONS - 15, probe_sizes=(1, 20), **settings),
    "BIF": RankingSelector(classifier, method="BIF", **settings),
}
print("        evaluations  largest size  chosen size  of which matter  value  unseen")
for name, selector in selectors.items():
    selector.fit(seen, y_seen)
    holdout = classifier.fit(selector.transform(seen), y_seen).score(selector.transform(unseen), y_unseen)
    n_real = sum(not feature.startswith("probe") for feature in selector.get_feature_names_out())
    print(
        f"{name:8}{selector.n_evaluations_:>11,}{max(selector.subsets_):>14}{selector.n_features_:>13}{n_real:>17}"
        f"{selector.best_score_:>7.3f}{holdout:>8.3f}"
    )

# %%
display = SubsetCurveDisplay.from_selector(selectors.pop("sSFFS"), label="sSFFS")
for (name, selector), look in zip(selectors.items(), ("k--", "g-", "m-", "y-")):
    curve = selector.cv_results_
    display.ax_.plot(curve["n_features"], curve["mean_test_score"], look, marker=".", linewidth=1.2, label=name)
display.ax_.legend(loc="lower right", ncols=5, frameon=False)
plt.show()
