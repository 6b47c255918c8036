"""Append complete records to a file."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

from sweepless.errors import JournalError
from sweepless.journal.lines import Record, Scan, as_line

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]


class Writer:
    """Appends records to a journal.

    Parameters
    ----------
    path : Path
    fsync_every : float
        Seconds after which records are also forced to the disk; 0 forces every record. Written records survive a crash
        of the process in any case, and those forced to the disk also survive a crash of the machine.
    found : Scan, optional
        The content of an existing file, whose complete records are kept; without it, the file must not exist.
    """

    def __init__(self, path: Path, fsync_every: float, found: Scan | None = None) -> None:
        self.path, self.fsync_every = path, fsync_every
        self.n_records, self._end = (0, 0) if found is None else (found.n_records, found.end)
        self._synced = time.monotonic()
        flags = os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0)
        try:
            self._file = os.open(path, flags if found else flags | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            raise JournalError(
                f"a journal must be a new file, but {path} exists: resume it or choose another name."
            ) from None
        except OSError as error:
            raise self._failure(error) from error
        try:
            self._claim(0 if found is None else found.size)
            os.ftruncate(self._file, self._end)  # drop a record that was cut short
        except BaseException as error:
            os.close(self._file)
            if isinstance(error, OSError):
                raise self._failure(error) from error
            raise

    def append(self, kind: str, fields: Record) -> None:
        """Write one record; if that fails, leave the file as it was."""
        line = as_line(self.n_records, kind, fields)
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
            if time.monotonic() - self._synced >= self.fsync_every:
                self.sync()
        except BaseException as error:
            with suppress(OSError):
                os.ftruncate(self._file, self._end)
            if isinstance(error, OSError):
                raise self._failure(error) from error
            raise
        self._end += len(line)
        self.n_records += 1

    def sync(self) -> None:
        os.fsync(self._file)
        self._synced = time.monotonic()

    def close(self) -> None:
        with suppress(OSError):
            os.fsync(self._file)
        os.close(self._file)

    def _claim(self, size: int) -> None:
        """Lock the file, and check that it has not changed since it was read."""
        if fcntl is not None:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise JournalError(f"the journal {self.path} is in use by another run.") from None
        if os.fstat(self._file).st_size != size:
            raise JournalError(f"the journal {self.path} changed while it was read; try again.")

    def _failure(self, error: OSError) -> JournalError:
        kept = f"; its {self.n_records} records are complete and can be resumed" if self.n_records else ""
        return JournalError(f"the journal {self.path} could not be written: {error.strerror or error}{kept}.")
