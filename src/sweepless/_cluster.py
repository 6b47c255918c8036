"""What the workers of a Dask cluster hold: sent to each of them once, found there by its key."""

from __future__ import annotations

from contextlib import suppress
from typing import Any
from uuid import uuid4
from weakref import ref

from distributed import Client, WorkerPlugin

_held: dict[str, Any] = {}
_holders: dict[str, set[str]] = {}
_lent: list[tuple[ref[Any], Client, Held]] = []  # who needs what on which cluster


class Held(WorkerPlugin):  # type: ignore[misc]
    """Puts a thing where tasks find it.

    The scheduler sends plugins to every worker once, also to those that join later or take the place of one that
    died. Scattered things would not stay: the scheduler takes copies back that no task is waiting for.
    """

    def __init__(self, thing: Any, key: str, name: str) -> None:
        self.thing, self.key, self.name = thing, key, name

    def setup(self, worker: Any) -> None:
        self.thing = _held.setdefault(self.key, self.thing)  # one copy, however many need it
        _holders.setdefault(self.key, set()).add(self.name)

    def teardown(self, worker: Any) -> None:
        _holders[self.key].discard(self.name)
        if not _holders[self.key]:
            del _held[self.key]


def held(key: str) -> Any:
    """Return what this worker holds."""
    return _held[key]


def hold(client: Client, thing: Any, key: str) -> Held:
    """Let all workers hold a thing until they may let go of it."""
    plugin = Held(thing, key, f"sweepless-{uuid4().hex}")
    client.register_plugin(plugin, name=plugin.name)
    return plugin


def let_go(client: Client, plugin: Held) -> None:
    if client.status == "running":
        with suppress(OSError, ValueError):  # a cluster that is gone holds nothing
            client.unregister_worker_plugin(plugin.name)


def lend(client: Client, thing: Any, owner: Any) -> str:
    """Let all workers hold a thing while its owner lives; return its key.

    What owners have left behind is cleared here, before more is sent: not when they are collected, which may happen
    in the very thread that would have to wait for the cluster.
    """
    for loan in [loan for loan in _lent if loan[0]() is None]:
        _lent.remove(loan)
        let_go(loan[1], loan[2])
        Held(None, loan[2].key, "here").teardown(None)
    key = uuid4().hex
    _lent.append((ref(owner), client, hold(client, thing, key)))
    Held(thing, key, "here").setup(None)  # joblib does tasks itself while there is but one worker
    return key
