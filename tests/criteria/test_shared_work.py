"""Work that threads share is done once and whole, whoever does it."""

from __future__ import annotations

import threading

import pytest

from sweepless.criteria.neighbors.resources import Threads


@pytest.mark.parametrize("n_jobs", [1, 2, 5])
@pytest.mark.parametrize("count", [0, 1, 3, 4, 99, 1000])
def test_every_item_is_done_once(n_jobs, count):
    done = [0] * count
    workers = Threads(n_jobs)

    def work(first, last):
        for item in range(first, last):
            done[item] += 1

    for turn in range(1, 4):
        workers.spread(count, work)
        assert done == [turn] * count


@pytest.mark.parametrize(("n_pairs", "n_parts"), [(49, 1), (50, 2)])
def test_little_work_is_not_shared(monkeypatch, n_pairs, n_parts):
    monkeypatch.setattr("sweepless.criteria.neighbors.resources._LEAST_PAIRS", 250)
    taken = []
    Threads(2).spread(10, lambda first, last: taken.append((first, last)), n_pairs)
    assert len(taken) == n_parts
    assert sorted(taken)[0][0] == 0 and sorted(taken)[-1][1] == 10


@pytest.mark.parametrize(("count", "n_parts"), [(20, 2), (7999, 2), (8000, 4), (90_000, 4)])
def test_every_thread_has_as_many_parts(count, n_parts):
    taken = []
    Threads(2).spread(count, lambda first, last: taken.append(last - first))
    assert sorted(taken) == [count // n_parts] * (n_parts - 1) + [-(-count // n_parts)]


def test_every_thread_begins_with_its_own_part_in_every_turn():
    workers, everyone, turns = Threads(3), threading.Barrier(3, timeout=60), []

    def work(first, last):
        everyone.wait()  # every thread holds one part
        taken[first] = threading.current_thread()

    for _ in range(5):
        taken = {}
        workers.spread(9, work)
        turns.append(taken)
    assert turns[0][0] is threading.current_thread() and len(set(turns[0].values())) == 3
    assert all(taken == turns[0] for taken in turns)


def test_who_comes_late_is_not_waited_for():
    workers, held, taken = Threads(2), threading.Event(), []
    workers.spread(4, lambda first, last: None)
    workers._others[0].submit(held.wait)  # the other thread is busy
    workers.spread(10, lambda first, last: taken.append((first, last, threading.current_thread())))
    assert [part[:2] for part in taken] == [(0, 5), (5, 10)]
    assert {part[2] for part in taken} == {threading.current_thread()}
    held.set()


@pytest.mark.parametrize("fails", ["here", "there"])
def test_an_error_of_any_thread_is_raised(fails):
    here = threading.current_thread()
    both = threading.Barrier(2, timeout=60)

    def work(first, last):
        both.wait()  # each thread has one part
        if (threading.current_thread() is here) == (fails == "here"):
            raise ZeroDivisionError(fails)

    with pytest.raises(ZeroDivisionError, match=fails):
        Threads(2).spread(10, work)
