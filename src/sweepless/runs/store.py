"""The run directory of a campaign: every file in it is whole or absent, and one campaign at a time holds it."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from sweepless._writing import write_whole
from sweepless.errors import CampaignError, DataError
from sweepless.schema.run import Cell, CellTime, Header, as_json, cell_files, read_cell, read_header, sealed

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

_LOGGER = logging.getLogger("sweepless")
_OURS = {"run.json", "cells", "times.jsonl", "lock"}
_guard = Lock()
_held: dict[tuple[int, int], int] = {}  # device and number of the files held, and the process that holds them


class RunDirectory:
    """Reads and writes the files of a run."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.cells = self.path / "cells"
        self._lock = self.path / "lock"

    # Reading

    def header(self) -> Header | None:
        """Return the header, None if there is no run yet."""
        file = self.path / "run.json"
        return read_header(file) if os.path.lexists(file) else None

    def require_header(self) -> Header:
        header = self.header()
        if header is None:
            raise CampaignError(f"a run must be a directory that `sweepless run` wrote, got {self.path}.")
        return header

    def ids(self) -> list[str]:
        """Return the ids of the cells that are there, whole or not."""
        return [file.stem for file in cell_files(self.path)]

    def cell(self, name: str) -> Cell:
        """Return a cell without its times.

        Raises
        ------
        DataError
            If it is damaged.
        """
        return read_cell(self.cells / f"{name}.json")

    def damaged(self, cells: Iterable[str]) -> set[str]:
        """Return which of some present cells must be computed again, and log why."""
        found: set[str] = set()
        for cell in sorted(cells):
            try:
                self.cell(cell)
            except DataError as error:
                _LOGGER.warning("%s It is computed again.", error)
                found.add(cell)
        return found

    def is_running(self) -> bool | None:
        """Return whether a campaign is running here, None where that cannot be known."""
        try:
            with _locked(self._lock):
                return None if fcntl is None else False
        except FileNotFoundError:
            return False
        except BlockingIOError:
            return True
        except PermissionError:
            return None

    # Writing

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Make the directory if there is none, and keep other campaigns out of it."""
        self.path.mkdir(parents=True, exist_ok=True)
        strange = sorted(
            entry.name for entry in self.path.iterdir() if entry.name not in _OURS and not entry.name.startswith(".")
        )
        if strange and not (self.path / "run.json").exists():
            raise CampaignError(f"a run must have a directory of its own, got {self.path}, which has {strange[0]}.")
        self._lock.touch()
        try:
            with _locked(self._lock):
                self.cells.mkdir(exist_ok=True)
                for left in (*self.path.glob(".*.tmp"), *self.cells.glob(".*.tmp")):
                    left.unlink()
                yield
        except BlockingIOError:
            raise CampaignError(f"{self.path} must have one campaign at a time, got one that is running.") from None

    def begin(self, header: Header) -> None:
        _write(self.path / "run.json", f"{as_json(header)}\n")

    def keep(self, cell: Cell, seconds: float, search_seconds: float) -> None:
        """Write a finished cell at once, then its time."""
        _write(self.cells / f"{cell.id}.json", sealed(cell))
        line = CellTime(cell.id, round(seconds, 4), round(search_seconds, 4))
        with (self.path / "times.jsonl").open("a+b") as stream:
            if stream.seek(0, os.SEEK_END):
                stream.seek(-1, os.SEEK_END)
                if stream.read(1) != b"\n":  # of a run that was killed here
                    stream.write(b"\n")
            stream.write(as_json(line).encode() + b"\n")


def _write(path: Path, text: str) -> None:
    """Write all of it, forced to the disk, or nothing."""
    try:
        write_whole(path, text, is_forced=True)
    except OSError as error:
        raise CampaignError(
            f"{path} could not be written: {error.strerror or error}; what is finished is kept."
        ) from error


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a file that is there; raise BlockingIOError if it is held already, by this process or another.

    The system's lock belongs to the process, unlike that of flock, so that forked workers that outlive it do not keep
    it. But the process also loses it when any of its threads closes the file: a file that it holds must not be opened
    again, so the files held are listed here.
    """
    with _guard:
        status = path.stat()
        key = status.st_dev, status.st_ino
        if _held.get(key) == os.getpid():
            raise BlockingIOError(f"{path} is held by this process")
        stream = path.open("r+b")
        try:
            if fcntl is not None:
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
