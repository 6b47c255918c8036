"""A selector inside a pipeline, tuned by a grid search, with column names all the way.

python examples/pipeline_grid.py [folder for the picture]
"""

import sys
import tempfile
from pathlib import Path

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from sweepless import SequentialSelector
from sweepless.reports import SubsetCurveDisplay

FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.gettempdir())

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
seen, unseen, y_seen, y_unseen = train_test_split(X, y, random_state=0, stratify=y)
pipeline = Pipeline(
    [
        ("scale", StandardScaler()),
        ("select", SequentialSelector(KNeighborsClassifier(), max_size=15, scoring="accuracy", random_state=0)),
        ("classify", KNeighborsClassifier()),
    ]
).set_output(transform="pandas")
grid = GridSearchCV(
    pipeline,
    {
        "select__method": ["sSFS", "sSFFS"],
        "select__n_features_to_select": ["best", "1se"],
        "select__estimator__n_neighbors": [1, 5],
    },
    cv=3,
).fit(seen, y_seen)

plain = pipeline.set_params(select="passthrough").fit(seen, y_seen)
best = grid.best_estimator_
selector = best["select"]
names = selector.get_feature_names_out()
print(f"{len(grid.cv_results_['params'])} settings, 3 searches each. Best: {grid.best_params_}")
print(f"It selects {len(names)} of {X.shape[1]} columns: {', '.join(names)}.")
print(f"Accuracy: {selector.best_score_:.3f} is what the search maximised, {grid.best_score_:.3f} what the grid did,")
print(
    f"{best.score(unseen, y_unseen):.3f} on patients never seen; without selection {plain.score(unseen, y_unseen):.3f}."
)

display = SubsetCurveDisplay.from_selector(selector)
display.figure_.savefig(FOLDER / "pipeline_grid.png", dpi=110, bbox_inches="tight")
