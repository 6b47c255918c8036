"""Threads for independent work, and memory for the distances of the working subset."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from joblib import effective_n_jobs


class Threads:
    """Several threads, started on first use, that share the items of one work."""

    def __init__(self, n_jobs: int) -> None:
        self._n_jobs = effective_n_jobs(n_jobs)
        self._others: ThreadPoolExecutor | None = None

    def spread(self, count: int, work: Callable[[int, int], None]) -> None:
        """Do the work of `count` items, from a first to a last one per thread; no item depends on another."""
        if self._n_jobs == 1 or count < 2 * self._n_jobs:
            work(0, count)
            return
        if self._others is None:
            self._others = ThreadPoolExecutor(self._n_jobs - 1)
        bounds = np.linspace(0, count, self._n_jobs + 1).astype(int).tolist()
        others = [self._others.submit(work, *bounds[k : k + 2]) for k in range(self._n_jobs - 1)]
        work(*bounds[-2:])  # this thread is already awake
        for done in others:
            done.result()


def fits_memory(n_samples: int, needed: int, limit: int) -> bool:
    """Tell whether the distances may be kept, and warn if not."""
    if needed > limit:
        warnings.warn(
            f"the distances of {n_samples:,} samples would take {needed / 2**30:.1f} GiB, more than "
            f"the memory limit of {limit / 2**30:.1f} GiB; they are computed when needed, which is slower.",
            stacklevel=5,
        )
    return needed <= limit
