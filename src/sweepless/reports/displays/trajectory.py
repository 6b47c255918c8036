"""How the working subset grew and shrank as evaluations were spent."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sweepless._phrases import counted
from sweepless.errors import InputError
from sweepless.reports.displays._shared import learned
from sweepless.reports.style import INK, PALE, STEP_KINDS, quiet_axes, title, words_at


class TrajectoryDisplay:
    """The size of the working subset against the evaluations spent, additions and removals in color.

    Parameters
    ----------
    n_evaluations, sizes : arrays
        After every step taken.
    directions : sequence of {"forward", "backward", "recall"}
        Of every step; a recall returns to a recorded subset and costs nothing.
    n_before : int
        Evaluations spent before the first step: the warm-up.
    start : int
        The size before the first step.
    best : int, optional
        Number of the step that found the chosen subset.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects, once plotted
    """

    def __init__(
        self,
        n_evaluations: ArrayLike,
        sizes: ArrayLike,
        directions: Any,
        *,
        n_before: int = 0,
        start: int = 0,
        best: int | None = None,
    ) -> None:
        self.n_evaluations = np.asarray(n_evaluations)
        self.sizes = np.asarray(sizes)
        self.directions = np.asarray(directions, dtype=str)
        self.n_before = n_before
        self.start = start
        self.best = best

    @classmethod
    def from_selector(cls, selector: Any, *, ax: Any = None, **line_kw: Any) -> TrajectoryDisplay:
        """Draw the steps that a fitted selector took; see `plot`."""
        history = learned(selector, "trace_")
        if not history:
            raise InputError("`selector` must have taken a step for its trajectory to be drawn, got none.")
        first, size = history[0], selector.best_size_
        value = selector.subsets_[size].value
        moved = getattr(selector, "tuple_size", 1) * {"forward": 1, "backward": -1}.get(first.direction, 0)
        display = cls(
            [step.n_evaluations for step in history],
            [step.size for step in history],
            [step.direction for step in history],
            n_before=first.n_evaluations - first.forward_evaluations - first.backward_evaluations,
            start=first.size - moved,
            best=next((k for k, step in enumerate(history) if step.size == size and step.value == value), None),
        )
        return display.plot(ax, **line_kw)

    def plot(self, ax: Any = None, **line_kw: Any) -> TrajectoryDisplay:
        """Draw the trajectory.

        Parameters
        ----------
        ax : matplotlib axes, optional
        **line_kw
            For the lines of the steps.
        """
        from matplotlib.collections import LineCollection

        self.figure_, self.ax_ = quiet_axes(ax)
        self.ax_.grid(axis="y", alpha=0.25)
        points = np.column_stack([self.n_evaluations, self.sizes]).astype(np.float64)
        steps = np.stack([np.vstack([[self.n_before, self.start], points[:-1]]), points], axis=1)
        remembered = []
        for kind, (noun, color) in STEP_KINDS.items():
            of_kind = self.directions == kind
            if count := int(of_kind.sum()):
                look: dict[str, Any] = {"colors": color, "linewidths": 1.6}
                lines = LineCollection(list(steps[of_kind]), **(look | line_kw))
                lines.set_capstyle("round")
                self.ax_.add_collection(lines)
                remembered.append((counted(count, noun), color))
        self.ax_.autoscale_view()
        self.ax_.set_xlim(0, points[-1, 0] * 1.02)
        self._mark(points)
        if self.best is not None:
            remembered.append((f"○ {counted(self.sizes[self.best], 'feature')} chosen", INK))
        self.ax_.xaxis.set_major_formatter(lambda count, _: f"{count:,.0f}")
        title(self.ax_, "Size of the working subset", remembered, "evaluations spent")
        return self

    def _mark(self, points: Any) -> None:
        if self.n_before:
            self.ax_.axvspan(0, self.n_before, color=PALE, linewidth=0, zorder=0)
        if self.n_before > 0.12 * points[-1, 0]:  # else there is no room, and nothing to say
            words_at(self.ax_, "warm-up", (0, self.ax_.get_ylim()[0]), (5, 6), va="bottom")
        if self.best is not None:
            spent, size = points[self.best]
            self.ax_.plot([spent], [size], "o", color="white", markeredgecolor=INK, markeredgewidth=1.5, zorder=5)
