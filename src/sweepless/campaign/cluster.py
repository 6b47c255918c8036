"""A Dask cluster as a place for cells: its workers hold the data, sent to each once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from uuid import uuid4

from distributed import Client, LocalCluster, WorkerPlugin
from joblib import cpu_count
from joblib._dask import DaskDistributedBackend

from sweepless.dataset import Dataset
from sweepless.errors import CampaignError

_held: dict[str, Dataset] = {}
_holders: dict[str, set[str]] = {}


class HeldData(WorkerPlugin):  # type: ignore[misc]
    """Puts the data of a campaign where its cells find them.

    The scheduler sends plugins to every worker once, also to those that join later or take the place of one that
    died. Scattered data would not stay: the scheduler takes copies back that no task is waiting for.
    """

    def __init__(self, data: Dataset, key: str, name: str) -> None:
        self.data, self.key, self.name = data, key, name

    def setup(self, worker: Any) -> None:
        self.data = _held.setdefault(self.key, self.data)  # one copy, however many campaigns use it
        _holders.setdefault(self.key, set()).add(self.name)

    def teardown(self, worker: Any) -> None:
        _holders[self.key].discard(self.name)
        if not _holders[self.key]:
            del _held[self.key]


def held(key: str) -> Dataset:
    """Return what this worker holds."""
    return _held[key]


class ClusterBackend(DaskDistributedBackend):  # type: ignore[misc]
    """Joblib's, which leaves cells to a cluster even while that has but one worker."""

    def effective_n_jobs(self, n_jobs: int) -> int:
        return max(2, int(super().effective_n_jobs(n_jobs)))  # one job would be done by the driver itself


@contextmanager
def open_cluster(n_jobs: int, data: Dataset, key: str, scheduler: str | None) -> Iterator[Client]:
    """Connect to a cluster, or make one on this machine, and let its workers hold the data for a while."""
    try:
        made = scheduler or LocalCluster(
            n_workers=cpu_count() if n_jobs == -1 else n_jobs,
            threads_per_worker=1,
            processes=True,
            dashboard_address="127.0.0.1:0",
        )
        client = Client(made, set_as_default=False)
    except (OSError, ValueError) as error:
        raise CampaignError(f"`scheduler` must be the address of a Dask scheduler, got {scheduler}: {error}.") from None
    name = f"sweepless-{uuid4().hex}"
    try:
        client.register_plugin(HeldData(data, key, name), name=name)
        yield client
    finally:
        with suppress(OSError):  # a cluster that is gone holds nothing
            client.unregister_worker_plugin(name)
        client.close()
        if isinstance(made, LocalCluster):
            made.close()
