"""What the criteria of a panel were worth outside."""

from __future__ import annotations

from typing import Any

import numpy as np

from sweepless._phrases import counted
from sweepless.reports.displays._shared import learned
from sweepless.reports.style import GRAY, INK, MUTED, Label, arm_color, label_ends, quiet_axes, title
from sweepless.schema.panel import SavedPanel

_APART = 1.025  # the factor between the bars of two members at one size
_ROOM = 0.3  # of the width, for names


class PanelDisplay:
    """Mean outer scores of every criterion that was compared, by subset size, with the chosen one in the foreground.

    Parameters
    ----------
    panel : SavedPanel
        As `selector.chosen_.saved()` returns it.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects, once plotted
    """

    def __init__(self, panel: SavedPanel) -> None:
        self.panel = panel

    @classmethod
    def from_selector(cls, selector: Any, *, ax: Any = None, **line_kw: Any) -> PanelDisplay:
        """Draw what a selector without an estimator compared; see `plot`."""
        return cls(learned(selector, "chosen_").saved()).plot(ax, **line_kw)

    def plot(self, ax: Any = None, **line_kw: Any) -> PanelDisplay:
        """Draw one line per criterion, with bars of one standard error.

        Parameters
        ----------
        ax : matplotlib axes, optional
        **line_kw
            For the line of the chosen criterion.
        """
        panel = self.panel
        self.figure_, self.ax_ = quiet_axes(ax)
        self.ax_.grid(axis="y", alpha=0.25)
        self.ax_.set_xscale("log")
        labels = []
        for k, member in enumerate(panel.members):
            scores, errors = (np.array(some, dtype=np.float64) for some in (member.scores, member.errors))
            known = np.isfinite(scores)
            if not known.any():
                continue
            is_chosen = member.name == panel.chosen
            look = {"color": arm_color(k), "linewidth": 2.2 if is_chosen else 1.2, "zorder": 3 if is_chosen else 2}
            x = np.array(panel.sizes) * _APART ** (k - (len(panel.members) - 1) / 2)
            (line,) = self.ax_.plot(x[known], scores[known], **look | (line_kw if is_chosen else {}))
            self.ax_.errorbar(
                x[known], scores[known], np.nan_to_num(errors[known]), fmt="o", markersize=3, elinewidth=1,
                color=line.get_color(), alpha=1.0 if is_chosen else 0.6,
            )  # fmt: skip
            labels.append(Label(float(scores[known][-1]), member.name, line.get_color()))
            if is_chosen:
                at = panel.sizes.index(panel.size)
                self.ax_.plot([x[at]], [panel.honest_score], "o", markersize=9, color=line.get_color(), zorder=4)
        self.ax_.axvline(panel.size, color=GRAY, linewidth=0.8, zorder=0)
        self._name(labels)
        return self

    def _name(self, labels: list[Label]) -> None:
        """Write the sizes, the names of the lines, and what to remember."""
        panel, sizes = self.panel, self.panel.sizes
        self.ax_.minorticks_off()
        self.ax_.set_xticks(sizes, [f"{size:,}" for size in sizes])
        width = max(np.log(sizes[-1] / sizes[0]), np.log(2.0))
        self.ax_.set_xlim(sizes[0] * np.exp(-0.05 * width), sizes[-1] * np.exp(width * _ROOM / (1.0 - _ROOM)))
        self.ax_.spines["bottom"].set_bounds(sizes[0], sizes[-1])
        label_ends(self.ax_, sizes[-1] * _APART ** (len(panel.members) / 2), labels)
        color = arm_color([member.name for member in panel.members].index(panel.chosen))
        error = "" if panel.honest_error is None else f" ± {panel.honest_error:.3f}"
        remembered = [
            (f"{panel.chosen}, {counted(panel.size, 'feature')}:", color),
            (f"honest score {panel.honest_score:.3f}{error}", INK),
            (f"{counted(panel.n_splits, 'split')}, bars of one standard error", MUTED),
        ]
        title(self.ax_, "Mean score outside, by criterion", remembered, "subset size")
