"""Turn the rows of finished runs into tables, charts and pages; nothing here runs, fits or searches."""

from sweepless._lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__)
