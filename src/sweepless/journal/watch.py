"""A run that goes on elsewhere, as its journal tells it."""

from __future__ import annotations

import os
import time
from typing import Any

from sweepless.journal.follow import Follower
from sweepless.journal.view import View


class WatchedRun:
    """What a journal tells, kept up to date by `refresh`.

    Parameters
    ----------
    path : path
        A journal, which is only read; it need not be there yet.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._follower = Follower(path)
        self._view = View()
        self.version = 0  # grows with everything that is new

    @property
    def state(self) -> str:
        """One of waiting, reading, running, ended."""
        if self._view.run is None:
            return "waiting"
        if self._follower.is_behind:
            return "reading"
        return "running" if self._view.stop_reason is None else "ended"

    def refresh(self) -> bool:
        """Read what is new, at most for a moment; tell whether there was anything."""
        before = self.version
        for record in self._follower.poll():
            self.version += 1
            if record is None:
                self._view = View()
            else:
                self._view.add(record)
        return self.version > before

    def read(self) -> None:
        """Read all that there is."""
        self.refresh()
        while self._follower.is_behind:
            self.refresh()

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; `age` is in seconds since the file was last written to."""
        follower = self._follower
        return {
            "state": self.state,
            "age": max(0.0, time.time() - follower.modified) if follower.is_there else None,
            "n_records": follower.n_records,
            "share_read": follower.position / follower.size if follower.is_behind and follower.size else 1.0,
        } | self._view.to_dict()
