"""Appends whole records to a file, or none."""

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
    """The end of a journal.

    Parameters
    ----------
    path : Path
    fsync_every : float
        Seconds after which what was written is also forced to the disk; 0 does so after every record. What was
        written survives the process in any case, what was forced to the disk survives the machine, too.
    found : Scan, optional
        What there is in an existing file, of which whole records are kept; without, there must be none.
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
                f"a journal must be a new file, got {path}, which exists: resume it, or name another."
            ) from None
        except OSError as error:
            raise self._failure(error) from error
        try:
            self._claim(0 if found is None else found.size)
            os.ftruncate(self._file, self._end)  # what was cut short is dropped
        except BaseException as error:
            os.close(self._file)
            if isinstance(error, OSError):
                raise self._failure(error) from error
            raise

    def append(self, kind: str, fields: Record) -> None:
        """Write one record; if that fails, the file is as it was before."""
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
        """Keep others out, and make sure that none was here since the file was read."""
        if fcntl is not None:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise JournalError(
                    f"the journal {self.path} must belong to one run, got one that still goes on."
                ) from None
        if os.fstat(self._file).st_size != size:
            raise JournalError(
                f"the journal {self.path} must not change while it is read, got another size: try again."
            )

    def _failure(self, error: OSError) -> JournalError:
        kept = f"; its {self.n_records} records are whole and can be resumed" if self.n_records else ""
        return JournalError(f"the journal {self.path} could not be written: {error.strerror or error}{kept}.")
