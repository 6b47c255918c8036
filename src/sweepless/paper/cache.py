"""Arrays that took a while to make, kept in the user's cache and made again if the cache is lost or damaged."""

from __future__ import annotations

import hashlib
import io
import logging
import os
import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

import numpy as np

from sweepless._typing import AnyArray
from sweepless._writing import write_whole
from sweepless.data.files import reason
from sweepless.errors import CacheWarning

_Built = TypeVar("_Built")
_log = logging.getLogger(__name__)


def cache_dir() -> Path:
    """Return this package's directory in the user's cache."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path("~/.cache").expanduser()) / "sweepless"


def key_of(files: Iterable[Path], *settings: object) -> str:
    """Return a name for what is made of some files under some settings."""
    digest = hashlib.sha256(repr(settings).encode())
    for file in files:
        with file.open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()[:32]


def cached(
    name: str, make: Callable[[], Mapping[str, AnyArray]], build: Callable[[Mapping[str, AnyArray]], _Built]
) -> _Built:
    """Build something from cached arrays; if there are none, or they are damaged, make them and try to keep them."""
    path = cache_dir() / f"{name}.npz"
    if path.is_file():
        try:
            with np.load(path, allow_pickle=False) as archive:
                return build({member: archive[member] for member in archive.files})
        except Exception as error:  # whatever NumPy, zipfile, zlib and the builder make of broken bytes
            warnings.warn(
                f"{path} must be as it was written, got: {reason(error)}; it is made again.", CacheWarning, stacklevel=2
            )
    arrays = make()
    try:
        _write(path, arrays)
    except OSError as error:  # a cache is a convenience
        _log.info("not kept in %s: %s", path, error)
    return build(arrays)


def _write(path: Path, arrays: Mapping[str, AnyArray]) -> None:
    """Write an archive that is there as a whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    archive = io.BytesIO()
    np.savez_compressed(archive, **dict(arrays))  # type: ignore[arg-type]
    write_whole(path, archive.getvalue(), is_forced=True)
