"""A panel of criteria, each searched on the training parts of an outer cross-validation and judged on the rest."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from joblib import Parallel, delayed
from sklearn import config_context
from sklearn.base import clone
from sklearn.metrics import check_scoring

from sweepless._typing import Counts, Features, Mask, Values
from sweepless._workers import tied_to_us
from sweepless.criteria.base import Criterion
from sweepless.criteria.promise import promise_of
from sweepless.dataset import Dataset
from sweepless.journal.run import run_settings
from sweepless.search.settings import SearchSettings
from sweepless.search.stop import StopReason

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
    method : str
        The method that it is searched with, unless another one is asked for. A forward search costs a third of a
        floating one, and its features hold as well on other data.
    budget : int or "auto"
        Candidates valued per addition by that method, unless another number is asked for.
    outer_budget : int, optional
        The same in searches that are only compared, where fewer do.
    """

    name: str
    make: Callable[[Dataset], Criterion]
    method: str = "sSFS"
    budget: int | Literal["auto"] = "auto"
    outer_budget: int | None = None

    @property
    def outside(self) -> Member:
        """The member as it is compared."""
        return self if self.outer_budget is None else replace(self, budget=self.outer_budget)


@dataclass(frozen=True)
class Cell:
    """What one member was worth on one split.

    Attributes
    ----------
    scores : array of shape (size, judge)
        NaN for sizes that the search did not reach.
    n_evaluations : int
    seconds : float
    """

    scores: Values
    n_evaluations: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Outer:
    """Searches by one member on the training part of a split, and judges what it found on the rest.

    Attributes
    ----------
    data : Dataset
    criterion_of : callable
        Returns what a member maximizes on some data.
    settings_of : mapping of str to SearchSettings
        How each member is searched.
    sizes : mapping of int to int
        The sizes that are judged, and which size of the search each is: fixed features are not part of the search.
    features_of : callable
        Returns the features of what a search found.
    judges : mapping of str to estimator
    scoring : str, callable or None
    until : float
        The time by the monotonic clock when it has to end.
    most_features : int, optional
        How many features are searched: those of the training part that promise most alone. Members are told apart as
        well among these; all features are searched by the one that is chosen.
    """

    data: Dataset
    criterion_of: Callable[[Member, Dataset], Criterion]
    settings_of: Mapping[str, SearchSettings]
    sizes: Mapping[int, int]
    features_of: Callable[[Features], Features]
    judges: Mapping[str, Any]
    scoring: Any = None
    until: float = np.inf
    most_features: int | None = None

    def searched(self, rows: Rows) -> Features | None:
        """Return the features that are searched on a split; None for all."""
        if self.most_features is None or self.data.n_features <= self.most_features:
            return None
        promise = promise_of(self.data.take(rows[0]))
        return None if promise is None else np.sort(np.argsort(-promise, kind="stable")[: self.most_features])

    def __call__(self, member: Member, rows: Rows, seed: int, among: Features | None = None) -> Cell:
        """Return what a member is worth on a split; `among` says which features it may choose from."""
        began = time.monotonic()
        scores = np.full((len(self.sizes), len(self.judges)), np.nan)
        if began >= self.until:
            return Cell(scores)
        data = self.data if among is None else self.data.of_features(among)
        train, test = data.take(rows[0]), data.take(rows[1])
        settings = replace(self.settings_of[member.name], seed=seed)
        if np.isfinite(self.until):
            settings = replace(settings, max_seconds=self.until - began)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the search of all data warns if there is anything to say
            result = run_settings(settings, self.criterion_of(member, train), train)
            if result.stop_reason is StopReason.INTERRUPTED:
                raise KeyboardInterrupt  # a search that was cut off says nothing about its criterion
            for place, size in enumerate(self.sizes.values()):
                if (found := result.archive.get(size)) is not None:
                    features = self.features_of(found.features)
                    scores[place] = judged(self.judges, self.scoring, train, test, features)
        return Cell(scores, result.n_evaluations, time.monotonic() - began)


