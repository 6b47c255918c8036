"""A panel of criteria, each searched on the training parts of an outer cross-validation and judged on the rest."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.metrics import check_scoring

from sweepless._typing import Features, Values
from sweepless._workers import tied_to_us
from sweepless.criteria.base import Criterion
from sweepless.criteria.standardized import Scales
from sweepless.dataset import Dataset
from sweepless.journal.run import run_settings
from sweepless.search.settings import SearchSettings

Rows = tuple[Features, Features]
"""The rows to search on, and those to judge on."""


@dataclass(frozen=True)
class Member:
    """A criterion of the panel.

    Attributes
    ----------
    name : str
        A few words.
    make : callable
        Returns the criterion for a data set, on which its penalty may depend.
    """

    name: str
    make: Callable[[Dataset], Criterion]


@dataclass(frozen=True)
class Outer:
    """What is the same for every member of a panel.

    Attributes
    ----------
    data : Dataset
    settings : SearchSettings
    sizes : tuple of int
        The sizes that are judged.
    judges : mapping of str to estimator
    scoring : str, callable or None
    features_of : callable
        Returns the features of what a search found.
    wrap : callable
        Lets a criterion value what a search moves.
    """

    data: Dataset
    settings: SearchSettings
    sizes: tuple[int, ...]
    judges: Mapping[str, Any]
    scoring: Any
    features_of: Callable[[Features], Features]
    wrap: Callable[[Criterion], Criterion]

    def __call__(self, member: Member, rows: Rows, seed: int) -> tuple[Values, int, float]:
        """Search on the first rows and judge on the others.

        Returns the scores (size, judge), NaN for sizes that the search did not reach, the evaluations and the seconds.
        """
        began = time.monotonic()
        train, test = self.data.take(rows[0]), self.data.take(rows[1])
        scores = np.full((len(self.sizes), len(self.judges)), np.nan)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the search of all data warns if there is anything to say
            result = run_settings(replace(self.settings, seed=seed), self.wrap(member.make(train)), train)
            for place, size in enumerate(self.sizes):
                if (found := result.archive.get(size)) is not None:
                    scores[place] = self._judged(train, test, self.features_of(found.features))
        return scores, result.n_evaluations, time.monotonic() - began

    def _judged(self, train: Dataset, test: Dataset, features: Features) -> list[float]:
        known, new = (Dataset(part.columns(features).T) for part in (train, test))
        scales = Scales.of(known)
        known, new = scales.apply(known), scales.apply(new)
        return [
            float(check_scoring(judge, scoring=self.scoring)(clone(judge).fit(known.X, train.y), new.X, test.y))
            for judge in self.judges.values()
        ]


@dataclass(frozen=True, eq=False)
class PanelScores:
    """What every member was worth outside.

    Attributes
    ----------
    members : tuple of str
        The names, the preferred first.
    sizes : tuple of int
    judges : tuple of str
    scores : array of shape (member, split, size, judge)
        NaN where a member was out of the race, or where its search did not reach the size.
    test_share : float
        Rows judged on, for every row searched on.
    n_evaluations : int
    seconds : array
        What every member took.
    """

    members: tuple[str, ...]
    sizes: tuple[int, ...]
    judges: tuple[str, ...]
    scores: Values
    test_share: float
    n_evaluations: int
    seconds: Values

    @property
    def by_split(self) -> Values:
        """The mean over sizes and judges: (member, split)."""
        return mean(self.scores, (2, 3))

    @property
    def by_size(self) -> Values:
        """The mean over splits and judges: (member, size)."""
        return mean(self.scores, (1, 3))

    def error(self, differences: Values) -> float:
        """Return the standard error of a mean over splits, which share training rows.

        Their variance is divided by fewer than the number of splits (Nadeau and Bengio, 2003).
        """
        known = differences[np.isfinite(differences)]
        if len(known) < 2:
            return np.inf
        return float(np.std(known, ddof=1) * np.sqrt(1.0 / len(known) + self.test_share))


def mean(scores: Values, axis: Any) -> Values:
    """Return the mean of what is known, NaN where nothing is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.asarray(np.nanmean(scores, axis=axis))


def judge_panel(
    members: Sequence[Member],
    outer: Outer,
    splits: Sequence[Rows],
    n_per_round: int,
    seed: int,
    *,
    n_jobs: int | None = None,
    is_out: Callable[[PanelScores], Sequence[bool]] | None = None,
) -> PanelScores:
    """Judge every member on every split, round by round; those that `is_out` names after a round take no further part.

    Parameters
    ----------
    members, outer, splits
    n_per_round : int
        Splits of a round: one repetition of the outer cross-validation.
    seed : int
    n_jobs : int, optional
    is_out : callable, optional
    """
    shape = (len(members), len(splits), len(outer.sizes), len(outer.judges))
    scores, seconds, n_evaluations = np.full(shape, np.nan), np.zeros(len(members)), 0
    alive = list(range(len(members)))
    share = float(np.mean([len(test) / len(train) for train, test in splits]))
    for start in range(0, len(splits), n_per_round):
        cells = [(m, s) for s in range(start, min(start + n_per_round, len(splits))) for m in alive]
        found = Parallel(n_jobs=n_jobs, **tied_to_us())(
            delayed(outer)(members[m], splits[s], seed + s) for m, s in cells
        )
        for (m, s), (cell, evaluations, took) in zip(cells, found, strict=True):
            scores[m, s] = cell
            seconds[m] += took
            n_evaluations += evaluations
        so_far = PanelScores(
            tuple(member.name for member in members), outer.sizes, tuple(outer.judges), scores, share, n_evaluations,
            seconds,
        )
        if is_out is not None:
            out = is_out(so_far)
            alive = [m for m in alive if not out[m]]
    return so_far
