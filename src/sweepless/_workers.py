"""Worker processes that end with the process that started them, even if it is killed."""

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
    """Return the arguments of `joblib.Parallel` that make its workers end with this process.

    There are none if the workers are threads, or processes of a cluster, which others start.
    """
    processes = (BACKENDS["loky"], BACKENDS["multiprocessing"])
    if type(get_active_backend()[0]) not in processes:
        return {}
    return {"initializer": leave_with, "initargs": (os.getpid(),)}


def leave_with(parent: int) -> None:
    """Make this worker end with its parent, which may have ended already; this runs before any task."""
    Thread(target=_follow, args=(parent,), daemon=True).start()


def _follow(parent: int) -> None:
    started_by = parent_process()
    sentinel = None if started_by is None else started_by.sentinel
    if sentinel is not None:
        wait([sentinel])
    else:  # loky gives none on Unix, where an orphan gets another parent
        while os.getppid() == parent:
            time.sleep(_LOOK_EVERY)
    os._exit(1)
