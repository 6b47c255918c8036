"""Where the evaluations went."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sweepless.reports.displays._shared import learned
from sweepless.reports.style import BLUE, GRAY, INK, MUTED, ORANGE, PALE, line_at, quiet_axes

_COLORS = {
    "warm-up": GRAY,
    "ranking": GRAY,
    "start": INK,
    "additions": BLUE,
    "removals": ORANGE,
    "softmax": BLUE,
    "floor": ORANGE,
    "sweep": GRAY,
    "tried": BLUE,
    "never tried": PALE,
}


class AnatomyDisplay:
    """Bars that divide evaluations, steps and features by where they came from.

    Parameters
    ----------
    bars : mapping of str to mapping of str to int
        Headline of every bar, and its parts in order; known names of parts have their own colors, others are gray.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects, once plotted
    """

    def __init__(self, bars: Mapping[str, Mapping[str, int]]) -> None:
        self.bars = bars

    @classmethod
    def from_selector(cls, selector: Any, *, ax: Any = None, **bar_kw: Any) -> AnatomyDisplay:
        """Draw where the evaluations of a fitted selector went; see `plot`."""
        spent, looked = learned(selector, "anatomy_"), learned(selector, "coverage_")
        n_features = round(looked.n_tried / looked.share) if looked.share else 0
        bars = {
            "evaluations": {
                "warm-up": spent.warm_up,
                "ranking": spent.ranking,
                "start": spent.start,
                "additions": spent.forward,
                "removals": spent.backward,
            },
            "steps won by": {
                "softmax": looked.softmax_wins,
                "floor": looked.floor_wins,
                "sweep": looked.sweep_wins,
            },
            "features": {"tried": looked.n_tried, "never tried": n_features - looked.n_tried},
        }
        return cls({name: parts for name, parts in bars.items() if any(parts.values())}).plot(ax, **bar_kw)

    def plot(self, ax: Any = None, **bar_kw: Any) -> AnatomyDisplay:
        """Draw one bar per question.

        Parameters
        ----------
        ax : matplotlib axes, optional
        **bar_kw
            For the bars.
        """
        self.figure_, self.ax_ = quiet_axes(ax, (7.2, 0.3 + 0.72 * len(self.bars)))
        self.ax_.set_axis_off()
        for row, (headline, parts) in enumerate(self.bars.items()):
            total, left = sum(parts.values()), 0.0
            said = [(f"{total:,} {headline}:", INK)]
            for name, count in parts.items():
                if count == 0:
                    continue
                color = _COLORS.get(name, GRAY)
                share = count / total
                self.ax_.barh(row, share, left=left, **({"color": color, "height": 0.3} | bar_kw))
                said.append((f"{count:,} {name} ({_percent(share)})", MUTED if color in (PALE, GRAY) else color))
                left += share
            line_at(self.ax_, said, (0.0, row - 0.15), self.ax_.transData, lift=5.0)
        self.ax_.set_xlim(0, 1)
        self.ax_.set_ylim(len(self.bars) - 0.8, -0.55)
        return self


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.01 else "< 1 %"
