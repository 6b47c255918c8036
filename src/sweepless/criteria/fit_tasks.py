"""The fits that a worker makes for some subsets."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from sweepless._threads import one_thread
from sweepless._typing import Features
from sweepless.criteria.base import Names, checked_value
from sweepless.criteria.cross_validation import Fits, Scored, Started, explaining
from sweepless.dataset import Dataset

Task: TypeAlias = tuple[Features, list[int], Started]
"""A subset, the fits to score it by, and what was begun of them; see `Fits.scores`."""
Found: TypeAlias = tuple[list[Scored], Started]
"""What a task came to."""


def scores_of(fits: Fits, table: Any, features: Features, names: Names, tasks: list[Task]) -> list[Found]:
    """Score some subsets, given the columns of their features; a worker runs this."""
    part = Dataset(table, allow_missing=True)
    with one_thread():
        return [scored(fits, part.select(np.searchsorted(features, task[0])), task, names) for task in tasks]


def scores_there(key: str, tasks: list[Task]) -> list[Found]:
    """Score some subsets of data that the worker holds; a worker of a cluster runs this."""
    from sweepless._cluster import held

    fits, data = held(key)
    with one_thread():
        return [scored(fits, data.select(task[0]), task, data.feature_names) for task in tasks]


def scored(fits: Fits, table: Any, task: Task, names: Names) -> Found:
    members, chosen, started = task
    with explaining(fits.estimator, members, names):
        scores, begun = fits.scores(table, chosen, started)
    return [(checked_value(score, members, names), gains) for score, gains in scores], begun
