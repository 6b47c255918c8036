"""Bytes and text out of files, plain or gzipped, with one sentence for everything that can go wrong."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

from sweepless.dataset import Dataset
from sweepless.errors import DataError

PathLike: TypeAlias = str | os.PathLike[str]

MAX_FEATURES = 100_000_000
"""More columns than any file can mean: a sparse file of a few bytes may declare any number of them."""

_FREE_FEATURES = 1 << 24  # columns that are believed without a look at the entries
_FREE_BYTES = 1 << 30  # what any packed file may unpack to
_DENSEST = 200  # times its own size that a larger one may
_NO_LIMIT = 1 << 62
_CHUNK = 1 << 20

_GZIP_MAGIC = b"\x1f\x8b"


def split_name(path: Path) -> tuple[str, str]:
    """Return the bare name and the lower-case extension, both without a trailing `.gz`."""
    inner = Path(path.stem) if path.suffix.lower() == ".gz" else Path(path.name)
    return inner.stem, inner.suffix.lower()


def existing_file(path: PathLike) -> Path:
    """Return the path of a file that is there, is not a directory and is not empty."""
    file = Path(path).expanduser()
    try:
        if file.is_dir():
            raise DataError(f"{file} must be a file, got a directory.")
        if not file.exists():
            raise DataError(f"{file} must be an existing file, got a path that does not exist.")
        if not file.is_file():  # a FIFO would keep its reader waiting
            raise DataError(f"{file} must be a regular file, got something else.")
        if file.stat().st_size == 0:
            raise DataError(f"{file} must hold data, got an empty file.")
        if not os.access(file, os.R_OK):
            raise DataError(f"{file} must be a readable file, got: Permission denied.")
    except (OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{file} must be a readable file, got: {reason(error)}.") from error
    return file


def read_bytes(path: PathLike, at_most: int | None = None) -> bytes:
    """Read a whole file, unpacked if it is gzipped, whatever its name says; refuse more bytes than `at_most`."""
    file = existing_file(path)
    most = -1 if at_most is None else at_most + 1
    try:
        with file.open("rb") as stream:
            content = stream.read(most)
    except (OSError, MemoryError) as error:
        raise DataError(f"{file} must be a readable file, got: {reason(error)}.") from error
    if content.startswith(_GZIP_MAGIC) or file.suffix.lower() == ".gz":
        try:
            content = _unpacked(file, content, at_most)
        except (OSError, EOFError, zlib.error, MemoryError) as error:
            raise DataError(f"{file} must be a complete gzip file, got: {reason(error)}.") from error
        if not content:
            raise DataError(f"{file} must hold data, got an empty file.")
    if at_most is not None and len(content) > at_most:
        raise DataError(f"{file} must hold at most {at_most} bytes, got more.")
    return content


def _unpacked(file: Path, content: bytes, at_most: int | None) -> bytes:
    """Unpack gzip, but not what would fill the memory."""
    most, unpacked = min(most_bytes(len(content)), at_most or _NO_LIMIT), io.BytesIO()
    with gzip.GzipFile(fileobj=io.BytesIO(content)) as packed:
        while chunk := packed.read(_CHUNK):
            if unpacked.tell() + len(chunk) > most:
                raise DataError(f"{file} must hold at most {most} bytes, got more.")
            unpacked.write(chunk)
    return unpacked.getvalue()


def most_bytes(packed_size: int) -> int:
    """Return what a packed file may unpack to: more is a bomb, not data."""
    return max(_FREE_BYTES, _DENSEST * packed_size)


def check_width(path: PathLike, n_features: int, n_entries: int) -> None:
    """Refuse more columns than a sparse file of so many entries can mean: each would take memory."""
    most = min(MAX_FEATURES, max(_FREE_FEATURES, 100 * n_entries))
    if n_features > most:
        raise DataError(f"{path} must have at most {most} features with its {n_entries} entries, got {n_features}.")


def read_text(path: PathLike) -> str:
    """Read a whole UTF-8 text, without its byte order mark and with `\\n` at every line end."""
    content = read_bytes(path)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(f"{path}, line {line}: the file must be UTF-8 text, got other bytes.") from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise DataError(f"{path}, line {line}: the file must be UTF-8 text, got binary content.")
    if not text or text.isspace():
        raise DataError(f"{path} must hold data, got an empty file.")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def build_dataset(
    path: PathLike,
    X: Any,
    y: Any,
    *,
    feature_names: Sequence[str] | None = None,
    classes: Sequence[Any] | None = None,
) -> Dataset:
    """Make the data set that a file holds, named after the file, and say which file if that fails."""
    name, _ = split_name(Path(path))
    try:
        dataset = Dataset(X, y, feature_names=feature_names, classes=classes, name=name)
        if classes is not None:
            dataset.codes  # noqa: B018  # declared classes are checked here, not at their first use
    except DataError as error:
        raise DataError(f"{path}: {error}") from error
    return dataset


def reason(error: BaseException) -> str:
    """Say in a few words what another library found wrong."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return str(text).splitlines()[0].rstrip(".")
