"""The look of every picture: few colors, no frame, words at the lines instead of a legend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sweepless._needs import require

BLUE, ORANGE, GRAY = "#2563a8", "#d9772b", "#9aa3ad"
LIGHT_BLUE, PALE = "#a9c4e2", "#e4e9ef"
INK, MUTED = "#1c2530", "#5a6572"
# Arms of a comparison: colors that differ in lightness, too, and another dash from the sixth on.
PALETTE = (BLUE, ORANGE, "#1a9a77", "#8e4fa5", "#5fb3e0", "#b5303c") + (
    "#a68a10", "#e08fb5", INK, "#858d96", "#7a4a28", "#93c05c",
)  # fmt: skip
# What evaluations are spent on, and the steps that a search takes: noun and color.
PHASE_COLORS = {
    "warm_up": "#d9c48c",
    "ranking": "#b7a6cc",
    "start": "#cfd6dd",
    "forward": "#34495e",
    "backward": "#93a7ba",
}
STEP_KINDS = {"forward": ("addition", BLUE), "backward": ("removal", ORANGE), "recall": ("recall", INK)}
DASHES = ("solid", "dash", "dot", "dashdot")
SMALL = 9.0
_LINE = 1.35  # height of a line of text in units of its size


@dataclass(frozen=True)
class Label:
    """Words for the right end of a line: where it ends, what to say, in which color."""

    y: float
    text: str
    color: str


def arm_color(k: int) -> str:
    """Return the color of the k-th arm, the same in every chart."""
    return PALETTE[k % len(PALETTE)]


def arm_dash(k: int) -> str:
    """Return the dash of the k-th arm's line, in Plotly's words."""
    return DASHES[k // 5 % len(DASHES)]


def quiet_axes(ax: Any, size: tuple[float, float] = (7.2, 3.8)) -> tuple[Any, Any]:
    """Return figure and axes, new ones unless axes are given, without frame and noise."""
    if ax is None:
        require("a picture")
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=size, layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(GRAY)
    ax.tick_params(color=GRAY, labelcolor=MUTED, labelsize=SMALL)
    ax.set_axisbelow(True)
    return ax.figure, ax


def title(ax: Any, headline: str, parts: Sequence[tuple[str, str]] = (), across: str | None = None) -> None:
    """Write the headline, a line of colored words below it, and the label of the horizontal axis."""
    ax.set_title(headline, loc="left", color=INK, fontsize=SMALL + 2, pad=24 if parts else 10)
    if parts:
        line_at(ax, parts, (0.0, 1.0), ax.transAxes, lift=7.0)
    if across is not None:
        ax.set_xlabel(across, color=MUTED, fontsize=SMALL, loc="left")


def leave_room(ax: Any, low: float, high: float, share: float) -> None:
    """End the horizontal axis with the data, and leave a share of the width free for words behind it."""
    width = (high - low) or 1.0
    ax.set_xlim(low - 0.02 * width, high + width * share / (1.0 - share))
    ax.spines["bottom"].set_bounds(low, high)
    ax.set_xticks([tick for tick in ax.get_xticks() if low - 1e-9 * width <= tick <= high + 1e-9 * width])


def label_ends(ax: Any, x: float, labels: Sequence[Label]) -> None:
    """Write words behind the lines that end at x, moved apart where they would overlap."""
    low, high = ax.get_ylim()
    height = ax.get_window_extent().height * 72.0 / ax.figure.dpi  # in points
    ordered = sorted(labels, key=lambda label: label.y)
    wanted = [(label.y - low) / (high - low) * height for label in ordered]
    steps = [_LINE * SMALL * (1 + label.text.count("\n")) for label in ordered]
    for label, place, want in zip(ordered, _spread(wanted, steps, height), wanted, strict=True):
        words_at(ax, label.text, (x, label.y), (8, place - want), color=label.color, annotation_clip=False)


def words_at(
    ax: Any,
    text: str,
    at: tuple[float, float],
    offset: tuple[float, float],
    size: float = SMALL,
    *,
    color: str = MUTED,
    va: str = "center",
    **more: Any,
) -> None:
    """Write words some points away from a place of the data."""
    look = {"color": color, "fontsize": size, "va": va, "linespacing": 1.15} | more
    ax.annotate(text, at, xytext=offset, textcoords="offset points", **look)


def line_at(
    ax: Any, parts: Sequence[tuple[str, str]], at: tuple[float, float], transform: Any, lift: float = 0.0
) -> None:
    """Write one line of words in several colors, its lower left corner some points above a place."""
    from matplotlib.offsetbox import AnnotationBbox, HPacker, TextArea

    texts: list[Any] = [TextArea(text, textprops={"color": color, "fontsize": SMALL}) for text, color in parts]
    line = AnnotationBbox(
        HPacker(children=texts, pad=0, sep=8, align="baseline"),
        at,
        xybox=(0, lift),
        xycoords=transform,
        boxcoords="offset points",
        box_alignment=(0, 0),
        frameon=False,
        pad=0,
        annotation_clip=False,
    )
    line.set_in_layout(False)  # long words must not make the axes narrower
    ax.add_artist(line)


def _spread(places: Sequence[float], steps: Sequence[float], height: float) -> list[float]:
    """Move ascending places apart, each by half the heights of its neighbors, staying inside where possible."""
    moved = list(places)
    for k in range(1, len(moved)):
        moved[k] = max(moved[k], moved[k - 1] + (steps[k] + steps[k - 1]) / 2)
    ceiling = height
    for k in reversed(range(len(moved))):  # push back what was pushed out at the top
        moved[k] = min(moved[k], ceiling)
        ceiling = moved[k] - (steps[k] + steps[k - 1]) / 2
    return moved
