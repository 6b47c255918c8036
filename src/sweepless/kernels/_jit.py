"""The one place that knows how kernels are compiled."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeVar, cast

import numba
from numba.core import types
from numba.extending import intrinsic

from sweepless.kernels._cache import KernelCache

_Function = TypeVar("_Function", bound=Callable[..., Any])


def kernel(function: _Function) -> _Function:
    """Compile on first use, keep the machine code on disk, and run without the GIL.

    No fastmath: reassociated or contracted sums would change values, and values decide trajectories.
    """
    compiled: Any = numba.njit(nogil=True, no_cfunc_wrapper=True, error_model="numpy")(function)
    if not numba.config.DISABLE_JIT:
        compiled._cache = KernelCache(function)
    return cast(_Function, compiled)


def inner(function: _Function) -> _Function:
    """Compile into the kernels that call it, without an entry point from Python, which would take time to compile."""
    compiled: _Function = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy")(function)
    return compiled


index = numba.uint64  # an unsigned loop index needs no wrap-around test, which would block vectorization
integer = numba.int64  # for a literal 0 as an argument the callee would be compiled once more


def _compiled_fma(context: Any, a: Any, b: Any, c: Any) -> Any:
    def generate(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), generate


def _plain_fma(a: float, b: float, c: float) -> float:
    return float(Fraction(a) * Fraction(b) + Fraction(c))


# a * b + c, rounded once: the same number on every machine. It is one instruction where the processor has it and a slow
# call to the C library where it does not. An intrinsic exists only for the compiler.
fma: Any = _plain_fma if numba.config.DISABLE_JIT else intrinsic(_compiled_fma)
