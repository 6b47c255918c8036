"""Random subsets before the search: what they are, and how many there are where nobody says (m0 @ r in the paper)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil, inf
from typing import TYPE_CHECKING

import numpy as np

from sweepless._checks import whole
from sweepless._typing import Features, Values
from sweepless.direction import Direction
from sweepless.engine.generator import Rng
from sweepless.errors import InputError
from sweepless.search.budget import Budget, granted
from sweepless.search.statistics import Statistics
from sweepless.search.step import Batch
from sweepless.search.walk import Walk

if TYPE_CHECKING:
    from sweepless.search.methods import Method

_BLOCK_PROBES, _BLOCK_MEMBERS = 1 << 12, 1 << 22  # members of the probes that are drawn and valued at a time
_APPEARANCES = 5  # how often every feature appears in the probes


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
    looks : bool
        Let the first addition value every feature, and the next ones too until their values differ.
    """

    n_probes: int
    probe_size: int
    mirror: bool = False
    max_seconds: float | None = None
    looks: bool = False

    def __post_init__(self) -> None:
        whole("n_probes of a warm-up", self.n_probes, 1)
        whole("probe_size of a warm-up", self.probe_size, 1)
        if self.max_seconds is not None and not (isinstance(self.max_seconds, (int, float)) and self.max_seconds > 0):
            raise InputError(f"`max_seconds` of a warm-up must be positive or None, got {self.max_seconds!r}.")

    @staticmethod
    def parse(text: str) -> WarmUp:
        """Parse m0 @ r, such as `200@10`."""
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
class AutomaticWarmUp:
    """A warm-up chosen by rule, and how many probes it would have if the cost of the search did not limit them."""

    n_probes: int
    probe_size: int
    n_wanted: int
    looks: bool = False

    @property
    def is_cut(self) -> bool:
        return self.n_probes < self.n_wanted

    @property
    def warm_up(self) -> WarmUp:
        return WarmUp(self.n_probes, self.probe_size, looks=self.looks)


def n_steps(method: Method, n_features: int, end: int, overshoot: int | None) -> int:
    """Return how many features lie between the start of a search and its final size, at least one."""
    beyond = (overshoot or 0) if method.traits.overshoots else 0
    return max(1, min(abs(end - origin(method, n_features)) + beyond, n_features))


def origin(method: Method, n_features: int) -> int:
    """Return the size that the method starts from by default."""
    return int(np.count_nonzero(method.direction.start(n_features)))


def automatic_warm_up(
    method: Method,
    n_features: int,
    steps_ahead: int,
    budget: Budget,
    backward_budget: Budget,
    most: int | None = None,
    dearness: float = 1.0,
) -> AutomaticWarmUp | None:
    """Choose a warm-up that costs at most as much as the search; return None if every addition is a sweep anyway.

    If a look at every single feature costs less than the search too, the first addition is to look at them all.

    Parameters
    ----------
    method : Method
    n_features, steps_ahead : int
        The number of features, and the least number of steps that the search needs.
    budget, backward_budget : int, BudgetFraction or None
    most : int, optional
        The limit of evaluations; half of them are left to the search.
    dearness : float
        How many times as much a candidate costs, on average, as a single feature.
    """
    forward = granted(budget, n_features)
    backward = granted(backward_budget, min(n_features, steps_ahead) if method.direction.adds else n_features)
    if forward >= n_features:
        return None
    floats = method.traits.overshoots or method.traits.pivots
    per_step = forward + backward if floats else forward if method.direction.adds else backward
    cost = steps_ahead * per_step
    probes = automatic_probes(n_features, cost if most is None else min(cost, most // 2))
    affords = n_features <= dearness * cost and (most is None or n_features + probes.n_probes <= most // 2)
    return replace(probes, looks=affords and method.direction.adds and method.steps.tuple_size == 1)


def automatic_probes(n_features: int, search_cost: float = inf) -> AutomaticWarmUp:
    """Return as many probes as the paper uses, but no more than the search costs.

    In the paper's three settings every feature appears in about five probes. A probe holds 10 features if there are
    hundreds of them and 25 if there are thousands.
    """
    size = min(10 if n_features < 1000 else 25, max(1, n_features // 2))
    wanted = ceil(_APPEARANCES * n_features / size)
    return AutomaticWarmUp(int(min(wanted, max(1, search_cost))), size, wanted)
