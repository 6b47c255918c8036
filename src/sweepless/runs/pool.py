"""Where cells are run: joblib backends, and what each of them needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any

from joblib import Parallel, delayed, parallel_config
from joblib.externals.loky.process_executor import BrokenProcessPool

from sweepless._needs import require
from sweepless._workers import tied_to_us
from sweepless.dataset import Dataset
from sweepless.errors import InputError
from sweepless.runs.cell import Outcome, run_cell
from sweepless.runs.plan import PlannedCell

BACKENDS = ("loky", "threading", "multiprocessing", "dask", "ray")
Task = tuple[PlannedCell, tuple[int, int] | None]


class LostWorker(Exception):
    """A worker died, and with it what it was at."""


@dataclass(frozen=True)
class Pool:
    """A joblib backend that is ready, with the data where its workers can reach them.

    loky and multiprocessing share the data as one memory map per machine, threads as one object; the workers of a
    Dask cluster hold them, so that tasks bring none.
    """

    backend: str | Callable[[], Any]
    n_jobs: int
    data: Dataset | None
    key: str
    losses: tuple[type[Exception], ...]
    at_once: bool  # whether results arrive as they come

    def run(self, tasks: Iterable[Task]) -> Iterator[Outcome]:
        """Run tasks in any order; they are taken from the iterable when their turn comes."""
        jobs = (delayed(_work)(cell, self.data, self.key, budget) for cell, budget in tasks)
        arrives = "generator_unordered" if self.at_once else "list"
        # On a cluster the next cells wait where the workers are; elsewhere few cells are lost with a worker.
        backend, ahead = (self.backend, "n_jobs") if isinstance(self.backend, str) else (self.backend(), "2*n_jobs")
        with parallel_config(backend=backend):
            parallel = Parallel(
                self.n_jobs, batch_size=1, pre_dispatch=ahead, return_as=arrives, mmap_mode="r", **tied_to_us()
            )
        try:
            if self.at_once:
                yield from parallel(jobs)
                return
            with parallel:  # such a backend hands results over when all are there: few at a time
                while part := list(islice(jobs, parallel._effective_n_jobs())):
                    yield from parallel(part)
        except self.losses as error:
            raise LostWorker(str(error)) from error


def check_pool(backend: str, n_jobs: int, scheduler: str | None = None) -> None:
    """Raise unless such a backend can be made ready, as far as can be known before there are data; see `open_pool`."""
    if backend not in BACKENDS:
        raise InputError(f"`backend` must be one of {', '.join(BACKENDS)}, got {backend!r}.")
    if scheduler is not None and backend != "dask":
        raise InputError(f"`scheduler` is for the dask backend, got it with {backend}.")
    if n_jobs == 0 or n_jobs < -1:
        raise InputError(f"`jobs` must be a positive integer, or -1 for all cores, got {n_jobs}.")
    if backend in ("dask", "ray"):
        require(f"the {backend} backend")
    if scheduler is not None:
        from sweepless.runs.cluster import check_address

        check_address(scheduler)


@contextmanager
def open_pool(backend: str, n_jobs: int, data: Dataset, key: str, scheduler: str | None = None) -> Iterator[Pool]:
    """Make a backend ready that `check_pool` has nothing against.

    Parameters
    ----------
    backend : {"loky", "threading", "multiprocessing", "dask", "ray"}
    n_jobs : int
        Cells at a time, -1 for all cores; a Dask scheduler given by its address has its own number.
    data : Dataset
    key : str
        The fingerprint of the data.
    scheduler : str, optional
        Address of a Dask scheduler; without it the dask backend makes a cluster on this machine.
    """
    if backend == "dask":
        with _dask(n_jobs, data, key, scheduler) as pool:
            yield pool
    elif backend == "ray":
        _register_ray()
        yield Pool("ray", n_jobs, data, key, (), at_once=False)
    else:
        losses: tuple[type[Exception], ...] = (BrokenProcessPool,) if backend == "loky" else ()
        yield Pool(backend, n_jobs, data, key, losses, backend != "multiprocessing")


@contextmanager
def _dask(n_jobs: int, data: Dataset, key: str, scheduler: str | None) -> Iterator[Pool]:
    from distributed import KilledWorker

    from sweepless.runs.cluster import ClusterBackend, open_cluster

    with open_cluster(n_jobs, data, key, scheduler) as client:
        yield Pool(lambda: ClusterBackend(client=client), -1, None, key, (KilledWorker,), at_once=True)


def _work(cell: PlannedCell, data: Dataset | None, key: str, budget: tuple[int, int] | None) -> Outcome:
    """Run a cell, on the data that it brings or that the worker holds."""
    if data is None:
        from sweepless._cluster import held

        data = held(key)
    return run_cell(cell, data, key, budget)


def _register_ray() -> None:
    from ray.util.joblib import register_ray

    register: Callable[[], None] = register_ray
    register()
