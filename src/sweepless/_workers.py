"""Worker processes that end with the process that started them, however that ended."""

from __future__ import annotations

import os
import time
from multiprocessing import parent_process
from multiprocessing.connection import wait
from threading import Thread
from typing import Any

from joblib.parallel import BACKENDS, get_active_backend

_LOOK_EVERY = 0.5  # seconds


def tied_to_us() -> dict[str, Any]:
    """Return what to tell a `joblib.Parallel`, so that its workers do not outlive this process.

    Nothing where workers are threads, or processes that others start: those of clusters.
    """
    processes = (BACKENDS["loky"], BACKENDS["multiprocessing"])
    if type(get_active_backend()[0]) not in processes:
        return {}
    return {"initializer": leave_with, "initargs": (os.getpid(),)}


def leave_with(parent: int) -> None:
    """See to it that this worker ends with its parent, which may have ended already; done before any task."""
    Thread(target=_follow, args=(parent,), daemon=True).start()


def _follow(parent: int) -> None:
    started_by = parent_process()
    sentinel = None if started_by is None else started_by.sentinel
    if sentinel is not None:
        wait([sentinel])
    else:  # loky has none on Unix, where an orphan is given another parent
        while os.getppid() == parent:
            time.sleep(_LOOK_EVERY)
    os._exit(1)
