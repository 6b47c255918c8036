"""What `estimator=None` means: a panel of criteria, of which the one is used that was worth most outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold, KFold, RepeatedKFold, RepeatedStratifiedKFold, check_cv

from sweepless._checks import whole
from sweepless.criteria.base import Criterion
from sweepless.criteria.linear.ridge import RidgeCriterion
from sweepless.criteria.neighbors.knn import KNN
from sweepless.criteria.neighbors.regression import KNNRegression
from sweepless.criteria.standardized import Standardized
from sweepless.dataset import Dataset, Task
from sweepless.errors import DataError, InputError
from sweepless.search.settings import SearchSettings
from sweepless.selectors.layout import Layout
from sweepless.validation.choice import PanelChoice, choose, left_behind
from sweepless.validation.judges import default_judges
from sweepless.validation.panel import Member, Outer, Rows, judge_panel

LADDER = (1, 2, 5, 10, 20, 50)
"""The sizes that are judged, and every doubling beyond as far as sizes are asked for."""
_FOLDS = 3
_ENOUGH = 300  # samples judged on, over all repetitions, tell criteria apart as well as folds can
_MOST_REPEATS = 5
_CLIP = 2.0  # standard deviations


def _ridge(penalty: float, score: str) -> Any:
    def make(data: Dataset) -> Criterion:
        return Standardized(RidgeCriterion(penalty * data.n_samples, "loo", score), _CLIP)

    return make


# The preferred first: smooth and strongly penalized criteria hold best on other data where samples are few.
_PANELS: dict[Task, tuple[Member, ...]] = {
    "classification": (
        Member("ridge, strong penalty", _ridge(4.0, "class_r2")),
        Member("ridge, medium penalty", _ridge(1.0, "class_r2")),
        Member("ridge, weak penalty", _ridge(0.1, "class_r2")),
        Member("nearest neighbor", lambda data: Standardized(KNN(1))),
    ),
    "regression": (
        Member("ridge, strong penalty", _ridge(1.0, "r2")),
        Member("ridge, weak penalty", _ridge(0.1, "r2")),
        Member("nearest neighbors", lambda data: Standardized(KNNRegression())),
    ),
}


def panel_for(data: Dataset) -> tuple[Member, ...]:
    """Return the members that are tried on some data."""
    return _PANELS["classification" if data.has_classes else "regression"]


def outer_splits(data: Dataset, cv: Any, groups: Any, seed: int) -> tuple[list[Rows], int]:
    """Return the outer splits, and how many of them are one round of the panel.

    A number of folds, or None for three, is repeated until some hundreds of samples were judged on.
    """
    blank = np.zeros((data.n_samples, 1))
    if cv is not None and not isinstance(cv, int | np.integer):
        splits = list(check_cv(cv, data.y, classifier=data.has_classes).split(blank, data.y, groups))
        return splits, len(splits)
    n_folds = _FOLDS if cv is None else whole("cv", cv, 2)
    if groups is not None:
        return list(GroupKFold(n_folds).split(blank, data.y, groups)), n_folds
    n_repeats = min(_MOST_REPEATS, max(1, ceil(_ENOUGH / data.n_samples)))
    kind = RepeatedStratifiedKFold if data.has_classes else RepeatedKFold
    splitter = kind(n_splits=n_folds, n_repeats=n_repeats, random_state=seed % 2**32)
    return list(splitter.split(blank, data.y)), n_folds
