"""Checks of arguments that come from users."""

from __future__ import annotations

import numpy as np

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
        raise InputError(f"`{name}` must be one of {', '.join(allowed)}, got {value!r}.")
