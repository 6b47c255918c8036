"""
A criterion of your own: weather stations
=========================================

Which few of 200 weather stations tell what all the others measure? There is no class and no target here, only a
question about subsets. Any function of a subset can be maximized.
"""

# %%
# Smooth fields over a square country, twice as varied in its south, read with an error of 0.1.
import numpy as np
from matplotlib import pyplot as plt

from sweepless import RankingSelector, SequentialSelector
from sweepless.criteria import FunctionCriterion
from sweepless.reports import SubsetCurveDisplay


def temperatures(n_days: int = 600, n_stations: int = 200, seed: int = 0):
    """Return the places of the stations, and a row of readings for each day."""
    rng = np.random.default_rng(seed)
    places = rng.uniform(size=(n_stations, 2))
    distances = np.linalg.norm(places[:, None] - places, axis=2)
    spread = np.where(places[:, 1] < 0.4, 2.0, 1.0)
    smooth = np.exp(-((distances / 0.35) ** 2)) * np.outer(spread, spread)
    fields = rng.multivariate_normal(np.zeros(n_stations), smooth, size=n_days, method="eigh")
    return places, fields + rng.normal(scale=0.1, size=fields.shape)


places, readings = temperatures()
past, future = readings[:300], readings[300:]
covariance = np.cov(past.T)

# %%
# The criterion is the share of the variance of all stations that linear regression on some of them explains.


def explained(members: np.ndarray) -> float:
    """Return the explained share of the variance."""
    inner = covariance[np.ix_(members, members)]
    outer = covariance[members]
    return float(np.sum(outer * np.linalg.solve(inner, outer)) / np.trace(covariance))


criterion = FunctionCriterion(explained)
search = SequentialSelector(criterion, n_features_to_select=12, budget=50, random_state=0).fit(past)
ranking = RankingSelector(criterion, method="BIF", n_features_to_select=12).fit(past)
print(f"12 of 200 stations explain {search.best_score_:.1%} of the variance; {search.n_evaluations_:,} subsets valued.")
print(f"The 12 stations that explain most on their own: {ranking.best_score_:.1%}.")

# %%
# Is it true on days that the criterion never saw? And where are the stations?
for name, selector in (("found together", search), ("best alone", ranking)):
    known = np.linalg.lstsq(selector.transform(past), past, rcond=None)[0]
    left_over = future - selector.transform(future) @ known
    print(f"Days never seen, stations {name}: {1 - left_over.var() / future.var():.1%}.")

figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.8), width_ratios=(1.5, 1), layout="constrained")
SubsetCurveDisplay.from_selector(search, reference=ranking, reference_name="best alone (BIF)", ax=left)
right.scatter(*places.T, s=12, color="0.75", label="all stations")
right.scatter(*places[ranking.support_].T, s=70, facecolors="none", edgecolors="0.3", label="best alone")
right.scatter(*places[search.support_].T, s=45, color="tab:blue", label="found together")
right.set(title="The stations", aspect="equal", xticks=[], yticks=[])
right.legend(loc="upper center", bbox_to_anchor=(0.5, 0), ncols=3, frameon=False)
plt.show()
