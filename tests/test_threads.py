"""The number of threads of linear algebra, which searches in several threads share."""

from __future__ import annotations

from threading import Thread

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

from sweepless._threads import one_core, one_thread

np.ones((2, 2)) @ np.ones((2, 2))  # so that the library is there
_LIBRARIES = ThreadpoolController().select(user_api="blas")


def n_threads() -> set[int]:
    return {library["num_threads"] for library in _LIBRARIES.info()}


@pytest.fixture(autouse=True)
def two_threads():
    with threadpool_limits(2, user_api="blas"):
        if n_threads() != {2}:
            pytest.skip("needs linear algebra in two threads")
        yield


@pytest.mark.parametrize("limited", [one_thread, one_core])
def test_who_leaves_first_does_not_end_the_limit_of_the_other(limited):
    seen = []
    first, second = limited(), limited()
    with first:
        pass
    seen.append(n_threads())
    first = limited()
    first.__enter__()
    second.__enter__()
    seen.append(n_threads())
    first.__exit__(None, None, None)
    seen.append(n_threads())
    second.__exit__(None, None, None)
    seen.append(n_threads())
    assert seen == [{2}, {1}, {1}, {2}]


def test_searches_in_threads_never_see_two():
    seen: set[int] = set()

    def search() -> None:
        for _ in range(200):
            with one_thread():
                seen.update(n_threads())

    threads = [Thread(target=search) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {1}
    assert n_threads() == {2}


def test_an_error_inside_restores_too():
    with pytest.raises(ValueError, match="inside"), one_thread():
        raise ValueError("inside")
    assert n_threads() == {2}
