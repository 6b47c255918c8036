"""Many runs: a spec becomes cells, cells become rows in a run directory, resumably and on any joblib backend."""

from sweepless._lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__)
