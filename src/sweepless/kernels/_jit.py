"""The one place that knows how kernels are compiled."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeVar

import numba
from numba.core import types
from numba.extending import intrinsic

_Function = TypeVar("_Function", bound=Callable[..., Any])


def kernel(function: _Function) -> _Function:
    """Compile on first use, keep the machine code on disk, and run without the GIL.

    No fastmath: reassociated or contracted sums would change values, and values decide trajectories.
    """
    compiled: _Function = numba.njit(cache=True, nogil=True, no_cfunc_wrapper=True, error_model="numpy")(function)
    return compiled


def inner(function: _Function) -> _Function:
    """Compile into the kernels that call it, and nothing else: an entrance of its own, from Python, takes time."""
    compiled: _Function = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy")(function)
    return compiled


index = numba.uint64  # an unsigned loop index spares the wrap-around test that blocks vectorisation
integer = numba.int64  # a literal 0 as an argument would have the callee compiled once more, for that very number


def _compiled_fma(context: Any, a: Any, b: Any, c: Any) -> Any:
    def generate(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), generate


def _plain_fma(a: float, b: float, c: float) -> float:
    return float(Fraction(a) * Fraction(b) + Fraction(c))


# a * b + c, rounded once: asked for by name, it is the same number on every machine. One instruction where the
# processor has it, a slow call to the C library where it has not. An intrinsic exists for the compiler only.
fma: Any = _plain_fma if numba.config.DISABLE_JIT else intrinsic(_compiled_fma)
