"""A run as a block of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sweepless.reports.live.words import facts, heading

_BARS = " ▁▂▃▄▅▆▇█"
_HEIGHT = 8  # lines
_WIDEST = 100


def block(state: Mapping[str, Any], width: int) -> list[str]:
    """Tell all there is to know in lines."""
    lines = [heading(state), ""]
    if state["curve"]:
        lines += [*text_curve(state["curve"], min(width, _WIDEST)), ""]
    return lines + [f"{name:<12} {fact}" for name, fact in facts(state)]


def text_curve(points: Sequence[tuple[int, float]], width: int, height: int = _HEIGHT) -> list[str]:
    """Draw values over sizes as bars of text, with the axes; a column of many sizes shows the best of them."""
    low, high = min(value for _, value in points), max(value for _, value in points)
    margin = max(len(_value(low)), len(_value(high)))
    columns = _columns(points, max(1, width - margin - 3))
    span = (high - low) or 1.0
    eighths = [None if value is None else 1 + round((value - low) / span * (8 * height - 1)) for value in columns]
    lines = []
    for row in reversed(range(height)):
        label = _value(high) if row == height - 1 else _value(low) if row == 0 else ""
        bars = "".join(" " if level is None else _BARS[min(8, max(0, level - 8 * row))] for level in eighths)
        lines.append(f"{label:>{margin}} │{bars}".rstrip())
    first, last = f"{points[0][0]:,}", f"{points[-1][0]:,} features"
    gap = max(1, len(columns) - len(first) - len(last))
    return [*lines, " " * (margin + 2) + first + (" " * gap + last if len(points) > 1 else " features")]


def _columns(points: Sequence[tuple[int, float]], width: int) -> list[float | None]:
    """Spread the sizes over the columns, several columns for each if there is room."""
    smallest, largest = points[0][0], points[-1][0]
    n_sizes = largest - smallest + 1
    each = max(1, min(4, width // n_sizes))
    n_columns = min(width, n_sizes * each)
    columns: list[float | None] = [None] * n_columns
    for size, value in points:
        first = (size - smallest) * n_columns // n_sizes
        for k in range(first, max(first + 1, (size - smallest + 1) * n_columns // n_sizes)):
            known = columns[k]
            columns[k] = value if known is None else max(known, value)
    return columns


def _value(value: float) -> str:
    return f"{value:.4g}"
