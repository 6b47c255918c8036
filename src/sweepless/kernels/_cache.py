"""The machine code of kernels on disk: numba's own cache, but safe when kernels change and quick to start from."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache
from numba.core.runtime import rtsys


class KernelCache(FunctionCache):  # type: ignore[misc]  # numba has no types
    """numba's cache of one kernel, with two differences.

    - Its code is valid as long as no kernel's source changes. numba looks at the file of the kernel alone, so after an
      upgrade that changes only what a kernel calls, old machine code would go on answering.
    - What is on disk is loaded without numba's tables of everything that it can compile. Filling them takes longer than
      loading all kernels of a search; compilation fills them itself.
    """

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self._cache_file._source_stamp = (self._cache_file._source_stamp, _sources())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the machine code for this signature, or None if there is none on disk."""
        rtsys.initialize(target_context)  # what counts references to arrays
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


@cache
def _sources() -> str:
    """Return a digest of the sources of all kernels."""
    files = sorted(Path(__file__).parent.rglob("*.py"))
    return sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()
