"""The versions of the packages that a result was made with."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import version

from sweepless._version import __version__

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "joblib")


@cache  # reading metadata takes tens of milliseconds
def versions() -> dict[str, str]:
    """Return the versions of this package, of Python, and of the packages on which values may depend."""
    return {"sweepless": __version__, "python": platform.python_version()} | {name: version(name) for name in _PACKAGES}
