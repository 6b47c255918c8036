"""The one place that knows how kernels are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

_Function = TypeVar("_Function", bound=Callable[..., Any])


def kernel(function: _Function) -> _Function:
    """Compile on first use, keep the machine code on disk, and run without the GIL.

    No fastmath: reassociated or contracted sums would change values, and values decide trajectories.
    """
    compiled: _Function = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    return compiled


index = numba.uint64  # an unsigned loop index spares the wrap-around test that blocks vectorisation
