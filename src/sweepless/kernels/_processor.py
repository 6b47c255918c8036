"""Which processor kernels are compiled for."""

from __future__ import annotations

from functools import cache

import numba
from llvmlite.binding import get_host_cpu_features

# What every processor of a level has, the highest first. Kernels that come with the package are made for levels.
_THIRD = {"avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"}
_FOURTH = _THIRD | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
LEVELS = {"x86-64-v4": _FOURTH, "x86-64-v3": _THIRD}


@cache
def level_of_host() -> str | None:
    """Return the highest level that this processor reaches, or None if it reaches none or code is made for another."""
    if numba.config.CPU_NAME or numba.config.CPU_FEATURES is not None:
        return None
    return next((level for level, needed in LEVELS.items() if needed <= _host_features()), None)


@cache
def has_wide_registers() -> bool:
    """Tell whether code is compiled for 32 registers of 512 bits."""
    if numba.config.CPU_FEATURES is None:  # then it is made for all features of this processor, whatever its name
        return _host_features() >= _FOURTH
    return numba.config.CPU_NAME == "x86-64-v4" or "+avx512f" in numba.config.CPU_FEATURES


@cache
def _host_features() -> frozenset[str]:
    try:
        return frozenset(name for name, is_there in get_host_cpu_features().items() if is_there)
    except RuntimeError:  # no such list for this processor
        return frozenset()
