"""Which candidates deserve an evaluation (Section 3.2 of the paper, stages 1 and 2)."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sweepless._typing import Counts, Features, Values
from sweepless.errors import InputError
from sweepless.kernels.proposal import draw_by_blocks, draw_by_walk, shuffle_prefix, softmax_weights
from sweepless.rng import Rng
from sweepless.search.tuples import distinct_tuples

_COLDEST = 1e-9  # A7


@dataclass(frozen=True)
class Pool:
    """The candidates of a step in ascending order, with what is known about each.

    `sign` is +1 where great scores are wanted (to add) and -1 where small ones are (to remove).
    Scores come unsigned because the temperature is defined on them, not on preferences (METHOD 7.1.1).
    """

    features: Features
    exposure: Counts
    scores: Values
    sign: int

    @property
    def preference(self) -> Values:
        return self.sign * self.scores

    def __len__(self) -> int:
        return len(self.features)


class Proposal(ABC):
    """Chooses `budget` of a larger pool; makes every random draw of the step."""

    @abstractmethod
    def __call__(self, pool: Pool, budget: int, rng: Rng) -> Features:
        """Return the proposed features in the order they are to be valued."""

    def tuples(self, pool: Pool, budget: int, tuple_size: int, rng: Rng) -> Features:
        """Return `budget` distinct tuples of features, one per row."""
        raise InputError(f"`tuple_size` must be 1 for {type(self).__name__}, got {tuple_size}.")

    def n_floor(self, budget: int) -> int:
        """Return how many of the proposals are exploration."""
        return 0


@dataclass(frozen=True)
class SoftmaxProposal(Proposal):
    """An exploration floor among the least evaluated, then a softmax over the scores of the rest.

    Parameters
    ----------
    floor_fraction : float
        Share of the budget that explores: u = floor(fraction * y + 1/2) (C15).
    temperature : float, optional
        None derives it at every step from the scores: IQR / 1.349 (C18).
    floor_ties : {"index", "random"}
        How equally exposed features are ordered before the floor draws among the first 4u (A3).
    """

    floor_fraction: float = 0.2
    temperature: float | None = None
    floor_ties: Literal["index", "random"] = "index"

    def __post_init__(self) -> None:
        if not 0.0 <= self.floor_fraction <= 1.0:
            raise InputError(f"`floor_fraction` must be from 0 to 1, got {self.floor_fraction!r}.")
        if self.temperature is not None and not self.temperature > 0.0:
            raise InputError(f"`temperature` must be positive or None, got {self.temperature!r}.")
        if self.floor_ties not in ("index", "random"):
            raise InputError(f"`floor_ties` must be 'index' or 'random', got {self.floor_ties!r}.")

    def n_floor(self, budget: int) -> int:
        return min(budget, math.floor(self.floor_fraction * budget + 0.5))

    def __call__(self, pool: Pool, budget: int, rng: Rng) -> Features:
        n_floor = self.n_floor(budget)
        floor = self._least_exposed(pool, 4 * n_floor, rng)  # 1. exploration floor
        shuffle_prefix(floor, rng.uniforms(n_floor))
        floor = floor[:n_floor]
        rest = np.ones(len(pool), dtype=np.bool_)  # 2. exploitation draw from the rest of the pool (A5)
        rest[floor] = False
        left = np.flatnonzero(rest)
        drawn = self._exploit(pool.scores[left], pool.sign, rng.uniforms(budget - n_floor), rng)
        return np.asarray(pool.features[np.concatenate([floor, left[drawn]])])

    def tuples(self, pool: Pool, budget: int, tuple_size: int, rng: Rng) -> Features:
        """Draw tuples with probability proportional to the product of their features' weights."""
        n_floor = self.n_floor(budget)
        least = np.sort(self._least_exposed(pool, max(4 * n_floor * tuple_size, tuple_size), rng))
        weights = softmax_weights(pool.preference, self._temperature(pool.scores))
        tuples = distinct_tuples(
            [(n_floor, least, None), (budget - n_floor, None, weights)], len(pool), tuple_size, rng
        )
        return np.asarray(pool.features[tuples])

    def _least_exposed(self, pool: Pool, count: int, rng: Rng) -> Features:
        """List the positions of the `count` least exposed features, the least first; all, as they are, if fewer."""
        if count >= len(pool):
            return np.arange(len(pool))
        order = np.arange(len(pool))
        if self.floor_ties == "random":
            order = np.argsort(rng.uniforms(len(pool)), kind="stable")
        # One integer key orders by (exposure, place) without a full sort.
        key = pool.exposure * len(pool)
        key[order] += np.arange(len(pool))
        least = np.argpartition(key, count)[:count]
        return least[np.argsort(key[least])]

    def _temperature(self, scores: Values) -> float:
        """Return the robust scale of the scores: order statistics, no interpolation (A6, A7)."""
        if self.temperature is not None:
            return self.temperature
        low, high = len(scores) // 4, 3 * len(scores) // 4
        parted = np.partition(scores, (low, high))
        temperature = float(parted[high] - parted[low]) / 1.349
        return temperature if temperature > _COLDEST else _COLDEST

    def _exploit(self, scores: Values, sign: int, uniforms: Values, rng: Rng) -> Features:
        if len(uniforms) == 0:
            return np.empty(0, dtype=np.intp)
        preference = sign * scores
        weights = softmax_weights(preference, self._temperature(scores))
        draw = draw_by_walk if rng.follows_reference else draw_by_blocks
        return draw(weights, preference, uniforms)


@dataclass(frozen=True)
class UniformProposal(Proposal):
    """Blind sampling from the whole pool: Stochastic-Greedy, the ablation of the scores (A20)."""

    def __call__(self, pool: Pool, budget: int, rng: Rng) -> Features:
        order = np.arange(len(pool))
        shuffle_prefix(order, rng.uniforms(budget))
        return pool.features[order[:budget]]

    def tuples(self, pool: Pool, budget: int, tuple_size: int, rng: Rng) -> Features:
        return pool.features[distinct_tuples([(budget, None, None)], len(pool), tuple_size, rng)]

    def n_floor(self, budget: int) -> int:
        return budget


@dataclass(frozen=True)
class TopKProposal(Proposal):
    """The greatest preferences, ties to the lower index, no floor: the ablation of sampling (A21)."""

    def __call__(self, pool: Pool, budget: int, rng: Rng) -> Features:
        return pool.features[np.argsort(-pool.preference, kind="stable")[:budget]]
