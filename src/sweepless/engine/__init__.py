"""The two engines, portable and reference: every random draw, and the order in which statistics are summed."""

from sweepless._lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__)
