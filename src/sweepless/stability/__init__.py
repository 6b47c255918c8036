"""How much the subsets of repeated selections agree."""

from sweepless._lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__)
