"""What a search will cost: before it begins, from a pilot, and by its own pace while it runs."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from typing import Any

import numpy as np

from sweepless._phrases import duration
from sweepless._typing import Values
from sweepless.criteria.base import Cursor
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.engine.portable import PortableRng
from sweepless.search.cost import least_cost
from sweepless.search.events import Progress
from sweepless.search.methods import Method
from sweepless.search.plan import Plan
from sweepless.search.sampled import SampledSteps
from sweepless.search.sweep import SweepSteps
from sweepless.selectors.auto import Panel
from sweepless.selectors.problem import Problem
from sweepless.validation.panel import judged

_PILOT_SECONDS = 0.2  # of evaluations at each size that is timed
_SETTLED = 1.0  # seconds of evaluations before their pace counts
_JUDGED = 10  # features with which judges are timed
_LONG = 60.0  # seconds: more than that is announced
_LOGGER = logging.getLogger("sweepless")


@dataclass(frozen=True)
class CostEstimate:
    """What a search costs, and what it would cost with full sweeps.

    Attributes
    ----------
    evaluations, seconds : int, float
        Of the search as it is set up.
    full_evaluations, full_seconds : int, float
        Of the same search with full sweeps and no warm-up.
    is_exact : bool
        Whether the evaluations are known before the run. If not, they are the least: a floating
        search spends more by as many retreats as succeed, and usually a few times as much.
    is_most : bool
        Whether they are the most instead: FBED drops candidates, and may end early.
    budgets : str
        What the budgets of the steps come to, in words.
    """

    evaluations: int
    seconds: float
    full_evaluations: int
    full_seconds: float
    is_exact: bool
    budgets: str
    is_most: bool = False

    def __str__(self) -> str:
        bound = "" if self.is_exact else "at most " if self.is_most else "at least "
        return (
            f"{bound}{self.evaluations:,} evaluations, about {self.seconds:,.1f} s; "
            f"with full sweeps {bound}{self.full_evaluations:,}, about {self.full_seconds:,.1f} s ({self.budgets})"
        )


def estimate(plan: Plan, problem: Problem) -> CostEstimate:
    """Time a few evaluations and multiply."""
    n_units, method = problem.layout.n_units, plan.method
    counts = least_cost(plan)
    full = least_cost(replace(plan, method=_swept(method)))
    n_probes = method.steps.preparation_cost(n_units)
    limit = plan.limits.max_evaluations or np.inf
    seconds, per_probe = _timed(problem, method, sorted(full))
    evaluations = min(limit, counts.total() + n_probes)
    total = n_probes * per_probe + _sum(counts, seconds)
    return CostEstimate(
        evaluations=int(evaluations),
        seconds=float(total * evaluations / max(counts.total() + n_probes, 1)),
        full_evaluations=full.total(),
        full_seconds=_sum(full, seconds),
        is_exact=method.traits.is_fixed,
        budgets=plan.budgets,
        is_most=method.traits.ends_early,
    )


def with_panel(
    members: Sequence[CostEstimate], panel: Panel, data: Dataset, n_sizes: int, n_searched: int | None
) -> CostEstimate:
    """Add up the searches of every member on every split, what judges take, and the dearest search of all data."""
    dearest = max(members, key=lambda member: member.seconds)
    train, test = panel.splits[0]
    # Whole searches of all features, by evaluations and by seconds.
    n_splits = len(panel.splits) * (1.0 if n_searched is None else min(1.0, n_searched / data.n_features))
    share = len(train) / data.n_samples
    few = np.arange(min(_JUDGED, data.n_features))
    began = time.perf_counter()
    judged(panel.judges, panel.scoring, data.take(train), data.take(test), few)
    judging = (time.perf_counter() - began) * n_sizes * len(members) * len(panel.splits)
    return replace(
        dearest,
        evaluations=dearest.evaluations + ceil(n_splits * sum(member.evaluations for member in members)),
        seconds=dearest.seconds + n_splits * share * sum(member.seconds for member in members) + judging,
        full_evaluations=dearest.full_evaluations + ceil(n_splits * sum(member.full_evaluations for member in members)),
        full_seconds=dearest.full_seconds + n_splits * share * sum(member.full_seconds for member in members) + judging,
        is_exact=False,  # members that fall behind take part in fewer splits
    )


def _swept(method: Method) -> Method:
    if isinstance(method.steps, SampledSteps):
        return replace(method, steps=SweepSteps(method.steps.tuple_size))
    return method


def _sum(counts: Counter[int], seconds: dict[int, float]) -> float:
    sizes, times = list(seconds), list(seconds.values())
    return float(sum(count * np.interp(size, sizes, times) for size, count in counts.items()))


def _timed(problem: Problem, method: Method, sizes: list[int]) -> tuple[dict[int, float], float]:
    """Return the seconds of an evaluation at three sizes on the way, and of a probe."""
    rng = PortableRng(problem.seed, "start")
    cursor = problem.criterion.bind(problem.data)
    at = {}
    for size in sorted({sizes[0], sizes[len(sizes) // 2], sizes[-1]}):
        cursor.jump(rng.subset(cursor.n_features, size - 1))
        candidates = Direction.ADD.pool(cursor.members)
        at[size] = _per_item(lambda n, pool=candidates: cursor.peek(Direction.ADD, pool[:n]), len(candidates), cursor)
    warm_up: Any = getattr(method.steps, "warm_up", None)
    if warm_up is None:
        return at, at[max(at)]
    probes = [rng.subset(cursor.n_features, min(warm_up.probe_size, cursor.n_features - 1)) for _ in range(64)]
    return at, _per_item(lambda n: cursor.evaluate_many(probes[:n]), len(probes), cursor)


def _per_item(work: Any, most: int, cursor: Cursor) -> float:
    """Time growing batches, after one that may have to compile."""
    count = min(cursor.n_at_once, most)
    _: Values = work(count)
    while True:
        began = time.perf_counter()
        work(count)
        spent = time.perf_counter() - began
        if spent >= _PILOT_SECONDS or count == most:
            return spent / count
        count = min(most, max(count + 1, int(count * min(8.0, 1.2 * _PILOT_SECONDS / max(spent, 1e-6)))))


class Forecast:
    """A callback of a run that logs a warning, once, if more than a minute lies ahead.

    The pace is that of the search's own first evaluations; the very first block is left out, as it may have to compile.

    Parameters
    ----------
    plan : Plan
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._first: tuple[int, float] | None = None
        self._is_over = plan.limits.max_seconds is not None  # whether there is nothing (more) to warn of

    @cached_property
    def evaluations(self) -> int:
        """The evaluations of the whole search, or the bound that is known; counted when first asked for."""
        method, n_features = self._plan.method, self._plan.goal.n_features
        total = least_cost(self._plan).total() + method.steps.preparation_cost(n_features)
        return min(total, self._plan.limits.max_evaluations or total)

    def __call__(self, progress: Progress) -> None:
        if self._first is None:
            if progress.n_evaluations:
                self._first = progress.n_evaluations, progress.seconds
        elif not self._is_over and (left := self.seconds_left(progress)) is not None and left > _LONG:
            self._is_over = True
            _LOGGER.warning("%s", self._described(progress, left))

    def seconds_left(self, progress: Progress) -> float | None:
        """Return how long the rest takes at the pace so far; None while there is no pace, or past what was counted."""
        if self._first is None:
            return None
        n_valued, seconds = progress.n_evaluations - self._first[0], progress.seconds - self._first[1]
        if seconds < _SETTLED or n_valued < 1 or progress.n_evaluations >= self.evaluations:
            return None
        return (self.evaluations - progress.n_evaluations) * seconds / n_valued

    def _described(self, progress: Progress, left: float) -> str:
        method = self._plan.method
        cheaper = "a smaller `budget`" if isinstance(method.steps, SampledSteps) else "budgeted steps (sSFS, sSFFS …)"
        n_subsets = f"{method.traits.bound}{self.evaluations:,}"
        return (
            f"{method.name} values {n_subsets} subsets if it goes to its end; at the pace of the first "
            f"{progress.n_evaluations:,} the rest takes about {duration(left)}. `max_seconds` and `max_evaluations` "
            f"stop it earlier, fewer features to select or {cheaper} make it shorter, `verbose=1` shows how it goes."
        )
