"""What the search learned about single features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sweepless.reports.displays._shared import learned, name_rows
from sweepless.reports.style import BLUE, GRAY, MUTED, quiet_axes, title

_GAP = 0.7  # rows between the highest scores and the others
LEARNED = "score: what the search learned of the feature\n(mean standardized value with it, less that without it)"


class FeatureScoreDisplay:
    """What a search learned about single features: the highest scores, and those of all selected features.

    A score is the mean value, standardized within each step, of the subsets with the feature less that of the subsets
    without it. It guides the draw of candidates and decides nothing: a feature may be selected for what it adds to
    others although its own score is low.

    Parameters
    ----------
    scores : array
        One entry per feature; nan for features that were not up for selection.
    selected : array of bool
    names : sequence of str, optional
        The features' numbers by default.
    meaning : str, optional
        What the scores are, for the axis; those of a sampled search by default.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects, once plotted
    """

    def __init__(
        self,
        scores: ArrayLike,
        selected: ArrayLike,
        names: Sequence[str] | None = None,
        meaning: str = LEARNED,
    ) -> None:
        self.scores = np.asarray(scores, dtype=np.float64)
        self.selected = np.asarray(selected, dtype=np.bool_)
        self.names = names
        self.meaning = meaning

    @classmethod
    def from_selector(cls, selector: Any, *, ax: Any = None, n_top: int = 25, **line_kw: Any) -> FeatureScoreDisplay:
        """Draw the scores that a fitted selector learned; see `plot`."""
        scores = learned(selector, "feature_scores_")
        names = getattr(selector, "feature_names_in_", None)
        is_sampled = hasattr(selector, "budget")  # else a ranking
        meaning = LEARNED if is_sampled else "score by which the features are ranked"
        return cls(scores, selector.support_, names, meaning).plot(ax, n_top=n_top, **line_kw)

    def plot(self, ax: Any = None, *, n_top: int = 25, **line_kw: Any) -> FeatureScoreDisplay:
        """Draw the scores, the highest at the top, the selected features in color.

        Parameters
        ----------
        ax : matplotlib axes, optional
        n_top : int
            How many of the highest scores to show. Selected features with lower ones follow behind a gap, at most as
            many again.
        **line_kw
            For the lines.
        """
        order = np.argsort(-self.scores, kind="stable")[: np.count_nonzero(~np.isnan(self.scores))]
        top, rest = order[:n_top], order[n_top:]
        below = rest[self.selected[rest]]
        shown = np.concatenate([top, below[:n_top]])
        rows = np.arange(len(shown)) + np.where(np.arange(len(shown)) < len(top), 0.0, _GAP)
        self.figure_, self.ax_ = quiet_axes(ax, (7.2, 1.3 + 0.23 * (len(shown) + _GAP)))
        colors = np.where(self.selected[shown], BLUE, GRAY)
        self.ax_.axvline(0.0, color=GRAY, linewidth=0.8)
        self.ax_.hlines(rows, 0, self.scores[shown], **({"colors": colors, "linewidth": 1.6} | line_kw))
        self.ax_.scatter(self.scores[shown], rows, c=colors, s=26, zorder=3)
        names = [str(feature) if self.names is None else str(self.names[feature]) for feature in shown]
        name_rows(self.ax_, rows, names, self.selected[shown])
        self.ax_.spines["left"].set_visible(False)  # names are beside all the lines, also those below zero
        hits = int(self.selected[top].sum())
        remembered = [(f"{hits} of the {len(top)} highest selected", BLUE)]
        if len(below):
            remembered.append((f"{len(below)} selected with lower scores", BLUE))
        if len(below) > n_top:
            remembered.append((f"({len(below) - n_top} of them not shown)", MUTED))
        title(self.ax_, "Feature scores, selected features in color", remembered, self.meaning)
        return self
