"""What a selection is worth on data, seeds and labels that the search never saw."""

from sweepless._lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__)
