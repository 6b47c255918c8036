"""What the search learned about single features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sweepless.reports.displays._reading import learned
from sweepless.reports.style import BLUE, GREY, INK, MUTED, quiet_axes, title


class FeatureScoreDisplay:
    """The highest learned scores s(f), the selected features in colour.

    Parameters
    ----------
    scores : array
        One entry per feature; nan for features that were not up for selection.
    selected : array of bool
    names : sequence of str, optional
        The features' numbers by default.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects, once plotted
    """

    def __init__(self, scores: ArrayLike, selected: ArrayLike, names: Sequence[str] | None = None) -> None:
        self.scores = np.asarray(scores, dtype=np.float64)
        self.selected = np.asarray(selected, dtype=np.bool_)
        self.names = names

    @classmethod
    def from_selector(cls, selector: Any, *, ax: Any = None, n_top: int = 25, **line_kw: Any) -> FeatureScoreDisplay:
        """Draw the scores that a fitted selector learned; see `plot`."""
        scores = learned(selector, "feature_scores_")
        names = getattr(selector, "feature_names_in_", None)
        return cls(scores, selector.support_, names).plot(ax, n_top=n_top, **line_kw)

    def plot(self, ax: Any = None, *, n_top: int = 25, **line_kw: Any) -> FeatureScoreDisplay:
        """Draw the scores, the highest at the top.

        Parameters
        ----------
        ax : matplotlib axes, optional
        n_top : int
            How many features to show.
        **line_kw
            For the lines.
        """
        n_known = int(np.count_nonzero(~np.isnan(self.scores)))
        top = np.argsort(-self.scores, kind="stable")[: min(n_top, n_known)]
        self.figure_, self.ax_ = quiet_axes(ax, (7.2, 1.1 + 0.23 * len(top)))
        rows = np.arange(len(top))
        colors = np.where(self.selected[top], BLUE, GREY)
        self.ax_.hlines(rows, 0, self.scores[top], **({"colors": colors, "linewidth": 1.6} | line_kw))
        self.ax_.scatter(self.scores[top], rows, c=colors, s=26, zorder=3)
        names = [str(feature) if self.names is None else str(self.names[feature]) for feature in top]
        self.ax_.set_yticks(rows, [shortened(name) for name in names])
        for tick, is_selected in zip(self.ax_.get_yticklabels(), self.selected[top], strict=True):
            tick.set_color(INK if is_selected else MUTED)
        self.ax_.set_ylim(len(top) - 0.4, -0.6)
        self.ax_.tick_params(axis="y", length=0)
        self.ax_.spines["left"].set_position(("data", 0.0))
        self.ax_.grid(axis="x", alpha=0.25)
        hits = int(self.selected[top].sum())
        remembered = [(f"{hits} of these {len(top)} selected", BLUE)]
        if below := int(self.selected.sum()) - hits:
            remembered.append((f"{below} more selected", MUTED))
        title(self.ax_, "Highest feature scores", remembered, "learned score: how much higher values are with it")
        return self


def shortened(name: str, length: int = 32) -> str:
    """Return a name that leaves room for the picture."""
    return name if len(name) <= length else f"{name[: length - 1]}…"
