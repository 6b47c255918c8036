"""Where cells are run: what is refused before there are data, what a backend is told, and a worker that is lost."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest
from joblib.externals.loky.process_executor import BrokenProcessPool

from sweepless import make_madelon
from sweepless.errors import InputError, SweeplessError
from sweepless.runs import pool
from sweepless.runs.pool import LostWorker, check_pool, open_pool

DATA = make_madelon(n_samples=40, n_features=25)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("spark", 1), "`backend` must be one of loky, threading, multiprocessing, dask, ray, got 'spark'"),
        (("loky", 1, "tcp://10.0.0.1:8786"), "`scheduler` is for the dask backend, got it with loky"),
        (("loky", 0), "`jobs` must be a positive integer, or -1 for all cores, got 0"),
        (("threading", -2), "or -1 for all cores, got -2"),
    ],
)
def test_what_cannot_be_made_ready_is_refused(words, said):
    with pytest.raises(InputError, match=said):
        check_pool(*words)


def test_a_backend_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(SweeplessError, match="ray"):
        check_pool("ray", 1)


def test_ray_is_registered_and_hands_over_a_few_results_at_a_time(monkeypatch):
    registered = []
    fake = SimpleNamespace(register_ray=lambda: registered.append(True))
    for name in ("ray", "ray.util", "ray.util.joblib"):
        monkeypatch.setitem(sys.modules, name, fake)
    with open_pool("ray", 2, DATA, "key") as ready:
        assert registered == [True] and ready.backend == "ray" and not ready.at_once


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_only_processes_can_be_lost(backend, monkeypatch):
    def dies(*_):
        raise BrokenProcessPool("killed")

    monkeypatch.setattr(pool, "_work", dies)
    with (
        open_pool(backend, 1, DATA, "key") as ready,
        pytest.raises(LostWorker if backend == "loky" else BrokenProcessPool),
    ):
        list(ready.run([(None, None)]))
