"""The searches: operators find steps, schedules take them, methods are names for both."""

from sweepless._lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__)
