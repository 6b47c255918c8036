"""On a Dask cluster: the same rows, data that travel once per worker, and workers that die."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from threading import Thread

import pytest

from sweepless.errors import CampaignError
from sweepless.runs import parse_spec, run_campaign
from tests.runs.quick_campaign import N_CELLS, SPEC, rows_of

dask = pytest.importorskip("dask", reason="needs dask (sweepless[dask])")
distributed = pytest.importorskip("distributed", reason="needs distributed (sweepless[dask])")


@pytest.fixture()
def cluster():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", silence_logs=50
    ) as made:
        yield made


def test_rows_are_the_same_and_data_travel_once_per_worker(cluster, tmp_path, expected, monkeypatch):
    plugins = []
    register = distributed.Client.register_plugin
    monkeypatch.setattr(
        distributed.Client, "register_plugin", lambda *call, **name: plugins.append(name) or register(*call, **name)
    )
    with distributed.Client(cluster, set_as_default=False) as client:
        run_campaign(parse_spec(SPEC), tmp_path / "run", backend="dask", scheduler=cluster.scheduler_address)
        assert rows_of(tmp_path / "run") == expected
        transfers = client.run(lambda dask_worker: len(dask_worker.transfer_incoming_log))
        held = client.run(lambda: len(sys.modules["sweepless._cluster"]._held))
    assert len(plugins) == 1  # the scheduler sends a plugin to every worker once
    assert set(held.values()) == {0}  # and takes it back
    assert set(transfers.values()) == {0}  # and workers ask one another for nothing


def test_a_killed_worker_changes_no_row(cluster, tmp_path, expected):
    run = tmp_path / "run"
    victim = cluster.workers[0].process.pid
    killer = Thread(target=_kill_after, args=(run, 3, victim))
    killer.start()
    run_campaign(parse_spec(SPEC), run, backend="dask", scheduler=cluster.scheduler_address)
    killer.join()
    assert cluster.workers[0].process is None or cluster.workers[0].process.pid != victim
    assert rows_of(run) == expected


def test_a_scheduler_that_is_not_there(tmp_path, monkeypatch):
    monkeypatch.setattr("sweepless.runs.cluster._PATIENCE", 1)
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "1s"}),
        pytest.raises(CampaignError, match="`scheduler` must be the address of a Dask scheduler"),
    ):
        run_campaign(parse_spec(SPEC), tmp_path / "run", backend="dask", scheduler="tcp://127.0.0.1:9")


def _kill_after(run: Path, count: int, pid: int) -> None:
    while len(list((run / "cells").glob("[!.]*.json"))) < min(count, N_CELLS):
        time.sleep(0.005)
    os.kill(pid, signal.SIGKILL)
