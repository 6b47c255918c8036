"""Objects that the workers of a Dask cluster hold: each is sent to a worker once and found there by its key."""

from __future__ import annotations

from contextlib import suppress
from typing import Any
from uuid import uuid4
from weakref import ref

from distributed import Client, WorkerPlugin

_held: dict[str, Any] = {}
_holders: dict[str, set[str]] = {}
_lent: list[tuple[ref[Any], Client, Held]] = []  # which owner needs which object on which cluster


class Held(WorkerPlugin):  # type: ignore[misc]
    """Puts an object where the tasks of a worker find it.

    The scheduler sends plugins to every worker once, also to those that join later or replace a lost one. Scattered
    objects would not stay, because the scheduler removes copies that no task is waiting for.
    """

    def __init__(self, thing: Any, key: str, name: str) -> None:
        self.thing, self.key, self.name = thing, key, name

    def setup(self, worker: Any) -> None:
        self.thing = _held.setdefault(self.key, self.thing)  # one copy for all owners
        _holders.setdefault(self.key, set()).add(self.name)

    def teardown(self, worker: Any) -> None:
        _holders[self.key].discard(self.name)
        if not _holders[self.key]:
            del _held[self.key]


def held(key: str) -> Any:
    """Return the object that this worker holds under a key."""
    return _held[key]


def hold(client: Client, thing: Any, key: str) -> Held:
    """Send an object to all workers, which hold it until it is released."""
    plugin = Held(thing, key, f"sweepless-{uuid4().hex}")
    client.register_plugin(plugin, name=plugin.name)
    return plugin


def let_go(client: Client, plugin: Held) -> None:
    if client.status == "running":
        with suppress(OSError, ValueError):  # a cluster that was closed holds nothing
            client.unregister_worker_plugin(plugin.name)


def lend(client: Client, thing: Any, owner: Any) -> str:
    """Let all workers hold an object while its owner lives; return its key.

    Objects of collected owners are released here, before another is sent. They are not released when the owner is
    collected, because that may happen in the very thread that would have to wait for the cluster.
    """
    for loan in [loan for loan in _lent if loan[0]() is None]:
        _lent.remove(loan)
        let_go(loan[1], loan[2])
        Held(None, loan[2].key, "here").teardown(None)
    key = uuid4().hex
    _lent.append((ref(owner), client, hold(client, thing, key)))
    Held(thing, key, "here").setup(None)  # joblib runs tasks in this process while there is only one worker
    return key
