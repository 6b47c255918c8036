"""What is timed: evaluations in whole steps, and what a step costs besides."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np

import sweepless as sw
from sweepless.engine.folds import FastFold
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


def step_time(cursor: sw.criteria.Cursor, start: np.ndarray, n_candidates: int) -> float:
    """Time whole forward steps per candidate, of a search that is under way: value the candidates, commit the winner.

    Who the candidates are is not part of it: that is the proposal's work, see `overhead`. Neither is the first step
    after the jump to the start, which does what the jump has put off; searches step and do not jump. A step may not
    have more candidates than there are; one of as many as there are features is a sweep.
    """

    def step(pool: np.ndarray) -> None:
        values = cursor.peek(sw.Direction.ADD, pool)
        cursor.move(sw.Direction.ADD, pool[int(values.argmax())])

    times = []
    for _ in range(6):
        cursor.jump(start)
        spent, n_valued = [], []
        for k in range(5):
            pool = np.flatnonzero(~cursor.members)
            pool = pool[k : k + n_candidates] if n_candidates < len(pool) else pool
            spent.append(best_of(1, lambda pool=pool: step(pool)))
            n_valued.append(len(pool))
        times.append(sum(spent[1:]) / sum(n_valued[1:]))
    cursor.jump(start)
    return min(times)


def thread_times(data: sw.Dataset, start: np.ndarray, n_candidates: int) -> tuple[float, float, float]:
    """Time steps of one thread, of two, and of two processes at once, each of which does all the work.

    Half of the last is what two threads could reach at best on this machine. One after the other in turns, so that a
    slow moment does not fall on one of them alone.
    """
    cursors = [sw.criteria.KNN(n_jobs=jobs).bind(data) for jobs in (1, 2)]
    turns = []
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:  # threads are about, which do not fork well
        for _ in range(6):
            alone = [step_time(cursor, start, n_candidates) for cursor in cursors]
            waiting = [pool.submit(_time_alone, data, start, n_candidates) for _ in range(2)]
            turns.append((*alone, max(done.result() for done in waiting)))
    one, two, beside = np.min(turns, axis=0).tolist()
    return one, two, beside


def _time_alone(data: sw.Dataset, start: np.ndarray, n_candidates: int) -> float:
    return step_time(sw.criteria.KNN().bind(data), start, n_candidates)


def overhead(n_features: int) -> float:
    """Time statistics and proposal of one step, the only parts that see all D features.

    Every feature has been seen with a score of its own, as late in a long search: nothing is spared by ties.
    """
    rng = sw.engine.PortableRng(1)
    statistics = sw.search.ContrastStatistics().fresh(n_features, FastFold())
    members = np.zeros(n_features, dtype=np.bool_)
    members[np.linspace(0, n_features - 1, 20).astype(int)] = True
    proposal = sw.search.SoftmaxProposal()
    values = rng.uniforms(BUDGET)
    statistics.mean_with[:] = rng.uniforms(n_features) - 0.5
    statistics.count_with[:] = 1 + 5 * rng.uniforms(n_features)

    def step() -> None:
        outside = sw.Direction.ADD.opposite.pool(members)  # as a sampled step lists them
        pool = Pool.but(outside, statistics.count_with, statistics.scores, 1)
        proposed = proposal(pool, BUDGET, rng)
        statistics.learn(Batch(sw.Direction.ADD, members, proposed[:, None], values))

    for _ in range(20):
        step()
    return best_of(30, step)
