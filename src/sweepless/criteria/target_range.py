"""Targets whose squared errors doubles can hold, with room for predictions that miss by far."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Values
from sweepless.errors import DataError

LARGEST_TARGET = 1e140
"""Squares then leave a factor of 1e28 for whatever is predicted."""
_SMALLEST_RANGE = 1e-140


def has_squares(target: Values) -> bool:
    """Tell whether squared differences of the values neither overflow nor vanish."""
    low, high = float(target.min()), float(target.max())
    return max(-low, high) <= LARGEST_TARGET and (low == high or high - low >= _SMALLEST_RANGE)


def require_squares(target: Values, name: str) -> Values:
    """Return the target, or raise: errors that overflow would make every subset worth minus infinity."""
    if not has_squares(target):
        raise DataError(
            f"the target of {name} must be at most {LARGEST_TARGET:g} and vary by at least {_SMALLEST_RANGE:g}, so "
            f"that doubles hold squared errors, got values from {np.min(target):.3g} to {np.max(target):.3g}; scale it."
        )
    return target
