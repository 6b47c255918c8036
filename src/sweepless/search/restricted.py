"""Older ways to save evaluations, for comparison: hybrid steps and static pools."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sweepless._checks import whole
from sweepless.criteria.base import Criterion, Cursor
from sweepless.direction import Direction
from sweepless.engine.generator import Rng
from sweepless.errors import InputError
from sweepless.search.step import Operators, Step
from sweepless.search.sweep import Sweep, all_tuples, sweep_cost
from sweepless.search.walk import Walk


@dataclass(frozen=True)
class HybridStep:
    """Ranks all candidates by a filter and lets the criterion decide among the best of them (C8)."""

    direction: Direction
    filter_cursor: Cursor
    keep: float
    tuple_size: int = 1

    def __call__(self, walk: Walk, tuple_size: int | None = None) -> Step | None:
        tuple_size = tuple_size or self.tuple_size
        if not self.direction.is_legal(walk.size, walk.n_features, tuple_size):
            return None
        candidates = all_tuples(self.direction.pool(walk.members), tuple_size)
        order = np.argsort(-walk.screen(self.filter_cursor, self.direction, candidates), kind="stable")
        passed = np.sort(order[: kept(self.keep, len(order))])  # ties go to the first candidate, as in a sweep
        return walk.best(walk.evaluate(self.direction, candidates[passed]))


def kept(keep: float, n_candidates: int) -> int:
    """Return how many candidates pass the filter: the fraction rounded to an integer, at least one."""
    return max(1, math.floor(keep * n_candidates + 0.5))


@dataclass(frozen=True)
class HybridSteps:
    """Steps whose candidates are first ranked by a filter criterion.

    Parameters
    ----------
    filter : Criterion
    keep : float
        Fraction of the candidates that the main criterion values; 0 values only the filter's best.
    """

    filter: Criterion
    keep: float = 0.1
    tuple_size: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.filter, Criterion):
            raise InputError(f"`filter` must be a criterion, got {self.filter!r}.")
        if not 0.0 <= self.keep <= 1.0:
            raise InputError(f"`keep` must be from 0 to 1, got {self.keep!r}.")

    def prepare(self, walk: Walk, rng: Rng) -> Operators:
        cursor = self.filter.bind(walk.cursor.data)
        add, remove = (HybridStep(way, cursor, self.keep, self.tuple_size) for way in Direction)
        return Operators(add, remove)

    def preparation_cost(self, n_features: int) -> int:
        return 0

    def step_cost(self, direction: Direction, size: int, n_features: int, tuple_size: int) -> int:
        return kept(self.keep, sweep_cost(direction, size, n_features, tuple_size))


@dataclass(frozen=True)
class RestrictedSteps:
    """Full sweeps inside the `pool_size` best single features, additions only: the principle of LFS (C9)."""

    pool_size: int = 100
    tuple_size: int = 1

    def __post_init__(self) -> None:
        whole("pool_size", self.pool_size, 1)
        whole("tuple_size", self.tuple_size, 1)

    def prepare(self, walk: Walk, rng: Rng) -> Operators:
        allowed = np.zeros(walk.n_features, dtype=np.bool_)
        allowed[np.argsort(-walk.singles(), kind="stable")[: self.pool_size]] = True
        add = Sweep(Direction.ADD, self.tuple_size, allowed)
        return Operators(add, Sweep(Direction.REMOVE, self.tuple_size))

    def preparation_cost(self, n_features: int) -> int:
        return n_features

    def step_cost(self, direction: Direction, size: int, n_features: int, tuple_size: int) -> int:
        n_candidates = min(self.pool_size, n_features) if direction.adds else n_features
        return sweep_cost(direction, size, n_candidates, tuple_size)
