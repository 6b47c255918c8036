"""What is timed: evaluations in whole steps, and what a step costs besides."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import sweepless as sw
from sweepless.search.proposal import Pool
from sweepless.search.step import Batch

BUDGET = 100


def best_of(repeats: int, work: Callable[[], object]) -> float:
    """Return the least of several times: the one least disturbed by other work."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def step_time(cursor: sw.Cursor, start: np.ndarray, n_candidates: int) -> float:
    """Time whole forward steps per candidate: value the candidates, commit the winner."""

    def step(k: int) -> None:
        pool = np.flatnonzero(~cursor.members)[k : k + n_candidates]
        values = cursor.peek(sw.Direction.ADD, pool)
        cursor.move(sw.Direction.ADD, pool[int(np.argmax(values))])

    times = []
    for _ in range(6):
        cursor.jump(start)
        times.append(sum(best_of(1, lambda k=k: step(k)) for k in range(4)) / (4 * n_candidates))
    cursor.jump(start)
    return min(times)


def overhead(n_features: int) -> float:
    """Time statistics and proposal of one step, the only parts that see all D features.

    Every feature has been seen with a score of its own, as late in a long search: nothing is spared by ties.
    """
    rng = sw.PortableRng(1)
    statistics = sw.ContrastStatistics().fresh(n_features, sequential=False)
    members = np.zeros(n_features, dtype=np.bool_)
    members[:20] = True
    proposal = sw.SoftmaxProposal()
    values = rng.uniforms(BUDGET)
    statistics.mean_with[:] = rng.uniforms(n_features) - 0.5
    statistics.count_with[:] = 1 + 5 * rng.uniforms(n_features)

    def step() -> None:
        pool = Pool.but(np.flatnonzero(members), statistics.count_with, statistics.scores, 1)
        proposed = proposal(pool, BUDGET, rng)
        statistics.learn(Batch(sw.Direction.ADD, members, proposed[:, None], values))

    for _ in range(20):
        step()
    return best_of(30, step)
