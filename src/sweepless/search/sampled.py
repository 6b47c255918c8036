"""sADD and sRMV: the budgeted sampled step (Section 3.2 of the paper)."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import comb

import numpy as np

from sweepless._checks import whole
from sweepless._typing import Features, Values
from sweepless.direction import Direction
from sweepless.engine.generator import Rng
from sweepless.errors import InputError
from sweepless.search.budget import Budget, checked_budget, granted
from sweepless.search.operators import Operators
from sweepless.search.proposal import Pool, Proposal, SoftmaxProposal, TopKProposal
from sweepless.search.statistics import ContrastStatistics, Frozen, Statistics
from sweepless.search.step import Batch, Step
from sweepless.search.sweep import all_tuples, sweep_cost
from sweepless.search.walk import Walk

_BLOCK_PROBES, _BLOCK_MEMBERS = 1 << 12, 1 << 22  # members of the probes that are drawn and valued at a time


@dataclass(frozen=True)
class SampledStep:
    """sADD, or sRMV with Direction.REMOVE: samples candidates, values them and learns from the batch."""

    direction: Direction
    budget: Budget
    proposal: Proposal
    statistics: Statistics
    rng: Rng
    tuple_size: int = 1

    def __call__(self, walk: Walk, tuple_size: int | None = None) -> Step | None:
        tuple_size = tuple_size or self.tuple_size
        if not self.direction.is_legal(walk.size, walk.n_features, tuple_size):
            return None
        candidates = self._propose(walk, tuple_size)  # 1., 2. every draw of the step
        batch = walk.evaluate(self.direction, candidates)  # 3. evaluation
        self.statistics.learn(batch)  # 4. statistics update
        return batch.best()

    def _propose(self, walk: Walk, tuple_size: int) -> Features:
        pool_size = self.direction.pool_size(walk.size, walk.n_features)
        n_candidates = comb(pool_size, tuple_size)
        budget = granted(self.budget, n_candidates)
        if budget == n_candidates:  # a pool within the budget is swept (A13)
            return all_tuples(self.direction.pool(walk.members), tuple_size)
        pool = self._pool(walk, pool_size)
        if tuple_size == 1:
            return self.proposal(pool, budget, self.rng)
        return self.proposal.tuples(pool, budget, tuple_size, self.rng)

    def _pool(self, walk: Walk, pool_size: int) -> Pool:
        exposure, scores = self.direction.exposure(self.statistics), self.statistics.scores
        if 2 * pool_size > walk.n_features:  # list the members or the others, whichever are fewer
            outside = self.direction.opposite.pool(walk.members)
            return Pool.but(outside, exposure, scores, self.direction.sign)
        features = self.direction.pool(walk.members)
        return Pool(features, exposure[features], scores[features], self.direction.sign)


@dataclass(frozen=True)
class WarmUp:
    """m0 @ r: random subsets of one size that are valued once and seed the statistics as one batch.

    Parameters
    ----------
    n_probes : int
    probe_size : int
        Features per probe; clipped to D - 1, so that every feature is missing in some probes (A27).
    mirror : bool
        Draw subsets of D - r features instead, for searches from the full set (A47).
    max_seconds : float, optional
        Skip the probes that are still to be valued this long after the start of the run.
    """

    n_probes: int
    probe_size: int
    mirror: bool = False
    max_seconds: float | None = None

    def __post_init__(self) -> None:
        whole("n_probes of a warm-up", self.n_probes, 1)
        whole("probe_size of a warm-up", self.probe_size, 1)
        if self.max_seconds is not None and not (isinstance(self.max_seconds, (int, float)) and self.max_seconds > 0):
            raise InputError(f"`max_seconds` of a warm-up must be positive or None, got {self.max_seconds!r}.")

    @staticmethod
    def parse(text: str) -> WarmUp:
        """Parse m0 @ r, such as "200@10"."""
        n_probes, _, probe_size = text.partition("@")
        if not all(part.isascii() and part.isdigit() and len(part) <= 15 for part in (n_probes, probe_size)):
            raise InputError(f"a warm-up must look like 200@10, got {text[:60]!r}.")
        return WarmUp(int(n_probes), int(probe_size))

    def __call__(self, walk: Walk, statistics: Statistics, rng: Rng) -> None:
        n_features = walk.n_features
        if self.probe_size > n_features or n_features < 2:
            raise InputError(
                f"a warm-up needs at least two features and probes of at most {n_features} features, "
                f"got probes of {self.probe_size}."
            )
        size = min(self.probe_size, n_features - 1)
        if self.mirror:
            size = n_features - size
        until = np.inf if self.max_seconds is None else self.max_seconds
        members: list[Features] = []
        values: list[Values] = []
        for block in self._blocks(n_features, size, rng):
            if values:
                walk.pause()
            values.append(walk.probe(block, "warm_up", until))
            members.append(np.array(block[: len(values[-1])], dtype=np.min_scalar_type(n_features)))
            if walk.seconds >= until:
                break
        nothing = np.zeros(n_features, dtype=np.bool_)
        probes = np.concatenate(members).astype(np.intp)
        statistics.warm_up(Batch(Direction.ADD, nothing, probes, np.concatenate(values)))

    def _blocks(self, n_features: int, size: int, rng: Rng) -> Iterator[list[Features]]:
        """Draw the probes in blocks, so that limits are checked in between and memory is bounded."""
        most = max(1, min(_BLOCK_PROBES, _BLOCK_MEMBERS // size))
        for start in range(0, self.n_probes, most):
            yield [rng.subset(n_features, size) for _ in range(min(most, self.n_probes - start))]


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
    """

    budget: Budget = 100
    backward_budget: Budget = 50
    proposal: Proposal = field(default_factory=SoftmaxProposal)
    statistics: Statistics = field(default_factory=ContrastStatistics)
    warm_up: WarmUp | None = None
    tuple_size: int = 1
    prior: Values | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("budget", "backward_budget"):
            object.__setattr__(self, name, checked_budget(name, getattr(self, name)))
        for name, kind in (("proposal", Proposal), ("statistics", Statistics), ("warm_up", WarmUp | None)):
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
        draws = rng.stream("steps")
        add, remove = (
            SampledStep(direction, budget, self.proposal, statistics, draws, self.tuple_size)
            for direction, budget in ((Direction.ADD, self.budget), (Direction.REMOVE, self.backward_budget))
        )
        return Operators(add, remove, statistics)

    def preparation_cost(self, n_features: int) -> int:
        return 0 if self.warm_up is None else self.warm_up.n_probes

    def step_cost(self, direction: Direction, size: int, n_features: int, tuple_size: int) -> int:
        budget = self.budget if direction.adds else self.backward_budget
        return granted(budget, sweep_cost(direction, size, n_features, tuple_size))
