"""The file: JSON Lines, each record numbered and closed by a checksum of its own text.

    {"n":12,"kind":"step", … ,"crc":"9ae3f1b2"}

A line without its newline, or with another checksum, was cut short or damaged; a number out of turn tells that lines
were lost. The file can be read by any tool that reads JSON Lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO
from zlib import crc32

from sweepless.errors import JournalError
from sweepless.schema.journal import FORMAT, JournalHeader, Resumed, RunLimits
from sweepless.schema.typed import Typed, typed

Record = dict[str, Any]

_TOGETHER = 128  # lines to parse at once
LONGEST = 1 << 30  # bytes of a line that somebody could have meant
_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False)
TAIL = len(b',"crc":"00000000"}\n')
HEAD = re.compile(rb'\{"n":(\d{1,15}),"kind":"([a-z]{1,20})"[,}]')


def as_line(number: int, kind: str, fields: Record) -> bytes:
    """Write one record."""
    inner = _ENCODER.encode(fields)[1:-1]
    text = f'{{"n":{number},"kind":"{kind}"{"," if inner else ""}{inner}'.encode()
    return text + b',"crc":"%08x"}\n' % crc32(text)


def is_whole(line: bytes) -> bool:
    """Tell whether the line is as it was written."""
    text = line[:-TAIL]
    return len(line) > TAIL and line[-TAIL:] == b',"crc":"%08x"}\n' % crc32(text)


@dataclass
class Scan:
    """What a first reading finds in a journal.

    Attributes
    ----------
    header : JournalHeader
    limits : RunLimits
        Those that the run had last.
    n_records : int
        Whole records.
    end, size : int
        Bytes that they take, and that the file has; what is between was cut short.
    reason : str or None
        How the run ended, if the last record says so.
    """

    header: JournalHeader
    limits: RunLimits
    n_records: int
    end: int
    size: int
    reason: str | None

    @property
    def is_torn(self) -> bool:
        return self.end < self.size


def scan(path: Path) -> Scan:
    """Check every line of a journal; raise for damage anywhere but at the very end."""
    header: JournalHeader | None = None
    limits = RunLimits()
    number, end, size, bad, line_before = 0, 0, 0, False, b""
    try:
        if path.exists() and not path.is_file():  # a FIFO would keep its reader waiting
            raise JournalError(f"a journal must be a regular file, got {path}, which is something else.")
        with path.open("rb") as file:
            for line in _lines(file, path):
                if bad:
                    raise JournalError(
                        f"line {number + 1} of the journal {path} must be as it was written, got damage."
                    )
                size += len(line)
                head = HEAD.match(line)
                bad = head is None or not is_whole(line)
                if bad:
                    continue
                assert head is not None  # nosec B101 # only tells the type
                if int(head[1]) != number:
                    raise JournalError(
                        f"line {number + 1} of the journal {path} must be record {number}, got record {int(head[1])}."
                    )
                if header is None:
                    header = read_header(line, path)
                    limits = header.limits
                if head[2] == b"resumed":
                    limits = typed_record(parsed(line, number + 1, path), Resumed, path).limits
                number, end, line_before = number + 1, end + len(line), line
    except OSError as error:
        raise JournalError(f"the journal {path} could not be read: {error.strerror or error}.") from error
    if header is None:
        raise JournalError(f"the journal {path} must begin with a whole header, got {'damage' if bad else 'nothing'}.")
    reason = parsed(line_before, number, path).get("reason")
    return Scan(header, limits, number, end, size, reason)


def records(path: Path, found: Scan) -> Iterator[Record]:
    """Read the whole records after the header again."""
    with path.open("rb") as file:
        lines = islice(_lines(file, path), 1, found.n_records)
        number = 1
        while some := list(islice(lines, _TOGETHER)):
            yield from _parsed_together(some, number, path)
            number += len(some)


def _parsed_together(lines: list[bytes], first: int, path: Path) -> list[Record]:
    """Parse some lines, numbered from `first` on, at once: several times as fast as one by one."""
    try:
        together = json.loads(b"[%b]" % b",".join(lines))
        if [record["n"] for record in together] == list(range(first, first + len(lines))):
            return together  # type: ignore[no-any-return]
    except (ValueError, RecursionError, LookupError, TypeError):
        pass
    return [parsed(line, number, path) for number, line in enumerate(lines, first + 1)]  # which tells what is wrong


def parsed(line: bytes, number: int, path: Path) -> Record:
    try:
        record = json.loads(line.decode())
    except (ValueError, RecursionError) as error:
        raise JournalError(f"line {number} of the journal {path} must be a JSON object, got: {error}.") from None
    if not isinstance(record, dict):
        raise JournalError(f"line {number} of the journal {path} must be a JSON object, got {type(record).__name__}.")
    if record.get("n") != number - 1 or not isinstance(record.get("kind"), str):  # given twice, the last one counts
        raise JournalError(f"line {number} of the journal {path} must say once what it is, got {str(record)[:60]!r}.")
    return record


def read_header(line: bytes, path: Path) -> JournalHeader:
    """Read the first record; another version may have written it in another form."""
    record = parsed(line, 1, path)
    if record["kind"] != "header" or not isinstance(record.get("format"), int):
        raise JournalError(f"line 1 of the journal {path} must be its header, got a {record['kind']}.")
    if record["format"] != FORMAT:
        raise JournalError(
            f"the journal {path} must have format {FORMAT}, got {record['format']}: "
            "another version of sweepless wrote it."
        )
    return typed_record(record, JournalHeader, path)


def typed_record(record: Record, kind: type[Typed], path: Path) -> Typed:
    """Convert a record to its type."""
    return typed(record, kind, f"line {record['n'] + 1} of the journal {path}", JournalError)


def _lines(file: BinaryIO, path: Path) -> Iterator[bytes]:
    while line := file.readline(LONGEST):
        if len(line) == LONGEST:
            raise JournalError(f"a line of the journal {path} must have fewer than {LONGEST:,} bytes, got more.")
        yield line
