"""What displays have in common: what they read off a selector, and rows that are named by features."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from numpy.typing import NDArray

from sweepless.errors import InputError
from sweepless.reports.style import INK, MUTED


def learned(selector: Any, attribute: str) -> Any:
    """Return an attribute that fitting sets, or raise if there is none."""
    value = getattr(selector, attribute, None)
    if value is None:
        raise InputError(f"`selector` must be fitted and have learned `{attribute}`, got {selector!r} without it.")
    return value


def value_name(selector: Any) -> str:
    """Return what users call the value that was maximized."""
    scoring = getattr(selector, "scoring", None)
    return scoring.replace("_", " ") if isinstance(scoring, str) else "value"


def shortened(name: str, length: int = 32) -> str:
    """Return a name that leaves room for the picture."""
    return name if len(name) <= length else f"{name[: length - 1]}…"


def name_rows(ax: Any, rows: NDArray[Any], names: Sequence[str], selected: Iterable[bool]) -> None:
    """Write the name of a feature beside every row, the first row at the top, selected features darker."""
    ax.set_yticks(rows, [shortened(name) for name in names])
    for tick, is_selected in zip(ax.get_yticklabels(), selected, strict=True):
        tick.set_color(INK if is_selected else MUTED)
    ax.set_ylim((rows[-1] if len(rows) else 0.0) + 0.6, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", alpha=0.25)
