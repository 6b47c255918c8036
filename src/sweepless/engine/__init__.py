"""Every random draw, and the order in which sums are folded: portable or reference, chosen once."""

from sweepless._lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__)
