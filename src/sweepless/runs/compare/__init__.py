"""Methods and scikit-learn's own selectors side by side on one's own data, at matched evaluations."""

from sweepless._lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__)
