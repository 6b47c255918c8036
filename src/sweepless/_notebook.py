"""What was found, as HTML for a notebook: facts in a table, and the best value of every size as a curve."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

_WIDTH, _HEIGHT, _MARGIN = 320, 60, 4
_POINTS = 400  # most of a curve; the chosen size is always kept


def as_html(facts: Mapping[str, object], values: Mapping[int, float], chosen: int | None) -> str:
    """Return a table with the curve below it; colors are those of the notebook."""
    rows = "".join(
        f'<tr><th scope="row" style="text-align:left;padding-right:1em">{escape(name)}</th>'
        f'<td style="text-align:left">{escape(str(fact))}</td></tr>'
        for name, fact in facts.items()
    )
    return f'<div class="sweepless"><table>{rows}</table>{_curve(values, chosen)}</div>'


def _curve(values: Mapping[int, float], chosen: int | None) -> str:
    """Draw the values over the sizes, with a dot at the chosen size."""
    if len(values) < 2:
        return ""
    sizes, step = sorted(values), -(-len(values) // _POINTS)
    sizes = [size for k, size in enumerate(sizes) if k % step == 0 or size in (chosen, sizes[-1])]
    low, high = min(values.values()), max(values.values())

    def place(size: int) -> tuple[float, float]:
        across = (size - sizes[0]) / (sizes[-1] - sizes[0])
        up = (values[size] - low) / (high - low) if high > low else 0.5
        return _MARGIN + across * (_WIDTH - 2 * _MARGIN), _HEIGHT - _MARGIN - up * (_HEIGHT - 2 * _MARGIN)

    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(place, sizes))
    title = f"best value of every size: {low:.4g} to {high:.4g}, sizes {sizes[0]} to {sizes[-1]}"
    dot = ""
    if chosen is not None and chosen in values:
        x, y = place(chosen)
        dot = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="#1f6feb"/>'
    return (
        f'<svg role="img" width="{_WIDTH}" height="{_HEIGHT}" aria-label="{title}"><title>{title}</title>'
        f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="1.5"/>{dot}</svg>'
    )
