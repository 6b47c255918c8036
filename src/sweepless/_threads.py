"""How many threads linear algebra may take, which the whole process has in common."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

import threadpoolctl

_lock = Lock()
_n_inside = 0
_before: list[int] = []  # threads of the libraries when the first came in


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep linear algebra to one thread for a while: how its sums round depends on the number of threads.

    Most libraries have one number for the whole process, so that searches in several threads share the limit: the
    first to come in sets it, the last to leave restores what was before. Those built on OpenMP have one for every
    thread.
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
    """Keep linear algebra to one thread, and also the loops of OpenMP, whose number every thread has for itself."""
    with one_thread(), threadpoolctl.threadpool_limits(1, user_api="openmp"):
        yield


@cache
def _libraries() -> tuple[list[Any], list[Any]]:
    """Find the libraries of linear algebra, which takes milliseconds: once, and only those that are loaded by then."""
    import scipy.linalg  # noqa: F401 # brings a library of its own

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
            _take_control()  # this may be another thread than the one that set the limit
            _restore(libraries, _before)
            _take_control()  # whoever comes next may have it


def _limited(libraries: list[Any]) -> list[int]:
    before = [library.get_num_threads() for library in libraries]
    for library in libraries:
        library.set_num_threads(1)
    return before


def _restore(libraries: list[Any], before: list[int]) -> None:
    for library, n_threads in zip(libraries, before, strict=True):
        library.set_num_threads(n_threads)


def _take_control() -> None:
    """Let this thread set numbers: since threadpoolctl 3.8, those of all but the first to set one do nothing."""
    clear = getattr(threadpoolctl.OpenBLASController, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)
