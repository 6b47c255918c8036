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

    Arrays are only borrowed: whoever calls holds them, so references to them are not counted. Counting would take as
    long as the work of a short loop. What makes an array, returns one or calls a maker is a maker itself.
    """
    return _kept(numba.njit(nogil=True, no_cfunc_wrapper=True, _nrt=False, error_model="numpy")(function), function)


def maker(function: _Function) -> _Function:
    """Compile a kernel that makes arrays, so that references are counted."""
    return _kept(numba.njit(nogil=True, no_cfunc_wrapper=True, error_model="numpy")(function), function)


def inner(function: _Function) -> _Function:
    """Compile into the kernels that call it, without an entry point from Python, which would take time to compile."""
    return _inner(_nrt=False)(function)


def inlined(function: _Function) -> _Function:
    """Compile a short one into the very code of its callers: a call passes a named tuple number by number."""
    return _inner(_nrt=False, forceinline=True)(function)


def inner_maker(function: _Function) -> _Function:
    """Compile the same for what makes arrays."""
    return _inner()(function)


def _kept(compiled: Any, function: _Function) -> _Function:
    if not numba.config.DISABLE_JIT:
        compiled._cache = KernelCache(function)
    return cast(_Function, compiled)


def _inner(**options: bool) -> Callable[[_Function], _Function]:
    return cast(
        Callable[[_Function], _Function],
        numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy", **options),
    )


def _widest(_: Any) -> Any:
    def generate(context: Any, builder: Any, __: Any, ___: Any) -> Any:
        set.add(builder.function.attributes, '"prefer-vector-width"="512"')  # a pair, which `add` does not know
        return context.get_dummy_value()

    return types.void(), generate


# Has the loops of the function that calls it made of the widest vectors there are. Otherwise the compiler takes half of
# them, since older processors slow down by the widest; that does not pay where much is computed with few numbers.
in_wide_vectors: Any = (lambda: None) if numba.config.DISABLE_JIT else intrinsic(_widest)


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
