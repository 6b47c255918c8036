"""What `estimator=None` means: a panel of criteria, of which the one is used that is worth most outside."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold, RepeatedKFold, RepeatedStratifiedKFold, check_cv

from sweepless._checks import whole
from sweepless.criteria.base import Criterion
from sweepless.criteria.linear.ridge import RidgeCriterion
from sweepless.criteria.linear.targets import Score
from sweepless.criteria.neighbors.regression import KNNRegression
from sweepless.criteria.neighbors.soft import SoftNeighbors
from sweepless.criteria.standardized import Standardized
from sweepless.criteria.thinned import Thinned, spread_rows
from sweepless.dataset import Dataset, Task
from sweepless.errors import DataError, InputError
from sweepless.validation.judges import default_judges
from sweepless.validation.panel import Member, Rows

MANY = 1000
"""Features among which criteria are compared where there are more."""
_LADDER = (1, 2, 5)  # times powers of ten: the sizes that are judged
_LARGEST = 50  # of them, unless more features are asked for
_FOLDS = 3
_ENOUGH = 300  # samples judged on, over all repetitions, tell criteria apart as well as folds can
_MOST_REPEATS = 3
_MOST_ROWS = 4000  # on which criteria are compared: judges take long on many, and tell criteria apart no better
_CLIP = 2.0  # standard deviations
_MOST_SAMPLES, _FEWER_SAMPLES = 400, 200  # for criteria that look at all pairs of samples
_FEW_CANDIDATES, _FEWER_CANDIDATES = 300, 150  # for those that take most of the time


def _ridge(penalty: float, score: Score) -> Callable[[Dataset], Criterion]:
    def make(data: Dataset) -> Criterion:
        return Standardized(RidgeCriterion(penalty * data.n_samples, "loo", score), _CLIP)

    return make


# The preferred first: strongly penalized criteria hold best on other data where samples are few.
_PANELS: dict[Task, tuple[Member, ...]] = {
    "classification": (
        Member("ridge, strong penalty", _ridge(4.0, "class_r2")),
        Member("ridge, medium penalty", _ridge(1.0, "class_r2")),
        Member(
            "soft neighbors",
            lambda data: Standardized(Thinned(SoftNeighbors(), _MOST_SAMPLES), _CLIP),
            budget=_FEW_CANDIDATES,
            outer_budget=_FEWER_CANDIDATES,
        ),
    ),
    "regression": (
        Member("ridge, strong penalty", _ridge(1.0, "r2")),
        Member("ridge, weak penalty", _ridge(0.1, "r2")),
        Member(
            "neighbors",
            lambda data: Standardized(Thinned(KNNRegression(), _FEWER_SAMPLES), _CLIP),
            budget=_FEW_CANDIDATES,
            outer_budget=_FEWER_CANDIDATES,
        ),
    ),
}


@dataclass(frozen=True)
class Panel:
    """What is tried on some data, and by whom and on which rows it is judged.

    Attributes
    ----------
    members : tuple of Member
    splits : list of (rows to search on, rows to judge on)
        Empty if there are too few samples.
    n_per_round : int
    judges : mapping of str to estimator
    scoring : str, callable or None
    """

    members: tuple[Member, ...]
    splits: Sequence[Rows]
    n_per_round: int
    judges: Mapping[str, Any]
    scoring: Any

    def member(self, name: str) -> Member:
        """Return the member of this name."""
        return next(member for member in self.members if member.name == name)


def default_screen(data: Dataset) -> Criterion:
    """Return the criterion that proposes candidates for a dearer one: the first of the panel."""
    require_panel(data)
    return _PANELS["classification" if data.has_classes else "regression"][0].make(data)


def require_panel(data: Dataset) -> None:
    """Raise if the data are not such that criteria can be compared on them."""
    if data.target.ndim != 1:
        raise DataError(
            f"there must be one target per sample if nothing says what to maximize, got an array of shape "
            f"{data.target.shape}."
        )
    if data.has_classes:
        data.require_classes()
    data.require_variation()


def make_panel(data: Dataset, judge: Any, scoring: Any, cv: Any, groups: Any, seed: int) -> Panel:
    """Return the panel for some data.

    Parameters
    ----------
    data : Dataset
    judge : estimator or str, optional
        The only judge, instead of one of every family: an estimator, or a family by its name.
    scoring : str, callable or None
        The score of the judges.
    cv : int, splitter or None
        The outer folds. A number of folds, three by default, is repeated until some hundreds of samples were judged on.
    groups : array, optional
    seed : int
    """
    task: Task = "classification" if data.has_classes else "regression"
    judges = _read_judges(judge, default_judges(task))
    splits, n_per_round = _outer_splits(data, cv, groups, seed)
    return Panel(_PANELS[task], splits, n_per_round, judges, scoring)


def _read_judges(judge: Any, families: Mapping[str, Any]) -> Mapping[str, Any]:
    if judge is None:
        return families
    if isinstance(judge, str) and judge in families:
        return {judge: families[judge]}
    if hasattr(judge, "fit") and hasattr(judge, "predict"):
        return {type(judge).__name__: judge}
    raise InputError(
        f"`judge` must be a classifier or regressor, one of {', '.join(families)}, or None for all of these, "
        f"got {judge!r}."
    )


def judged_sizes(low: int, high: int, is_given: bool) -> list[int]:
    """Return the sizes from low to high that are judged; high is the default unless it was given."""
    most = high if is_given else min(high, max(low, _LARGEST))
    steps = {step * 10**power for power in range(len(str(most))) for step in _LADDER}
    return sorted({size for size in steps if low <= size <= most} | {most})


def _outer_splits(data: Dataset, cv: Any, groups: Any, seed: int) -> tuple[list[Rows], int]:
    """Return the outer splits, and how many of them make a round; none if there are too few samples for any."""
    if cv is not None and not isinstance(cv, int | np.integer):
        blank = np.zeros((data.n_samples, 1))
        splits = list(check_cv(cv, data.y, classifier=data.has_classes).split(blank, data.y, groups))
        return splits, len(splits)
    n_folds = _FOLDS if cv is None else whole("cv", cv, 2)
    rows = spread_rows(data, _MOST_ROWS)
    blank, target = np.zeros((len(rows), 1)), (data.codes if data.has_classes else data.target)[rows]
    if groups is not None:
        found = GroupKFold(n_folds).split(blank, target, np.asarray(groups)[rows])
        return [(rows[train], rows[test]) for train, test in found], n_folds
    if data.has_classes:
        sizes = np.sort(np.bincount(target))[::-1]
        if sizes[0] < n_folds or sizes[1] < 2:  # some training part would have one class only
            return [], n_folds
    elif data.n_samples < 2 * n_folds:
        return [], n_folds
    n_repeats = min(_MOST_REPEATS, max(1, ceil(_ENOUGH / data.n_samples)))
    kind = RepeatedStratifiedKFold if data.has_classes else RepeatedKFold
    splitter = kind(n_splits=n_folds, n_repeats=n_repeats, random_state=seed % 2**32)
    return [(rows[train], rows[test]) for train, test in splitter.split(blank, target)], n_folds
