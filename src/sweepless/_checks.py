"""Checks of arguments that come from users."""

from __future__ import annotations

import numpy as np

from sweepless._nearest import or_nearest
from sweepless.errors import InputError


def whole(name: str, value: object, least: int, most: int | None = None) -> int:
    """Return the value as an integer, or raise if it is not an integer or out of range."""
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_))
    if not is_whole or value < least or (most is not None and value > most):  # type: ignore[operator]
        allowed = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise InputError(f"`{name}` must be an integer {allowed}, got {value!r}.")
    return int(value)  # type: ignore[call-overload, no-any-return]


def one_of(name: str, value: object, allowed: tuple[str, ...]) -> None:
    """Raise if the value is not one of the allowed words."""
    if value not in allowed:
        raise InputError(f"`{name}` must be one of {', '.join(allowed)}, got {value!r}{or_nearest(value, allowed)}")


def positive(name: str, value: object) -> None:
    """Raise unless the value is a positive number that is small enough for products not to overflow."""
    if not _is_number(value) or not 0.0 < value <= 1e100:  # type: ignore[operator]
        raise InputError(f"`{name}` must be a positive number of at most 1e100, got {value!r}.")


def not_negative(name: str, value: object) -> None:
    """Raise unless the value is a finite number of at least 0."""
    if not _is_number(value) or not 0.0 <= value < np.inf:  # type: ignore[operator]
        raise InputError(f"`{name}` must be a finite number of at least 0, got {value!r}.")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
