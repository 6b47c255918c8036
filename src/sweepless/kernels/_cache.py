"""The machine code of kernels on disk: numba's own cache, but safe when kernels change and quick to start from."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.runtime import rtsys

from sweepless.kernels._processor import level_of_host

SHIPPED = Path(__file__).parent / "compiled"  # a folder per level of processors, if the wheel has any


class KernelCache(FunctionCache):  # type: ignore[misc]  # numba has no types
    """numba's cache of one kernel, with three differences.

    - Its code is valid as long as no kernel's source changes. numba looks at the file of the kernel alone, so after an
      upgrade that changes only what a kernel calls, old machine code would go on answering.
    - What is on disk is loaded without numba's tables of everything that it can compile. Filling them takes longer than
      loading all kernels of a search; compilation fills them itself.
    - A wheel may bring code for a level of processors (see `packaging/compiled_wheel.py`). It is used where the same
      numba and the same Python made it; anything else is compiled, and kept where numba keeps it.
    """

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self._cache_file._source_stamp = _sources()
        self._shipped: Any = None
        if (folder := _shipped()) is not None:
            home = Path(function.__code__.co_filename).parent.name
            self._shipped = IndexDataCacheFile(str(folder / home), self._impl.filename_base, _sources())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the machine code for this signature, or None if there is none on disk."""
        rtsys.initialize(target_context)  # what counts references to arrays
        with self._guard_against_spurious_io_errors():
            return self._load_shipped(sig, target_context) or self._load_overload(sig, target_context)

    def _load_shipped(self, sig: Any, target_context: Any) -> Any:
        if self._shipped is None:
            return None
        # numba's key also names the processor, which is one of the level here, and its features, which are more.
        called, _, code = self._index_key(sig, target_context.codegen())
        for key, name in self._shipped._load_index().items():
            if (key[0], key[2]) == (called, code):
                return self._impl.rebuild(target_context, self._shipped._load_data(name))
        return None


def n_shipped() -> int:
    """Return how many kernels came compiled for this processor, this Python and this numba."""
    files = [] if (folder := _shipped()) is None else folder.rglob("*.nbi")
    made = (IndexDataCacheFile(str(file.parent), file.stem, _sources()) for file in files)
    return sum(bool(each._load_index()) for each in made)


@cache
def _shipped() -> Path | None:
    """Return the folder of what came for this processor, if there is one."""
    level = level_of_host()
    return None if level is None or not (SHIPPED / level).is_dir() else SHIPPED / level


@cache
def _sources() -> str:
    """Return a digest of the sources of all kernels."""
    files = sorted(Path(__file__).parent.rglob("*.py"))
    return sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()
