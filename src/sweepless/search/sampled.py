"""sADD and sRMV: the budgeted sampled step (Section 3.2 of the paper)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from math import comb

import numpy as np

from sweepless._checks import whole
from sweepless._typing import Features, Values
from sweepless.criteria.base import Criterion, Cursor
from sweepless.direction import Direction
from sweepless.engine.generator import Rng
from sweepless.errors import InputError
from sweepless.search.budget import PAPER, Budget, checked_budget, granted
from sweepless.search.proposal import Pool, Proposal, SoftmaxProposal, TopKProposal
from sweepless.search.statistics import ContrastStatistics, Frozen, Statistics
from sweepless.search.step import Operators, Step
from sweepless.search.sweep import all_tuples, sweep_cost
from sweepless.search.walk import Walk
from sweepless.search.warm_up import WarmUp

_FROZEN = 1e-9  # a temperature at which the best scores are drawn


@dataclass
class SampledStep:
    """sADD, or sRMV with Direction.REMOVE: samples candidates, values them and learns from the batch."""

    direction: Direction
    budget: Budget
    proposal: Proposal
    statistics: Statistics
    rng: Rng
    tuple_size: int = 1
    looks: bool = False  # whether every feature is still to be looked at
    screen: Cursor | None = None  # values candidates instead of the scores of the statistics

    def __call__(self, walk: Walk, tuple_size: int | None = None) -> Step | None:
        tuple_size = tuple_size or self.tuple_size
        if not self.direction.is_legal(walk.size, walk.n_features, tuple_size):
            return None
        candidates = self._propose(walk, tuple_size)  # 1., 2. every draw of the step
        batch = walk.evaluate(self.direction, candidates)  # 3. evaluation
        self.statistics.learn(batch)  # 4. statistics update
        self.looks = self.looks and bool(batch.values.min() == batch.values.max())  # a tie of all says nothing
        return walk.best(batch)

    def _propose(self, walk: Walk, tuple_size: int) -> Features:
        pool_size = self.direction.pool_size(walk.size, walk.n_features)
        n_candidates = comb(pool_size, tuple_size)
        budget = n_candidates if self.looks else granted(self.budget, n_candidates)
        if budget == n_candidates:  # a pool within the budget is swept (A13)
            return all_tuples(self.direction.pool(walk.members), tuple_size)
        pool = self._pool(walk, pool_size)
        if tuple_size == 1:
            return self.proposal(pool, budget, self.rng)
        return self.proposal.tuples(pool, budget, tuple_size, self.rng)

    def _pool(self, walk: Walk, pool_size: int) -> Pool:
        if self.screen is not None:
            features = self.direction.pool(walk.members)
            values = walk.screen(self.screen, self.direction, features)
            return Pool(features, self.direction.exposure(self.statistics)[features], values, 1)
        exposure, scores = self.direction.exposure(self.statistics), self.statistics.scores
        if 2 * pool_size > walk.n_features:  # list the members or the others, whichever are fewer
            outside = self.direction.opposite.pool(walk.members)
            return Pool.but(outside, exposure, scores, self.direction.sign)
        features = self.direction.pool(walk.members)
        return Pool(features, exposure[features], scores[features], self.direction.sign)


@dataclass(frozen=True)
class SampledSteps:
    """The steps of every stochastic method.

    Parameters
    ----------
    budget, backward_budget : int, BudgetFraction or None
        Candidates valued per addition and per removal; None is the full sweep (A46, A54).
    proposal : Proposal
        SoftmaxProposal, or an ablation: UniformProposal, TopKProposal.
    statistics : Statistics
        ContrastStatistics, or an ablation: RawMeanStatistics, RawContrastStatistics, Frozen.
    warm_up : WarmUp, optional
    tuple_size : int
    prior : array, optional
        Initial scores of the features, greater for features worth adding.
    screen : Criterion, optional
        A cheap criterion that proposes: with one, the candidates besides the floor are those that it values most where
        the search stands, unless the proposal has a temperature of its own.
    """

    budget: Budget = PAPER[0]
    backward_budget: Budget = PAPER[1]
    proposal: Proposal = field(default_factory=SoftmaxProposal)
    statistics: Statistics = field(default_factory=ContrastStatistics)
    warm_up: WarmUp | None = None
    tuple_size: int = 1
    prior: Values | None = field(default=None, repr=False, compare=False)
    screen: Criterion | None = None

    def __post_init__(self) -> None:
        for name in ("budget", "backward_budget"):
            object.__setattr__(self, name, checked_budget(name, getattr(self, name)))
        kinds = {"proposal": Proposal, "statistics": Statistics, "warm_up": WarmUp | None, "screen": Criterion | None}
        for name, kind in kinds.items():
            if not isinstance(value := getattr(self, name), kind):
                raise InputError(f"`{name}` must be a {name.replace('_', '-')} object, got {value!r}.")
        if whole("tuple_size", self.tuple_size, 1) > 1 and isinstance(self.proposal, TopKProposal):
            raise InputError(f"`tuple_size` must be 1 for a top-k proposal, got {self.tuple_size}.")
        if isinstance(self.statistics, Frozen) and self.warm_up is None:
            raise InputError("frozen statistics must have a warm-up to learn from, got none.")
        if isinstance(self.proposal, SoftmaxProposal) and self.proposal.floor_fraction > 0:
            for budget in (self.budget, self.backward_budget):
                if isinstance(budget, int) and self.proposal.n_floor(budget) == 0:
                    warnings.warn(
                        f"a budget of {budget} leaves no room for the exploration floor: "
                        "some features may never be tried.",
                        stacklevel=2,
                    )

    def prepare(self, walk: Walk, rng: Rng) -> Operators:
        statistics = self.statistics.fresh(walk.n_features, rng.fold)
        if self.prior is not None:
            if np.shape(self.prior) != (walk.n_features,) or not np.isfinite(self.prior).all():
                raise InputError(f"`prior` must hold {walk.n_features} finite scores, got {np.shape(self.prior)}.")
            statistics.seed(self.prior)
        if self.warm_up is not None:
            self.warm_up(walk, statistics, rng.stream("warm_up"))
        draws, screen, proposal = rng.stream("steps"), None, self.proposal
        if self.screen is not None:
            screen = self.screen.bind(walk.cursor.data)
            if isinstance(proposal, SoftmaxProposal) and proposal.temperature is None:
                proposal = replace(proposal, temperature=_FROZEN)
        looks = self.warm_up is not None and self.warm_up.looks
        add, remove = (
            SampledStep(
                direction, budget, proposal, statistics, draws, self.tuple_size, looks and direction.adds, screen
            )
            for direction, budget in ((Direction.ADD, self.budget), (Direction.REMOVE, self.backward_budget))
        )
        return Operators(add, remove, statistics)

    def preparation_cost(self, n_features: int) -> int:
        return 0 if self.warm_up is None else self.warm_up.n_probes

    def step_cost(self, direction: Direction, size: int, n_features: int, tuple_size: int) -> int:
        n_candidates = sweep_cost(direction, size, n_features, tuple_size)
        if size == 0 and self.warm_up is not None and self.warm_up.looks:
            return n_candidates
        return granted(self.budget if direction.adds else self.backward_budget, n_candidates)
