"""Selectors for scikit-learn."""

from sweepless._lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__)
