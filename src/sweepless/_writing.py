"""Write complete files or nothing, and check beforehand that this will be possible."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from sweepless.errors import InputError

_LONGEST = 200  # bytes of a name that are kept in the name of its temporary file
_TRIED = b"\0" * 4096  # a full disk may have room for an empty file
_BINARY = getattr(os, "O_BINARY", 0)  # Windows only


def write_whole(path: str | os.PathLike[str], content: str | bytes, *, is_forced: bool = False) -> None:
    """Write a file completely or not at all.

    A regular file, also behind a symbolic link, is replaced by one with the same permissions; a new file gets the
    permissions of the umask. Anything else, such as a device or a FIFO, is written to directly.

    Parameters
    ----------
    path : path
    content : str or bytes
        Text is written as UTF-8 with its own line ends; characters that UTF-8 cannot encode are escaped.
    is_forced : bool
        Whether to force the content to the disk before the file appears.

    Raises
    ------
    OSError
        If the file cannot be written; a regular file then stays unchanged.
    """
    path = Path(path)
    content = content.encode(errors="backslashreplace") if isinstance(content, str) else content
    mode = _mode(path)
    if mode is not None and not stat.S_ISREG(mode):
        file = os.open(path, os.O_WRONLY | _BINARY)
        try:
            _write(file, content)
        finally:
            os.close(file)
        return
    path = Path(os.path.realpath(path))
    temporary = _written_beside(path, content, is_forced)
    try:
        if mode is not None:
            temporary.chmod(stat.S_IMODE(mode))
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def require_writable(path: str | os.PathLike[str]) -> None:
    """Raise InputError unless a file can be written, which is tried out."""
    path = Path(path)
    try:
        mode = _mode(path)
        if mode is not None and stat.S_ISDIR(mode):
            raise InputError(f"an output must be a file, got the directory {path}.")
        if mode is not None and not os.access(path, os.W_OK):
            raise InputError(f"an output must be a file that you may write to, got {path}.")
        if mode is not None and not stat.S_ISREG(mode):
            return
        target = Path(os.path.realpath(path))
        if not target.parent.is_dir():
            raise InputError(f"an output must lie in an existing directory, got {path}.")
        _written_beside(target, _TRIED).unlink()
    except (OSError, ValueError) as error:
        raise _unwritable("an output must be a file that can be written", path, error) from None


def require_writable_directory(path: str | os.PathLike[str]) -> None:
    """Raise InputError unless files can be written to a directory, which need not exist yet."""
    path = Path(path)
    try:
        _mode(path)  # raises if a name is too long
        present = path.absolute()
        while not os.path.lexists(present):
            present = present.parent
        if not present.is_dir():
            raise InputError(f"an output directory must be a directory, got {path}, but {present} is not one.")
        _written_beside(present / "tried", _TRIED).unlink()
    except (OSError, ValueError) as error:
        raise _unwritable("an output directory must be one that can be written to", path, error) from None


def _mode(path: Path) -> int | None:
    """Return the type and the permissions of a file, or None if it does not exist."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _written_beside(path: Path, content: bytes, is_forced: bool = False) -> Path:
    """Write a temporary file beside its final place; remove it if that fails."""
    kept = os.fsencode(path.name)[:_LONGEST].decode(errors="ignore")
    temporary = path.with_name(f".{kept}.{token_hex(4)}.tmp")
    # `tempfile` would make the file unreadable for others; here the umask decides.
    file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)
    try:
        try:
            _write(file, content)
            if is_forced:
                os.fsync(file)
        finally:
            os.close(file)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    return temporary


def _write(file: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(file, rest) :]


def _unwritable(allowed: str, path: Path, error: Exception) -> InputError:
    if isinstance(error, InputError):
        return error
    return InputError(f"{allowed}, got {path}: {getattr(error, 'strerror', None) or error}.")
