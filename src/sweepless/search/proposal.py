"""Which candidates deserve an evaluation (Section 3.2 of the paper, stages 1 and 2)."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from sweepless._typing import Counts, Features, Values
from sweepless.engine.generator import Rng
from sweepless.errors import InputError
from sweepless.kernels.sampling import FEW_FEATURES
from sweepless.kernels.sampling.exposure import Tied, least_exposed
from sweepless.kernels.sampling.proposal import shuffle_prefix, softmax_weights
from sweepless.kernels.sampling.selection import OrderStatistics
from sweepless.search.tuples import distinct_tuples

_COLDEST = 1e-9  # A7


class Pool:
    """The candidates of a step in ascending order, with the exposure and the score of each.

    Parameters
    ----------
    features : int array
    exposure, scores : arrays
        One entry per candidate.
    sign : int
        +1 to add features with high scores, -1 to remove features with low scores. The scores themselves are unsigned
        because the temperature is defined on them, not on preferences (see "draws" in the semantics).

    Notes
    -----
    If there are a million features, nearly all of them are candidates. `Pool.but` therefore shares the arrays of all
    features and lists only those that are not candidates. A fast proposal works with positions in these arrays;
    `features`, `exposure` and `scores` are the same for both kinds of pool but are copied when they are accessed.
    """

    def __init__(self, features: Features, exposure: Counts, scores: Values, sign: int) -> None:
        self.all_exposure = exposure
        self.all_scores = scores
        self.outside = np.empty(0, dtype=np.intp)
        self.sign = sign
        self._names: Features | None = features

    @classmethod
    def but(cls, outside: Features, exposure: Counts, scores: Values, sign: int) -> Pool:
        """Return the pool of all features except those `outside`, which are in ascending order."""
        pool = cls(outside, exposure, scores, sign)
        pool.outside = outside
        pool._names = None
        return pool

    @cached_property
    def features(self) -> Features:
        return self.named(self.positions)

    @cached_property
    def positions(self) -> Features:
        """The positions of the candidates in the arrays of all features."""
        inside = np.ones(len(self.all_scores), dtype=np.bool_)
        inside[self.outside] = False
        return np.flatnonzero(inside)

    @property
    def exposure(self) -> Counts:
        return self.all_exposure[self.positions] if len(self.outside) else self.all_exposure

    @property
    def scores(self) -> Values:
        return self.all_scores[self.positions] if len(self.outside) else self.all_scores

    @property
    def preference(self) -> Values:
        return self.sign * self.scores

    def named(self, positions: Features) -> Features:
        """Return the features at some positions."""
        return positions if self._names is None else np.asarray(self._names[positions])

    def __len__(self) -> int:
        return len(self.all_scores) - len(self.outside)


class Proposal(ABC):
    """Chooses `budget` candidates of a larger pool and makes every random draw of the step."""

    @abstractmethod
    def __call__(self, pool: Pool, budget: int, rng: Rng) -> Features:
        """Return the proposed features in the order in which they are to be valued."""

    def tuples(self, pool: Pool, budget: int, tuple_size: int, rng: Rng) -> Features:
        """Return `budget` distinct tuples of features, one per row."""
        raise InputError(f"`tuple_size` must be 1 for {type(self).__name__}, got {tuple_size}.")

    def n_floor(self, budget: int) -> int:
        """Return how many of the proposed candidates belong to the exploration floor."""
        return 0


@dataclass(frozen=True)
class SoftmaxProposal(Proposal):
    """An exploration floor among the least evaluated features, then a softmax over the scores of the rest.

    Parameters
    ----------
    floor_fraction : float
        Share of the budget that explores: u = floor(fraction * y + 1/2) (C15).
    temperature : float, optional
        Temperature of the softmax; None derives it from the scores at every step: IQR / 1.349 (C18).
    floor_ties : {"index", "random"}, optional
        Which of equally exposed features are among the 4u that the floor draws from (A3); None leaves that to the
        engine: drawn at random by the portable one, the lower indices by the reference.
    """

    floor_fraction: float = 0.2
    temperature: float | None = None
    floor_ties: Literal["index", "random"] | None = None

    def __post_init__(self) -> None:
        if not 0.0 <= self.floor_fraction <= 1.0:
            raise InputError(f"`floor_fraction` must be from 0 to 1, got {self.floor_fraction!r}.")
        if self.temperature is not None and not self.temperature > 0.0:
            raise InputError(f"`temperature` must be positive or None, got {self.temperature!r}.")
        if self.floor_ties not in ("index", "random", None):
            raise InputError(f"`floor_ties` must be 'index', 'random' or None, got {self.floor_ties!r}.")

    @cached_property
    def _order_statistics(self) -> OrderStatistics:
        """Kept from step to step, because it finds them faster where they stood the last time."""
        return OrderStatistics()

    def n_floor(self, budget: int) -> int:
        return min(budget, math.floor(self.floor_fraction * budget + 0.5))

    def __call__(self, pool: Pool, budget: int, rng: Rng) -> Features:
        n_floor = self.n_floor(budget)
        floor = self._least_exposed(pool, 4 * n_floor, rng)  # 1. exploration floor
        shuffle_prefix(floor, rng.uniforms(n_floor))
        floor = floor[:n_floor]
        chosen = [floor]
        if len(uniforms := rng.uniforms(budget - n_floor)):  # 2. exploitation draw, without the floor's picks (A5)
            barred = np.concatenate([pool.outside, floor])
            chosen.append(rng.softmax(pool.all_scores, pool.sign, barred, self._temperature, uniforms))
        return pool.named(np.concatenate(chosen))

    def tuples(self, pool: Pool, budget: int, tuple_size: int, rng: Rng) -> Features:
        """Draw tuples with probability proportional to the product of their features' weights."""
        n_floor = self.n_floor(budget)
        least = self._least_exposed(pool, max(4 * n_floor * tuple_size, tuple_size), rng)
        least = np.searchsorted(pool.positions, np.sort(least))
        weights = softmax_weights(pool.preference, self._temperature(pool.scores))
        tuples = distinct_tuples(
            [(n_floor, least, None), (budget - n_floor, None, weights)], len(pool), tuple_size, rng
        )
        return np.asarray(pool.features[tuples])

    def _least_exposed(self, pool: Pool, count: int, rng: Rng) -> Features:
        """Return the positions of the `count` least exposed features, or of all if there are fewer."""
        if count >= len(pool):
            return pool.positions.copy()
        exposure, outside = pool.all_exposure, pool.outside
        takes_first = count == 0 or (self.floor_ties or rng.floor_ties) == "index"
        if len(exposure) > FEW_FEATURES and len(lowest := Tied(exposure, outside)) >= count:  # mostly
            return lowest.at(np.arange(count) if takes_first else rng.subset(len(lowest), count))
        least = least_exposed(exposure, outside, count)
        if takes_first:
            return least
        last = exposure[least[-1]]
        fewer = least[exposure[least] < last]
        tied = Tied(exposure, outside, last)
        return np.concatenate([fewer, tied.at(rng.subset(len(tied), count - len(fewer)))])

    def _temperature(self, scores: Values, n_lower: int = 0, n_higher: int = 0) -> float:
        """Return the robust scale of the scores, from order statistics without interpolation (A6, A7).

        The `n_lower` lowest and `n_higher` highest scores are left out.
        """
        if self.temperature is not None:
            return self.temperature
        n_scores = len(scores) - n_lower - n_higher
        low, high = self._order_statistics(scores, n_lower + n_scores // 4, n_lower + 3 * n_scores // 4)
        temperature = float(high - low) / 1.349
        return temperature if temperature > _COLDEST else _COLDEST


@dataclass(frozen=True)
class UniformProposal(Proposal):
    """Blind sampling from the whole pool: Stochastic-Greedy, the ablation of the scores (A20)."""

    def __call__(self, pool: Pool, budget: int, rng: Rng) -> Features:
        order = np.arange(len(pool))
        shuffle_prefix(order, rng.uniforms(budget))
        return pool.named(pool.positions[order[:budget]])

    def tuples(self, pool: Pool, budget: int, tuple_size: int, rng: Rng) -> Features:
        return pool.features[distinct_tuples([(budget, None, None)], len(pool), tuple_size, rng)]

    def n_floor(self, budget: int) -> int:
        return budget


@dataclass(frozen=True)
class TopKProposal(Proposal):
    """The greatest preferences, with ties to the lower index and no floor: the ablation of sampling (A21)."""

    def __call__(self, pool: Pool, budget: int, rng: Rng) -> Features:
        preference = pool.preference
        least = np.partition(preference, len(pool) - budget)[len(pool) - budget]
        places = np.flatnonzero(preference >= least)
        order = np.argsort(-preference[places], kind="stable")[:budget]
        return pool.named(pool.positions[places[order]])


PROPOSALS: dict[str, type[Proposal]] = {
    "softmax": SoftmaxProposal,
    "uniform": UniformProposal,
    "top-k": TopKProposal,
}
"""The proposals by name, for selectors, the command line and specs."""