def judged(judges: Mapping[str, Any], scoring: Any, train: Dataset, test: Dataset, features: Features) -> list[float]:
    """Return what every judge, fitted to some features of one part, scores on the other."""
    known, new = (np.ascontiguousarray(part.columns(features).T) for part in (train, test))
    with config_context(assume_finite=True, skip_parameter_validation=True):  # hundreds of small fits to checked data
        return [
            float(check_scoring(judge, scoring=scoring)(clone(judge).fit(known, train.y), new, test.y))
            for judge in judges.values()
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
        """The mean over judges and over the sizes that all members reached: (member, split)."""
        reached: Mask = np.isfinite(self.scores).any(axis=(1, 3))  # type: ignore[assignment]
        common = reached[reached.any(axis=1)].all(axis=0)
        return mean(self.scores[:, :, common] if common.any() else self.scores, (2, 3))

    @property
    def by_size(self) -> Values:
        """The mean over splits and judges: (member, size)."""
        return mean(self.scores, (1, 3))

    @property
    def n_splits(self) -> Counts:
        """The number of splits on which every member was judged."""
        return np.asarray(np.isfinite(self.scores).any(axis=(2, 3)).sum(axis=1))

    @property
    def errors(self) -> Values:
        """The standard errors of `by_size`: (member, size)."""
        table = mean(self.scores, 3)
        return np.array([[self.error(own[:, place]) for place in range(len(self.sizes))] for own in table])

    def error(self, over_splits: Values, *, apart: bool = False) -> float:
        """Return the standard error of a mean over splits.

        Splits share training rows, so their variance is divided by fewer than their number (Nadeau and Bengio, 2003);
        not so if they are taken to be `apart`.
        """
        known = over_splits[np.isfinite(over_splits)]
        if len(known) < 2:
            return np.inf
        share = 0.0 if apart else self.test_share
        return float(np.std(known, ddof=1) * np.sqrt(1.0 / len(known) + share))


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
    record: MutableMapping[tuple[str, int], Cell] | None = None,
    show: Callable[[int, int], None] | None = None,
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
    record : mapping, optional
        Cells by member and split; those that are there already are not computed again.
    show : callable, optional
        Called with the cells that are done and with those that there may be.
    """
    shape = (len(members), len(splits), len(outer.sizes), len(outer.judges))
    scores, seconds, n_evaluations = np.full(shape, np.nan), np.zeros(len(members)), 0
    share = float(np.mean([len(test) / len(train) for train, test in splits]))
    record = {} if record is None else record
    alive, n_done = list(range(len(members))), 0
    so_far = PanelScores(
        tuple(member.name for member in members), tuple(outer.sizes), tuple(outer.judges), scores, share, 0, seconds
    )
    for start in range(0, len(splits), n_per_round):
        cells = [(m, s) for s in range(start, min(start + n_per_round, len(splits))) for m in alive]
        missing = [(m, s) for m, s in cells if (members[m].name, s) not in record]
        among = {s: outer.searched(splits[s]) for s in {s for _, s in missing}}
        found = Parallel(n_jobs=n_jobs, return_as="generator", **tied_to_us())(
            delayed(outer)(members[m], splits[s], seed + s, among[s]) for m, s in missing
        )
        for (m, s), cell in zip(missing, found, strict=True):
            record[members[m].name, s] = cell
            n_done += 1
            if show is not None:
                show(n_done, len(members) * len(splits))
        for m, s in cells:
            cell = record[members[m].name, s]
            scores[m, s] = cell.scores
            seconds[m] += cell.seconds
            n_evaluations += cell.n_evaluations
        so_far = replace(so_far, n_evaluations=n_evaluations)
        if is_out is not None and np.isfinite(scores).any():
            out = is_out(so_far)
            alive = [m for m in alive if not out[m]]
    return so_far
