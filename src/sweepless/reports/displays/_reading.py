"""What displays read off a fitted selector."""

from __future__ import annotations

from typing import Any

from sweepless.errors import InputError


def learned(selector: Any, attribute: str) -> Any:
    """Return an attribute that fitting sets, or raise if there is none."""
    value = getattr(selector, attribute, None)
    if value is None:
        raise InputError(f"`selector` must be fitted and have learned `{attribute}`, got {selector!r} without it.")
    return value


def value_name(selector: Any) -> str:
    """Return what users call the value that was maximised."""
    scoring = getattr(selector, "scoring", None)
    return scoring.replace("_", " ") if isinstance(scoring, str) else "value"
