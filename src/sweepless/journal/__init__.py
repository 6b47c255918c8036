"""A crash-safe record of one run, and its exact continuation."""

from sweepless._lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__)
