"""Threads for independent work, and memory for the distances of the working subset."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from queue import SimpleQueue
from typing import Generic, Literal, TypeVar

from joblib import effective_n_jobs

_Space = TypeVar("_Space")
_FEWEST = 2000  # items of a part, which has a fixed cost of its own: 0.15 ms of 3.5 for 2,000 rows
_LEAST_PAIRS = 100_000  # of a row and a candidate that are worth a thread: some half a millisecond
_PARTS = 2  # per thread: what one has not begun, because another program held it up, others take


class Threads:
    """Several threads, started on first use, that share the items of one work.

    Every thread begins with the same items each time, which its core may still have at hand, and then takes what others
    have left. This thread never waits for one that has not begun: if the others are late, it does their parts itself.
    """

    def __init__(self, n_jobs: int | Literal["auto"]) -> None:
        self.n_jobs = 1 if n_jobs == "auto" else effective_n_jobs(n_jobs)  # a search replaces "auto" if it pays
        self._others: list[ThreadPoolExecutor] | None = None

    def spread(self, count: int, work: Callable[[int, int], None], n_pairs: int = _LEAST_PAIRS) -> None:
        """Do the work of `count` items, from a first to a last one at a time; no item depends on another.

        An item stands for so many pairs of a row and a candidate, or for as much work as is worth a thread.
        """
        if self.n_jobs == 1 or count < 2 * self.n_jobs or count * n_pairs < self.n_jobs * _LEAST_PAIRS:
            work(0, count)
            return
        if self._others is None:
            self._others = [ThreadPoolExecutor(1) for _ in range(self.n_jobs - 1)]
        n_own = min(max(count // (_FEWEST * self.n_jobs), 1), _PARTS)
        bounds = [k * count // (n_own * self.n_jobs) for k in range(n_own * self.n_jobs + 1)]
        parts = list(pairwise(bounds))
        own = [deque(parts[k : k + n_own]) for k in range(0, len(parts), n_own)]
        done: SimpleQueue[BaseException | None] = SimpleQueue()
        for k, other in enumerate(self._others, 1):
            other.submit(_take_parts, own, k, work, done)
        n_done = 0
        try:
            while part := _next_of(own, 0):
                work(*part)
                n_done += 1
        finally:
            for some in own:
                some.clear()
        for _ in range(len(parts) - n_done):
            if (error := done.get()) is not None:
                raise error


class Spares(Generic[_Space]):
    """Working space for any thread, kept from step to step: to make it takes as long as to value some candidates."""

    def __init__(self, make: Callable[[], _Space]) -> None:
        self._make = make
        self._free: list[_Space] = []

    def take(self) -> _Space:
        """Return some that nobody uses."""
        try:
            return self._free.pop()  # one thread at a time
        except IndexError:
            return self._make()

    def give(self, space: _Space) -> None:
        """Take back what was used; if it is not given back, it is made anew."""
        self._free.append(space)


def _next_of(own: list[deque[tuple[int, int]]], k: int) -> tuple[int, int] | None:
    """Take a part of one's own, or else the last one of another."""
    for some in (own[k], *own):
        try:
            return some.popleft() if some is own[k] else some.pop()  # one thread at a time
        except IndexError:
            continue
    return None


def _take_parts(
    own: list[deque[tuple[int, int]]],
    k: int,
    work: Callable[[int, int], None],
    done: SimpleQueue[BaseException | None],
) -> None:
    while part := _next_of(own, k):
        error: BaseException | None = None
        try:
            work(*part)
        except BaseException as raised:
            error = raised
        done.put(error)


def fits_memory(n_samples: int, needed: int, limit: int) -> bool:
    """Tell whether the distances may be kept, and warn if not."""
    if needed > limit:
        warnings.warn(
            f"the distances of {n_samples:,} samples would take {needed / 2**30:.1f} GiB, more than "
            f"the memory limit of {limit / 2**30:.1f} GiB; they are computed when needed, which is slower.",
            stacklevel=5,
        )
    return needed <= limit
