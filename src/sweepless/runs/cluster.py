"""A Dask cluster as a place for cells: its workers hold the data, sent to each once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import dask
from distributed import Client, LocalCluster
from distributed.comm.addressing import get_address_host_port
from joblib import cpu_count
from joblib._dask import DaskDistributedBackend

from sweepless._cluster import hold, let_go
from sweepless.dataset import Dataset
from sweepless.errors import CampaignError, InputError

_PATIENCE = 10  # seconds to wait for a scheduler


class ClusterBackend(DaskDistributedBackend):  # type: ignore[misc]
    """Joblib's, which leaves cells to a cluster even while that has but one worker."""

    def effective_n_jobs(self, n_jobs: int) -> int:
        return max(2, int(super().effective_n_jobs(n_jobs)))  # one job would be done by the driver itself


def local_cluster(n_workers: int) -> LocalCluster:
    """Make a cluster on this machine, of processes with one thread each.

    Without Dask's profiler, which looks at the running code a hundred times a second and slows it down.
    """
    with dask.config.set({"distributed.worker.profile.enabled": False}):
        return LocalCluster(n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0")


def check_address(address: str) -> None:
    """Raise InputError unless an address can be that of a scheduler; nothing is connected to."""
    try:
        _, port = get_address_host_port(address)
        if 0 < port < 1 << 16:
            return
    except (ValueError, OSError):  # also an unknown scheme, on which a client would wait for a minute
        pass
    raise InputError(
        f"`scheduler` must be the address of a Dask scheduler such as tcp://10.0.0.1:8786, got {address[:80]!r}."
    )


@contextmanager
def open_cluster(n_jobs: int, data: Dataset, key: str, scheduler: str | None) -> Iterator[Client]:
    """Connect to a cluster, or make one on this machine, and let its workers hold the data for a while."""
    try:
        made = scheduler or local_cluster(cpu_count() if n_jobs == -1 else n_jobs)
        client = Client(made, set_as_default=False, timeout=_PATIENCE)
    except (OSError, ValueError) as error:
        raise CampaignError(
            f"`scheduler` must be the address of a Dask scheduler that answers, got {scheduler}: {error}."
        ) from None
    try:
        plugin = hold(client, data, key)
        try:
            yield client
        finally:
            let_go(client, plugin)
    finally:
        client.close()
        if isinstance(made, LocalCluster):
            made.close()
