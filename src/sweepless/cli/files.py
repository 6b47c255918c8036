"""Files that a command writes."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from sweepless.errors import InputError


def require_writable(path: Path) -> None:
    """Say before the work, not after it, that its result could not be kept."""
    if path.is_dir():
        raise InputError(f"an output must be a file, got the directory {path}.")
    if not path.absolute().parent.is_dir():
        raise InputError(f"an output must lie in an existing directory, got {path}.")


def write_whole(path: Path, text: str) -> None:
    """Write all of it or nothing."""
    handle, temporary = tempfile.mkstemp(dir=path.absolute().parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
