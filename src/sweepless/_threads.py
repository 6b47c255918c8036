"""Limit the threads of linear algebra, which all parts of a process share, and say how many a search may have."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from threading import Lock
from typing import Any

import threadpoolctl
from joblib import cpu_count
from joblib.parallel import get_active_backend

_has_one_core: ContextVar[bool] = ContextVar("_has_one_core", default=False)
_lock = Lock()
_n_inside = 0
_before: list[int] = []  # the original numbers of threads of the libraries


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit linear algebra to one thread for a while, because its rounding depends on the number of threads.

    Most libraries have one setting for the whole process, so searches in several threads share the limit: the first
    to enter sets it, and the last to leave resets it. Libraries built on OpenMP have one setting per thread.
    """
    of_process, of_thread = _libraries()
    before = _limited(of_thread)
    _enter(of_process)
    try:
        yield
    finally:
        _leave(of_process)
        _restore(of_thread, before)


@contextmanager
def one_core() -> Iterator[None]:
    """Limit linear algebra to one thread, the loops of OpenMP, which have a setting per thread, and searches."""
    token = _has_one_core.set(True)
    try:
        with one_thread(), threadpoolctl.threadpool_limits(1, user_api="openmp"):
            yield
    finally:
        _has_one_core.reset(token)


def spare_cores() -> int:
    """Return how many threads a search may start: one where something around it is parallel already."""
    backend, _ = get_active_backend()
    is_worker = bool(backend.nesting_level)  # of joblib, whose `effective_n_jobs` grants a first worker all cores again
    return 1 if is_worker or _has_one_core.get() else int(cpu_count())


@cache
def _libraries() -> tuple[list[Any], list[Any]]:
    """Find the loaded libraries of linear algebra, once, because this takes milliseconds."""
    import scipy.linalg  # noqa: F401 # loads its own library first

    found = [library for library in threadpoolctl.ThreadpoolController().lib_controllers if library.user_api == "blas"]
    of_thread = [library for library in found if getattr(library, "threading_layer", None) == "openmp"]
    return [library for library in found if library not in of_thread], of_thread


def _enter(libraries: list[Any]) -> None:
    global _n_inside, _before
    with _lock:
        if _n_inside == 0:
            _take_control()
            _before = _limited(libraries)
        _n_inside += 1


def _leave(libraries: list[Any]) -> None:
    global _n_inside
    with _lock:
        _n_inside -= 1
        if _n_inside == 0:
            _take_control()  # this thread may not be the one that set the limit
            _restore(libraries, _before)
            _take_control()  # free for the next thread to enter


def _limited(libraries: list[Any]) -> list[int]:
    before = [library.get_num_threads() for library in libraries]
    for library in libraries:
        library.set_num_threads(1)
    return before


def _restore(libraries: list[Any], before: list[int]) -> None:
    for library, n_threads in zip(libraries, before, strict=True):
        library.set_num_threads(n_threads)


def _take_control() -> None:
    """Let this thread change settings; since threadpoolctl 3.8, only the first thread to do so has an effect."""
    clear = getattr(threadpoolctl.OpenBLASController, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)
