"""The critical-difference picture: mean ranks on a line, joined where they cannot be told apart."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

_INK, _BAR, _OURS = "#222222", "#8a8a8a", "#0b6e4f"


def cliques(ranks: Mapping[str, float], reach: float) -> list[tuple[float, float]]:
    """Return the widest stretches of ranks that differ by less than the critical difference."""
    places = sorted(ranks.values())
    found: list[tuple[float, float]] = []
    for low in places:
        high = max(rank for rank in places if rank <= low + reach)
        if high > low and not any(a <= low and high <= b for a, b in found):
            found.append((low, high))
    return found


def draw(ranks: Mapping[str, float], reach: float, ours: tuple[str, ...], path: Path) -> None:
    """Write the picture as SVG; the best rank is on the left."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "honest"
    from matplotlib import pyplot

    names = sorted(ranks, key=lambda name: ranks[name])
    bars = cliques(ranks, reach)
    left = names[: (len(names) + 1) // 2]
    top = 1.2 + 0.25 * len(bars)
    figure, axes = pyplot.subplots(figsize=(8, 0.6 + 0.27 * (top + len(left) + 2)))
    low, high = 1, len(names)
    axes.set_xlim(low - 0.35 * high, high + 0.35 * high)
    axes.set_ylim(-(top + len(left) + 0.5), 2.4)
    axes.axis("off")
    axes.plot([low, high], [0, 0], color=_INK, linewidth=1)
    for rank in range(low, high + 1):
        axes.plot([rank, rank], [0, 0.2], color=_INK, linewidth=1)
        axes.text(rank, 0.35, str(rank), ha="center", va="bottom", fontsize=9, color=_INK)
    axes.plot([low, low + reach], [1.6, 1.6], color=_INK, linewidth=2)
    axes.text(low, 1.75, f"critical difference {reach:.2f}", ha="left", va="bottom", fontsize=9, color=_INK)
    for level, (start, end) in enumerate(bars):
        axes.plot([start - 0.05, end + 0.05], [-0.5 - 0.25 * level] * 2, color=_BAR, linewidth=3)
    for number, name in enumerate(names):
        is_left = number < len(left)
        height = -(top + (number if is_left else len(names) - 1 - number))
        edge = low - 0.1 if is_left else high + 0.1
        color = _OURS if name in ours else _INK
        axes.plot([ranks[name], ranks[name], edge], [0, height, height], color=color, linewidth=1)
        axes.text(
            edge - 0.05 if is_left else edge + 0.05,
            height,
            f"{name} {ranks[name]:.1f}" if is_left else f"{ranks[name]:.1f} {name}",
            ha="right" if is_left else "left",
            va="center",
            fontsize=10,
            color=color,
            fontweight="bold" if name in ours else "normal",
        )
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None})
    pyplot.close(figure)
