"""Read a journal that another process is writing: only what is new, only what can be shown, and never a byte of change.

A last record that is not whole yet is not there yet. Nothing is locked, so the run never notices.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from zlib import crc32

from msgspec import Struct

from sweepless.errors import JournalError
from sweepless.journal.lines import HEAD, LONGEST, TAIL, parsed, read_header, typed_record
from sweepless.schema.journal import RECORDS

_KEPT = 1 << 24  # bytes of a line in memory; the long part of a longer one, packed numbers, is only checked
_AT_ONCE = 1 << 25  # bytes after which a reader gets a break
_PACKED = b',"values":"'  # from here on a record is long and says nothing to people


@dataclass(frozen=True)
class _Line:
    """One line: its first bytes, its last bytes, how long it is and whether it is as it was written."""

    head: bytes
    closing: bytes
    length: int
    is_whole: bool


class Follower:
    """The reader of a growing journal.

    Parameters
    ----------
    path : path
        Need not be there yet.

    Attributes
    ----------
    is_there : bool
    n_records, position, size : int
        Records and bytes read, and bytes that the file had when it was last looked at.
    modified : float
        When it was last written to, in seconds since 1970.
    is_behind : bool
        Whether there was more to read when the reader took its break.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._begin_anew()

    def _begin_anew(self) -> None:
        self.is_there = self.is_behind = False
        self.n_records = self.position = self.size = 0
        self.modified = 0.0
        self._identity: tuple[int, int] | None = None
        self._end = b""  # what stands before `position`
        self._bad_at = -1

    def poll(self, most: int = _AT_ONCE) -> Iterator[Struct | None]:
        """Read the records that are new, about `most` bytes of them; None says that all begins anew.

        Of steps and values, only what comes before the packed numbers is read.
        A file that was replaced, cut or removed is read from its beginning.
        """
        try:
            if not stat.S_ISREG(self.path.stat().st_mode):
                raise JournalError(f"a journal must be a file, got {self.path}, which is something else.")
            with self.path.open("rb") as file:
                yield from self._read(file, most)
        except FileNotFoundError:
            if self.is_there:
                self._begin_anew()
                yield None
        except OSError as error:
            raise JournalError(f"the journal {self.path} could not be read: {error.strerror or error}.") from error

    def _read(self, file: BinaryIO, most: int) -> Iterator[Struct | None]:
        about = os.fstat(file.fileno())
        identity = (about.st_dev, about.st_ino)
        if self.is_there and not (identity == self._identity and self._is_as_before(file)):
            self._begin_anew()
            yield None
        self.is_there, self._identity = True, identity
        self.size, self.modified = about.st_size, about.st_mtime
        self.is_behind = False
        file.seek(self.position)
        until = self.position + most
        while (line := _next(file, self.path)) is not None:
            head = HEAD.match(line.head)
            if head is None or not line.is_whole or int(head[1]) != self.n_records:
                self._suspect(file, line)
                return
            record = self._record(line, head[2].decode())
            self.n_records += 1
            self.position += line.length
            self._end = line.closing[-TAIL:]
            if record is not None:
                yield record
            if self.position >= until:
                self.is_behind = self.position < about.st_size
                return

    def _is_as_before(self, file: BinaryIO) -> bool:
        """Tell whether what was read is still there, by its last bytes."""
        file.seek(self.position - len(self._end))
        return file.read(len(self._end)) == self._end

    def _suspect(self, file: BinaryIO, line: _Line) -> None:
        """Raise if a line is damaged, which only a second look makes certain: it may be new right now."""
        if not file.read(1):  # the last line may be damaged, as by a machine that failed: a resume would drop it
            return
        if self._bad_at == self.position:
            raise JournalError(
                f"line {self.n_records + 1} of the journal {self.path} must be as it was written, got damage."
            )
        self._bad_at, self.is_behind = self.position, True

    def _record(self, line: _Line, kind: str) -> Struct | None:
        """Read a record up to its values, which say nothing to people; None if it is of an unknown kind."""
        number = self.n_records + 1
        cut = line.head.find(_PACKED) if kind in ("step", "values") else -1
        if cut < 0 and len(line.head) < line.length:
            raise JournalError(
                f"line {number} of the journal {self.path} must be a record that can be shown, "
                f"got another of {line.length:,} bytes."
            )
        text = line.head if cut < 0 else line.head[:cut] + b"}"
        if number == 1:
            return read_header(text, self.path)
        known = RECORDS.get(kind)
        return None if known is None else typed_record(parsed(text, number, self.path), known, self.path)


def _next(file: BinaryIO, path: Path) -> _Line | None:
    """Read a line piece by piece; None if it has no end yet."""
    head = piece = file.readline(_KEPT)
    checksum, length, rest = 0, 0, b""
    while piece:
        length += len(piece)
        rest += piece
        if piece.endswith(b"\n"):
            checksum = crc32(rest[:-TAIL], checksum)
            is_whole = length > TAIL and rest[-TAIL:] == b',"crc":"%08x"}\n' % checksum
            return _Line(head, rest[-TAIL:], length, is_whole)
        if length >= LONGEST:
            raise JournalError(f"a line of the journal {path} must have fewer than {LONGEST:,} bytes, got more.")
        checksum, rest = crc32(rest[:-TAIL], checksum), rest[-TAIL:]
        piece = file.readline(_KEPT)
    return None
