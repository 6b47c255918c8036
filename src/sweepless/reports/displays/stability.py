"""How often repeated runs selected each feature, and how well they agree."""

from __future__ import annotations

from math import isnan
from typing import Any

import numpy as np

from sweepless.reports.displays._shared import name_rows, shortened
from sweepless.reports.style import BLUE, GRAY, LIGHT_BLUE, MUTED, SMALL, leave_room, quiet_axes, title, words_at


class StabilityDisplay:
    """Selection frequencies of a consensus, its subset in color, with the measures of stability.

    A pale extension is the share of runs that selected an interchangeable feature instead.

    Parameters
    ----------
    consensus : Consensus

    Attributes
    ----------
    ax_, figure_ : matplotlib objects, once plotted
    """

    def __init__(self, consensus: Any) -> None:
        self.consensus = consensus

    @classmethod
    def from_consensus(cls, consensus: Any, *, ax: Any = None, **plot_kw: Any) -> StabilityDisplay:
        """Draw what `SequentialSelector.consensus` returned; see `plot`."""
        return cls(consensus).plot(ax, **plot_kw)

    def plot(self, ax: Any = None, *, n_top: int = 25, **bar_kw: Any) -> StabilityDisplay:
        """Draw the frequencies in the order of the consensus.

        Parameters
        ----------
        ax : matplotlib axes, optional
        n_top : int
            How many features to show; of interchangeable ones only the first counts.
        **bar_kw
            For the bars.
        """
        found = self.consensus
        others = self._others()
        kept = set(found.features.tolist())
        hidden = {feature for group in others.values() for feature in group} - kept
        top = [feature for feature in found.order.tolist() if feature not in hidden][:n_top]
        self.figure_, self.ax_ = quiet_axes(ax, (7.2, 1.3 + 0.23 * len(top)))
        own = found.frequencies[top]
        united = np.array([self._united(feature, others.get(feature, [])) for feature in top])
        rows = np.arange(len(top))
        colors = [BLUE if feature in kept else GRAY for feature in top]
        self.ax_.barh(rows, own, **({"color": colors, "height": 0.62} | bar_kw))
        self.ax_.barh(rows, united - own, left=own, color=LIGHT_BLUE, height=0.62)
        for row, (feature, reach) in enumerate(zip(top, united, strict=True)):
            if feature in others:
                self._say_others(row, others[feature], reach)
        names = found.names(np.array(top, dtype=np.intp))
        name_rows(self.ax_, rows, names, [feature in kept for feature in top])
        leave_room(self.ax_, 0.0, 1.0, 0.3 if others else 0.02)
        self.ax_.set_xlim(left=0.0)
        self.ax_.xaxis.set_major_formatter(lambda share, _: f"{100 * share:.0f} %")
        headline = f"Selected by how many of {len(found.runs)} runs, and how alike the runs are"
        across = "share of the runs that selected the feature"
        if others:
            united_value = found.group_stability.nogueira.value
            across += (
                "; pale: an interchangeable one instead\n"
                f"(Nogueira {united_value:.2f} where interchangeable features count as one)"
            )
        title(self.ax_, headline, self._measures(), across)
        return self

    def _others(self) -> dict[int, list[int]]:
        """Return the other members of every group, by the one that represents it."""
        place = {feature: k for k, feature in enumerate(self.consensus.order.tolist())}
        groups = [sorted(group.tolist(), key=place.__getitem__) for group in self.consensus.interchangeable]
        return {group[0]: group[1:] for group in groups}

    def _united(self, feature: int, others: list[int]) -> float:
        members = [feature, *others]
        return float(np.mean([np.isin(members, run).any() for run in self.consensus.subsets]))

    def _say_others(self, row: int, others: list[int], reach: float) -> None:
        (name,) = self.consensus.names(np.array(others[:1]))
        more = f" and {len(others) - 1} more" if len(others) > 1 else ""
        words_at(self.ax_, f"or {shortened(name, 24)}{more}", (reach, row), (5, 0), SMALL - 1)

    def _measures(self) -> list[tuple[str, str]]:
        found = self.consensus.stability
        reach = "" if isnan(found.nogueira.low) else f" [{found.nogueira.low:.2f}, {found.nogueira.high:.2f}]"
        return [
            (f"Nogueira {found.nogueira.value:.2f}{reach}", BLUE),
            (f"ATI {found.ati:.2f}", MUTED),
            (f"CW rel {found.cw_rel:.2f}", MUTED),
            (f"ANHI {found.anhi:.2f}", MUTED),
        ]
