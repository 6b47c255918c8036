"""Who judges features on data that no search has seen: one predictor of every family."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from sweepless.dataset import Task

_TREES = 12  # a forest takes longer to judge than everybody else, and than most searches


def default_judges(task: Task, seed: int) -> Mapping[str, Any]:
    """Return an unfitted predictor of every family: linear, kernel (of classes), neighbors, trees.

    All but trees see features of one scale.
    """
    if task == "regression":
        return {
            "linear": _scaled(Ridge()),
            "neighbors": _scaled(KNeighborsRegressor()),
            "trees": RandomForestRegressor(_TREES, max_features=1 / 3, random_state=seed),
        }
    return {
        "linear": _scaled(LogisticRegression(max_iter=200, tol=1e-3)),
        "kernel": _scaled(SVC()),
        "neighbors": _scaled(KNeighborsClassifier()),
        "trees": RandomForestClassifier(_TREES, random_state=seed),
    }


def _scaled(predictor: Any) -> Pipeline:
    return make_pipeline(StandardScaler(), predictor)
