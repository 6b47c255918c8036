"""
A method of your own
====================

A method is a schedule, which takes steps or declines them, with a kind of steps, which find them. A new schedule takes
a few lines, and gets limits, journals, cost predictions and a sampled twin without another one.
"""

# %%
# Grow and prune: add a few features more than wanted, then remove the least useful ones, in waves.
from matplotlib import pyplot as plt

from sweepless import Direction, Method, SequentialSelector, make_madelon, predict_cost, stochastic
from sweepless.criteria import KNN
from sweepless.reports import TrajectoryDisplay
from sweepless.search import SweepSteps, schedule


@schedule(is_fixed=True, needs_target=True)
def grow_and_prune(walk, advance, retreat, goal, *, n_waves=3, n_extra=4):
    """Overshoot the target and come back, again and again."""
    for _ in range(n_waves):
        while walk.size < goal.target + n_extra:
            yield walk.take(advance(walk))
        while walk.size > goal.target:
            yield walk.take(retreat(walk))


GP = Method("GP", grow_and_prune, Direction.ADD, SweepSteps())
sGP = stochastic(GP)  # the same decisions, on sampled steps
print(f"GP will take {predict_cost(GP, n_features=200, target=10).evaluations:,} evaluations.")
print(f"sGP with a budget of 20: {predict_cost(sGP, 200, 10, budget=20, backward_budget=5).evaluations:,}.")

# %%
# ``is_fixed`` promised that the steps do not depend on values, so the predictions are exact. Methods of your own go
# wherever the name of a method goes.
data = make_madelon(n_samples=300, n_features=200, n_redundant=10, seed=1)
settings = {"n_features_to_select": 10, "random_state": 0}
searches = {
    "SFS": SequentialSelector(KNN(), method="SFS", **settings),
    "GP": SequentialSelector(KNN(), method=GP, **settings),
    "sGP": SequentialSelector(KNN(), method=sGP, budget=20, backward_budget=5, **settings),
}
figure, axes = plt.subplots(1, 3, figsize=(14, 4), layout="constrained", sharey=True)
for ax, (name, selector) in zip(axes, searches.items()):
    selector.fit(data.X, data.y)
    print(f"{name:<4} {selector.n_evaluations_:>6,} evaluations, value of 10 features {selector.best_score_:.3f}.")
    TrajectoryDisplay.from_selector(selector, ax=ax)
    ax.set_xlabel(f"{name}: evaluations spent")
plt.show()
