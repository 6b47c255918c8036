"""A file that one campaign at a time holds, of all processes and of all threads of one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

CAN_LOCK = fcntl is not None
_guard = Lock()
_held: dict[tuple[int, int], int] = {}  # device and number of the files held, and the process that holds them


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a file that is there; raise BlockingIOError if it is held already, by this process or another.

    The system's lock belongs to the process, unlike that of flock, so that forked workers that outlive it do not keep
    it. But the process also loses it when it closes the file, whoever opened it: a file that it holds itself must not
    be opened again, and who holds it must be known here.
    """
    with _guard:
        status = path.stat()
        key = status.st_dev, status.st_ino
        if _held.get(key) == os.getpid():
            raise BlockingIOError(f"{path} is held by this process")
        stream = path.open("r+b")
        try:
            if CAN_LOCK:
                fcntl.lockf(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            stream.close()
            raise
        _held[key] = os.getpid()
    try:
        yield
    finally:
        with _guard:
            del _held[key]
            stream.close()
