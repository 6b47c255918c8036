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
        if file.is_file() and file.stat().st_size == 0:
            raise DataError(f"{file} must hold data, got an empty file.")
        if not os.access(file, os.R_OK):
            raise DataError(f"{file} must be a readable file, got: Permission denied.")
    except (OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{file} must be a readable file, got: {_reason(error)}.") from error
    return file


def read_bytes(path: PathLike, at_most: int | None = None) -> bytes:
    """Read a whole file, unpacked if it is gzipped, whatever its name says; refuse more bytes than `at_most`."""
    file = existing_file(path)
    most = -1 if at_most is None else at_most + 1
    try:
        with file.open("rb") as stream:
            content = stream.read(most)
    except (OSError, MemoryError) as error:
        raise DataError(f"{file} must be a readable file, got: {_reason(error)}.") from error
    if content.startswith(_GZIP_MAGIC) or file.suffix.lower() == ".gz":
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(content)) as packed:
                content = packed.read(most)
        except (OSError, EOFError, zlib.error, MemoryError) as error:
            raise DataError(f"{file} must be a complete gzip file, got: {_reason(error)}.") from error
        if not content:
            raise DataError(f"{file} must hold data, got an empty file.")
    if at_most is not None and len(content) > at_most:
        raise DataError(f"{file} must hold at most {at_most} bytes, got more.")
    return content


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
    if not text.strip():
        raise DataError(f"{path} must hold data, got an empty file.")
    return text.replace("\r\n", "\n").replace("\r", "\n")


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


def _reason(error: BaseException) -> str:
    """Say in a few words why a file could not be read."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return str(text).splitlines()[0].rstrip(".")
