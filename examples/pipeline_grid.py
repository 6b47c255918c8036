"""
A selector in a pipeline and a grid search
==========================================

A selector is a scikit-learn transformer: it goes into a pipeline, its parameters into a grid, and the names of columns
go all the way through.
"""

# %%
from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from sweepless import SequentialSelector
from sweepless.reports import SubsetCurveDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
seen, unseen, y_seen, y_unseen = train_test_split(X, y, random_state=0, stratify=y)
pipeline = Pipeline(
    [
        ("scale", StandardScaler()),
        ("select", SequentialSelector(KNeighborsClassifier(), max_size=15, scoring="accuracy", random_state=0)),
        ("classify", KNeighborsClassifier()),
    ]
).set_output(transform="pandas")

# %%
# The grid repeats the whole selection on every training part, so its score is one on data that the selection did not
# see.
grid = GridSearchCV(
    pipeline,
    {
        "select__method": ["sSFS", "sSFFS"],
        "select__n_features_to_select": ["best", "1se"],
        "select__estimator__n_neighbors": [1, 5],
    },
    cv=3,
).fit(seen, y_seen)
print(f"{len(grid.cv_results_['params'])} settings, 3 searches each. Best: {grid.best_params_}")

# %%
plain = pipeline.set_params(select="passthrough").fit(seen, y_seen)
best = grid.best_estimator_
selector = best["select"]
names = selector.get_feature_names_out()
print(f"It selects {len(names)} of {X.shape[1]} columns: {', '.join(names)}.")
print(f"Accuracy: {selector.best_score_:.3f} is what the search maximized, {grid.best_score_:.3f} what the grid did,")
print(
    f"{best.score(unseen, y_unseen):.3f} on patients never seen; {plain.score(unseen, y_unseen):.3f} without selection."
)

SubsetCurveDisplay.from_selector(selector)
plt.show()
