"""The searches: operators find steps, schedules take them, and methods combine the two under a name."""

from sweepless._lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__)
