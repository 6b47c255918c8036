"""Early dropping: candidates that add nothing where the search stands are not valued again until all others are gone.

This is the forward step of FBED (Borboudakis and Tsamardinos, JMLR 2019). Where they test whether a feature adds
information, a step asks here whether its value is greater than that of the current subset.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sweepless._checks import not_negative, whole
from sweepless._typing import Mask
from sweepless.direction import Direction
from sweepless.engine.generator import Rng
from sweepless.search.step import Operators, Step
from sweepless.search.sweep import Sweep, all_tuples, sweep_cost
from sweepless.search.walk import Walk


@dataclass
class DroppingStep:
    """Values the candidates in play, drops those that do not improve, and finds the best of the others."""

    direction: Direction
    in_play: Mask
    n_returns: int
    min_gain: float
    tuple_size: int = 1

    def __call__(self, walk: Walk, tuple_size: int | None = None) -> Step | None:
        tuple_size = tuple_size or self.tuple_size
        if not self.direction.is_legal(walk.size, walk.n_features, tuple_size):
            return None
        pool = self.direction.pool(walk.members)
        failed = np.zeros(walk.n_features, dtype=np.bool_)  # here, so that they need not be valued when they return
        while True:
            playing = pool[self.in_play[pool]]
            candidates = all_tuples(playing, tuple_size)
            candidates = candidates[~failed[candidates].reshape(-1, tuple_size).all(axis=1)]
            if len(candidates):
                batch = walk.evaluate(self.direction, candidates)
                improves = batch.values > walk.value + self.min_gain
                self.in_play[playing] = False
                self.in_play[batch.changed[improves]] = True
                if improves.any():
                    return walk.best(batch)
                failed[playing] = True
            if self.n_returns == 0 or failed[pool].all():
                return None
            self.n_returns -= 1
            self.in_play[pool] = True


@dataclass(frozen=True)
class DroppingSteps:
    """Additions that drop what does not improve, for the rest of the run; removals are full sweeps.

    The first addition drops nothing, because the empty subset has no value. When no candidate in play improves, all
    come back, `n_returns` times in a run; after that no addition is left. A tuple that improves keeps all its
    features in play. Where candidates are raced, those without a value are judged by what is predicted for them.

    Parameters
    ----------
    n_returns : int
        How often the dropped features come back: the K of FBED^K. In their paper, 1 is enough to find all of a Markov
        blanket if tests are perfect and a Bayesian network made the data; 0 may miss what matters only in company.
    min_gain : float
        A candidate stays in play if it improves on the current subset by more than this.
    tuple_size : int
    """

    n_returns: int = 1
    min_gain: float = 0.0
    tuple_size: int = 1

    def __post_init__(self) -> None:
        whole("n_returns", self.n_returns, 0)
        whole("tuple_size", self.tuple_size, 1)
        not_negative("min_gain", self.min_gain)

    def prepare(self, walk: Walk, rng: Rng) -> Operators:
        everything = np.ones(walk.n_features, dtype=np.bool_)
        add = DroppingStep(Direction.ADD, everything, self.n_returns, self.min_gain, self.tuple_size)
        return Operators(add, Sweep(Direction.REMOVE, self.tuple_size))

    def preparation_cost(self, n_features: int) -> int:
        return 0

    def step_cost(self, direction: Direction, size: int, n_features: int, tuple_size: int) -> int:
        """Return the most that a step can cost: it is a full sweep if nothing was dropped."""
        return sweep_cost(direction, size, n_features, tuple_size)
