"""One set of trajectories: however many workers, wherever they are, resumed or not.

Compiled or not is `test_jit_off_law`; selectors on threads and processes are `test_selector_jobs`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.naive_bayes import GaussianNB as ScikitNB

from sweepless import Dataset, Journal, resume, run
from sweepless.criteria import KNN, EstimatorCriterion, GaussianNB
from sweepless.search import WarmUp

DRAWS = np.random.default_rng(4)
X = DRAWS.integers(0, 6, (30, 6)).astype(np.float64)
DATA = Dataset(X, (X[:, 0] + X[:, 1] * X[:, 2] > 9).astype(int))
CRITERIA = {"k-NN": KNN(), "naive Bayes": GaussianNB(), "estimator": EstimatorCriterion(ScikitNB(), cv=2)}
OPTIONS: dict[str, Any] = {
    "target": 3,
    "overshoot": 1,
    "budget": 4,
    "backward_budget": 2,
    "warm_up": WarmUp(5, 2),
    "seed": 3,
}
THREADS = [(1, "threading"), (2, "threading"), (4, "threading")]  # native criteria ask no other backend
PLACES = {"k-NN": THREADS, "naive Bayes": THREADS, "estimator": [*THREADS, (3, "loky"), (2, "dask")]}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two Dask workers in this process, which is enough for the backend."""
    distributed = pytest.importorskip("distributed", reason="needs dask[distributed]")
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with distributed.LocalCluster(**options) as workers, distributed.Client(workers) as client:
        yield client


@contextmanager
def place(backend: str, request: Any) -> Iterator[None]:
    if backend == "dask":
        request.getfixturevalue("cluster")
    with parallel_config(backend=backend):
        yield


def trajectory(result: Any) -> Any:
    steps = [(step.direction, step.features.tolist(), step.value.hex(), step.n_evaluations) for step in result.trace]
    records = [(record.features.tolist(), record.value.hex()) for record in result.archive.values()]
    return steps, records, result.anatomy.to_dict(), None if result.scores is None else result.scores.tobytes()


def on(criterion: Any, n_jobs: int) -> Any:
    return replace(criterion, n_jobs=n_jobs) if hasattr(criterion, "n_jobs") else criterion


@cache
def expected_of(name: str) -> Any:
    """Search here, without workers."""
    return trajectory(run("sSFFS", CRITERIA[name], DATA, **OPTIONS))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("name", "n_jobs", "backend"), [(name, *where) for name, places in PLACES.items() for where in places]
)
def test_there_is_one_trajectory(name, n_jobs, backend, request, tmp_path):
    expected = expected_of(name)
    assert len(expected[0]) > 3
    criterion, path = on(CRITERIA[name], n_jobs), tmp_path / "run.jsonl"
    with place(backend, request):
        assert trajectory(run("sSFFS", criterion, DATA, journal=Journal(path), **OPTIONS)) == expected
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(lines[: 1 + len(lines) // 2]))
        assert trajectory(resume(path, criterion, DATA)) == expected
