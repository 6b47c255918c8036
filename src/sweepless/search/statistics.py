"""Statistics of single features, learned from past evaluations (Section 3.1 of the paper)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np
from scipy.special import ndtri

from sweepless._checks import whole
from sweepless._typing import Counts, Values
from sweepless.engine.folds import FastFold, Fold
from sweepless.errors import InputError
from sweepless.kernels.sampling import FEW_FEATURES
from sweepless.kernels.sampling.statistics import rates
from sweepless.kernels.sampling.statistics_fast import Side
from sweepless.search.step import Batch


def _no_values() -> Values:
    return np.empty(0)


def _no_counts() -> Counts:
    return np.empty(0, dtype=np.int64)


class Statistics(ABC):
    """Learns a score for every feature from batches, and counts the evaluations with and without it."""

    count_with: Counts
    count_without: Counts

    @abstractmethod
    def fresh(self, n_features: int, fold: Fold) -> Statistics:
        """Return empty statistics of this kind, whose running means are updated by `fold`."""

    @property
    @abstractmethod
    def scores(self) -> Values:
        """s(f): greater for features worth adding."""

    @abstractmethod
    def learn(self, batch: Batch) -> None:
        """Learn from the batch of one step."""

    def warm_up(self, batch: Batch) -> None:
        """Learn from the warm-up probes, by default like from any other batch."""
        self.learn(batch)

    def seed(self, prior: Values) -> None:
        """Begin with prior scores of the features."""
        raise InputError(f"a prior needs statistics that contrast standardized values, got {type(self).__name__}.")


@dataclass(eq=False)
class RunningMeans(Statistics):
    """The two accumulators per feature: means with f and without f, each with its own count.

    The rate of an accumulator is 1/min(count, horizon): an exact mean up to the horizon, a forgetting one beyond.
    """

    horizon: int = 100
    fold: Fold = field(default_factory=FastFold, repr=False)
    mean_with: Values = field(default_factory=_no_values, repr=False)
    mean_without: Values = field(default_factory=_no_values, repr=False)
    count_with: Counts = field(default_factory=_no_counts, repr=False)
    count_without: Counts = field(default_factory=_no_counts, repr=False)
    _contrast: Values | None = field(default=None, init=False, repr=False)  # of the means, if known

    def __post_init__(self) -> None:
        self.horizon = max(1, whole("horizon", self.horizon, 0))  # A55

    def fresh(self, n_features: int, fold: Fold) -> RunningMeans:
        return replace(
            self,
            fold=fold,
            mean_with=np.zeros(n_features),
            mean_without=np.zeros(n_features),
            count_with=np.zeros(n_features, dtype=fold.count_type),
            count_without=np.zeros(n_features, dtype=fold.count_type),
        )

    @property
    def scores(self) -> Values:
        if self._contrast is None:
            self._contrast = self.mean_with - self.mean_without
        return self._contrast

    def learn(self, batch: Batch) -> None:
        self._fold(batch.values, batch)

    def _fold(self, values: Values, batch: Batch) -> None:
        rate = rates(self._reachable(len(values)))
        inside, outside = Side(self.mean_with, self.count_with), Side(self.mean_without, self.count_without)
        contrast = np.empty_like(self.mean_with) if self._contrast is None else self._contrast
        self.fold(values, batch.common, batch.changed, rate, inside, outside, contrast)
        self._contrast = contrast

    def _reachable(self, n_entries: int) -> int:
        """Return the horizon, or a lower one that no count will exceed, to keep the table of rates short."""
        if self.horizon <= FEW_FEATURES:  # a table this long costs less than finding the greatest count
            return self.horizon
        return min(self.horizon, int(max(self.count_with.max(), self.count_without.max())) + n_entries)


def standardize(values: Values) -> Values:
    """Return z = (J - mean) / deviation, population form; all zero when the batch has no spread (A1, A2)."""
    mean = _sum_in_order(values) / len(values)
    centered = values - mean
    deviation = np.sqrt(_sum_in_order(centered * centered) / len(values))
    return centered / deviation if deviation > 1e-12 else np.zeros(len(values))


def _sum_in_order(values: Values) -> float:
    """Add one value after the other, like the reference: another order of sums would change trajectories."""
    return float(np.cumsum(values)[-1])


@dataclass(eq=False)
class ContrastStatistics(RunningMeans):
    """s(f) = mean standardized value with f minus without f: the paper's statistic (Eqs. 2, 3)."""

    def learn(self, batch: Batch) -> None:
        self._fold(standardize(batch.values), batch)

    def seed(self, prior: Values) -> None:
        """Count the prior as one observation of every feature, which evaluations soon outweigh.

        Only the order of the prior matters: the observation is the normal quantile of the feature's rank, because cheap
        scores are often so skewed that only a few features would ever be drawn.
        """
        _, places, counts = np.unique(prior, return_inverse=True, return_counts=True)
        middle = np.cumsum(counts) - 0.5 * counts  # the middle rank of equal scores
        self.mean_with[:] = ndtri(middle[places] / len(prior))
        self.count_with += 1
        self._contrast = None


@dataclass(eq=False)
class RawContrastStatistics(RunningMeans):
    """The contrast of raw values, not standardized per batch: an ablation (A23, second variant)."""


@dataclass(eq=False)
class RawMeanStatistics(RunningMeans):
    """s(f) = running mean of the raw values of subsets with f: the ablation of the contrast (A23).

    A feature that no subset has contained yet gets the running mean of all values so far.
    """

    total: float = field(default=0.0, repr=False)
    n_values: int = field(default=0, repr=False)

    def fresh(self, n_features: int, fold: Fold) -> RawMeanStatistics:
        started = cast(RawMeanStatistics, super().fresh(n_features, fold))
        return replace(started, total=0.0, n_values=0)

    @property
    def scores(self) -> Values:
        everything = self.total / self.n_values if self.n_values else 0.0
        return np.where(self.count_with > 0, self.mean_with, everything)

    def learn(self, batch: Batch) -> None:
        self.total += float(batch.values.sum())
        self.n_values += len(batch.values)
        super().learn(batch)


@dataclass(eq=False)
class Frozen(Statistics):
    """Statistics that learn only from the warm-up; then scores and counts stay as they are (A22)."""

    statistics: Statistics = field(default_factory=ContrastStatistics)

    def __post_init__(self) -> None:
        if not isinstance(self.statistics, Statistics):
            raise InputError(f"`statistics` of Frozen must be a Statistics object, got {self.statistics!r}.")

    def fresh(self, n_features: int, fold: Fold) -> Frozen:
        return Frozen(self.statistics.fresh(n_features, fold))

    @property
    def count_with(self) -> Counts:  # type: ignore[override]
        return self.statistics.count_with

    @property
    def count_without(self) -> Counts:  # type: ignore[override]
        return self.statistics.count_without

    @property
    def scores(self) -> Values:
        return self.statistics.scores

    def learn(self, batch: Batch) -> None:
        """Ignore the batch, because frozen statistics do not change."""

    def warm_up(self, batch: Batch) -> None:
        self.statistics.warm_up(batch)

    def seed(self, prior: Values) -> None:
        self.statistics.seed(prior)


STATISTICS: dict[str, type[Statistics]] = {
    "contrast": ContrastStatistics,
    "raw-mean": RawMeanStatistics,
    "raw-contrast": RawContrastStatistics,
    "frozen": Frozen,
}
"""The statistics by name, for the command line and specs."""
