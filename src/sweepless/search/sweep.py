"""ADD and RMV: the classic full sweep, over single features or tuples."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, combinations
from math import comb

import numpy as np

from sweepless._checks import whole
from sweepless._typing import Features, Mask
from sweepless.direction import Direction
from sweepless.engine.generator import Rng
from sweepless.errors import InputError
from sweepless.search.step import Operators, Step
from sweepless.search.walk import Walk

_MOST_TUPLES = 20_000_000


@dataclass(frozen=True)
class Sweep:
    """Values every candidate in ascending order and finds the first best (Eq. 1)."""

    direction: Direction
    tuple_size: int = 1
    allowed: Mask | None = None  # if given, only these features are candidates

    def __call__(self, walk: Walk, tuple_size: int | None = None) -> Step | None:
        tuple_size = tuple_size or self.tuple_size
        if not self.direction.is_legal(walk.size, walk.n_features, tuple_size):
            return None
        pool = self.direction.pool(walk.members)
        if self.allowed is not None:
            pool = pool[self.allowed[pool]]
        if len(pool) < tuple_size:
            return None
        return walk.best(walk.evaluate(self.direction, all_tuples(pool, tuple_size)))


def all_tuples(pool: Features, tuple_size: int) -> Features:
    """Return all tuples of an ascending pool in lexicographic order, or the pool itself for single features."""
    if tuple_size == 1:
        return pool
    count = comb(len(pool), tuple_size)
    if count > _MOST_TUPLES:
        raise InputError(
            f"`tuple_size` must leave at most {_MOST_TUPLES:,} tuples to sweep, got {count:,} "
            f"({tuple_size} of {len(pool)} features); a sampled method can do with fewer."
        )
    flat = np.fromiter(chain.from_iterable(combinations(pool.tolist(), tuple_size)), np.intp, count * tuple_size)
    return flat.reshape(count, tuple_size)


@dataclass(frozen=True)
class SweepSteps:
    """The steps of every classic method."""

    tuple_size: int = 1

    def __post_init__(self) -> None:
        whole("tuple_size", self.tuple_size, 1)

    def prepare(self, walk: Walk, rng: Rng) -> Operators:
        add, remove = (Sweep(way, self.tuple_size) for way in Direction)
        return Operators(add, remove)

    def preparation_cost(self, n_features: int) -> int:
        return 0

    def step_cost(self, direction: Direction, size: int, n_features: int, tuple_size: int) -> int:
        return sweep_cost(direction, size, n_features, tuple_size)


def sweep_cost(direction: Direction, size: int, n_features: int, tuple_size: int) -> int:
    """Return the number of tuples that can be added to, or removed from, a subset of some size."""
    return comb(max(0, direction.pool_size(size, n_features)), tuple_size)
