"""What a Dask cluster brings to one search: measured on two workers, simulated for more.

Candidates of a step are independent, steps are not. So a step costs what is serial (statistics, proposal, the call
into the cluster and back), what the driver needs to hand out one task after another, and the evaluations, spread over
the workers. The first two are measured here, the evaluations too; then steps are played through for any number of
workers, with the measured times. The same simulation is held against a real search on one and two workers.
"""

from __future__ import annotations

import argparse
import heapq
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from joblib import Parallel, delayed, parallel_config
from sklearn.linear_model import LogisticRegression

import sweepless as sw
from sweepless.criteria.estimator import _CHUNKS_PER_JOB
from sweepless.search.walk import _PAUSE_OF_MANY
from timing import overhead

BUDGET = 100


@dataclass(frozen=True)
class Measured:
    """Seconds: of a call into the cluster, of each task in it, of statistics and proposal per step."""

    call: float
    task: float
    serial: float


def played(costs: Sequence[float], n_workers: int, measured: Measured) -> float:
    """Play one call through: tasks are handed out one by one, each to the worker that is free first."""
    free = [0.0] * n_workers
    end = 0.0
    for k, cost in enumerate(costs):
        begin = max(heapq.heappop(free), (k + 1) * measured.task)
        heapq.heappush(free, begin + cost)
        end = max(end, begin + cost)
    return measured.call + end


def step_seconds(evaluation: float, n_workers: int, measured: Measured) -> float:
    """Return the time of a step of BUDGET candidates, chunked as the criterion chunks them."""
    if n_workers == 0:  # no cluster: one process
        return measured.serial + BUDGET * evaluation
    # The search looks at the clock after half a second of evaluation, and calls the cluster again.
    at_once = min(BUDGET, max(n_workers, int(_PAUSE_OF_MANY * n_workers / evaluation)))
    seconds = measured.serial
    for start in range(0, BUDGET, at_once):
        count = min(at_once, BUDGET - start)
        n_chunks = min(count, _CHUNKS_PER_JOB * n_workers)
        sizes = np.diff(np.linspace(0, count, n_chunks + 1).astype(int))
        seconds += played((sizes * evaluation).tolist(), n_workers, measured)
    return seconds


def _nothing(_: int) -> None:
    """Do nothing, on a worker."""


def call_seconds(n_tasks: int) -> float:
    """Return the time of a call of some tasks that do nothing."""
    begin = time.perf_counter()
    Parallel(n_jobs=-1, batch_size=1)(delayed(_nothing)(k) for k in range(n_tasks))
    return time.perf_counter() - begin


def search_seconds(criterion: sw.criteria.Criterion, data: sw.Dataset, n_steps: int) -> tuple[float, sw.Result]:
    begin = time.perf_counter()
    result = sw.run("sSFS", criterion, data, target=n_steps, budget=BUDGET, warm_up=None, seed=1)
    return time.perf_counter() - begin, result


def two_workers(n_steps: int, out: Callable[[str], object]) -> Measured:
    """Measure the cluster's own costs, and a real search on one and two workers beside the simulation's answer."""
    from distributed import Client

    from sweepless.runs.cluster import local_cluster

    data = sw.make_madelon(n_samples=2000, n_features=500)
    estimator = LogisticRegression(max_iter=200)
    alone, expected = search_seconds(sw.criteria.EstimatorCriterion(estimator), data, n_steps)
    evaluation = alone / expected.n_evaluations
    serial = 1e-4
    for n_workers in (1, 2):
        with (
            local_cluster(n_workers) as cluster,
            Client(cluster),
            parallel_config("dask"),
        ):
            call_seconds(8)
            parallel = sw.criteria.EstimatorCriterion(estimator, n_jobs=-1)
            search_seconds(parallel, data, 1)  # workers import what they need
            few, many = (median(call_seconds(n) for _ in range(7)) for n in (8, 208))
            task = (many - few) / 200
            measured = Measured(few - 8 * task, task, serial)
            taken, found = search_seconds(parallel, data, n_steps)
            assert found.value == expected.value and found.trajectory() == expected.trajectory()
            predicted = n_steps * step_seconds(evaluation, n_workers, measured)
            out(
                f"{n_workers} worker(s): {taken:6.2f} s measured, {predicted:6.2f} s simulated, {alone:6.2f} s without "
                f"a cluster; evaluation {1e3 * evaluation:.1f} ms, call {1e3 * measured.call:.1f} ms, "
                f"task {1e3 * measured.task:.2f} ms"
            )
    return measured


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=10)
    parsed = parser.parse_args()
    measured = two_workers(parsed.steps, print)
    measured = Measured(measured.call, measured.task, overhead(1_000_000))
    workers = (1, 2, 4, 8, 16, 32, 64)
    print(
        f"\nSimulated: steps of {BUDGET} candidates at D = 1,000,000 (statistics and proposal "
        f"{1e3 * measured.serial:.1f} ms per step)\nevaluation   one process" + "".join(f"{n:>9}" for n in workers)
    )
    for evaluation in (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0):
        base = step_seconds(evaluation, 0, measured)
        ratios = "".join(f"{base / step_seconds(evaluation, n, measured):>8.1f}x" for n in workers)
        print(f"{1e3 * evaluation:>8,.1f} ms {base:>11.2f} s{ratios}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
