"""The value of the best subset of every size."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sweepless._phrases import counted
from sweepless._typing import Values
from sweepless.reports.displays._shared import learned, value_name
from sweepless.reports.style import BLUE, GRAY, INK, MUTED, ORANGE, Label, label_ends, leave_room, quiet_axes, title


class SubsetCurveDisplay:
    """The best value found at every size, beside what puts it into proportion.

    Parameters
    ----------
    sizes, values : arrays
        The best value of every recorded size, as the search optimized it.
    errors : array, optional
        Half the width of the band about the values: their standard error over folds.
    audited, audited_errors : arrays, optional
        The value of the same subsets on data that the search never saw.
    chosen : int, optional
        The size to mark.
    reference : mapping of int to float, optional
        Values per size of another search, such as the full one.
    reference_name : str
    permutation : PermutationReference, optional
        What the same search finds in noise.
    value_name : str

    Attributes
    ----------
    ax_, figure_ : matplotlib objects, once plotted
    """

    def __init__(
        self,
        sizes: ArrayLike,
        values: ArrayLike,
        *,
        errors: ArrayLike | None = None,
        audited: ArrayLike | None = None,
        audited_errors: ArrayLike | None = None,
        chosen: int | None = None,
        reference: Any = None,
        reference_name: str = "full search",
        permutation: Any = None,
        value_name: str = "value",
    ) -> None:
        self.sizes = np.asarray(sizes)
        self.values = np.asarray(values, dtype=np.float64)
        self.errors = _optional(errors)
        self.audited = _optional(audited)
        self.audited_errors = _optional(audited_errors)
        self.chosen = chosen
        self.reference = reference
        self.reference_name = reference_name
        self.permutation = permutation
        self.value_name = value_name

    @classmethod
    def from_selector(
        cls,
        selector: Any,
        *,
        reference: Any = None,
        reference_name: str = "full search",
        permutation: Any = None,
        ax: Any = None,
        **line_kw: Any,
    ) -> SubsetCurveDisplay:
        """Draw what a fitted selector recorded.

        Parameters
        ----------
        selector : fitted selector
        reference : fitted selector or mapping of int to float, optional
            Another search for comparison, such as the full one.
        reference_name : str
        permutation : PermutationReference, optional
        ax, **line_kw : see `plot`
        """
        learned(selector, "subsets_")
        table = selector.cv_results_
        folds = np.array([column for name, column in table.items() if name.startswith("split")])
        if hasattr(reference, "subsets_"):
            reference = dict(zip(reference.cv_results_["n_features"], reference.cv_results_["mean_test_score"]))
        display = cls(
            table["n_features"],
            table["mean_test_score"],
            errors=folds.std(axis=0, ddof=1) / np.sqrt(len(folds)) if len(folds) > 1 else None,
            audited=table.get("audit_score"),
            audited_errors=table.get("audit_score_error"),
            chosen=selector.best_size_,
            reference=reference,
            reference_name=reference_name,
            permutation=permutation,
            value_name=value_name(selector),
        )
        return display.plot(ax, **line_kw)

    def plot(self, ax: Any = None, **line_kw: Any) -> SubsetCurveDisplay:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib axes, optional
        **line_kw
            For the line of the optimized values.
        """
        self.figure_, self.ax_ = quiet_axes(ax)
        self.ax_.grid(axis="y", alpha=0.25)
        self.ax_.xaxis.get_major_locator().set_params(integer=True)
        labels = self._context()
        self._band(self.values, self.errors, BLUE)
        (line,) = self.ax_.plot(self.sizes, self.values, **({"color": BLUE, "linewidth": 2} | line_kw))
        labels.append(Label(self.values[-1], "optimized", line.get_color()))
        if self.audited is not None:
            self._band(self.audited, self.audited_errors, ORANGE)
            self.ax_.plot(self.sizes, self.audited, color=ORANGE, linewidth=1.6)
            labels.append(Label(self.audited[-1], "audited: data the\nsearch never saw", ORANGE))
        remembered = self._mark(line.get_color())
        if self.reference is not None:  # its end would often lie on top of the others
            remembered.append((f"– – {self.reference_name}", INK))
        leave_room(self.ax_, float(self.sizes[0]), float(self.sizes[-1]), 0.2 if len(labels) > 1 else 0.12)
        label_ends(self.ax_, float(self.sizes[-1]), labels)
        title(self.ax_, f"Best {self.value_name} of every subset size", remembered, "subset size")
        return self

    def _context(self) -> list[Label]:
        """Draw what the curve is compared with, behind it."""
        labels = []
        if self.permutation is not None:
            noise, inside = self.permutation, np.isin(self.permutation.sizes, self.sizes)
            low, mean, high = (curve[inside] for curve in (noise.quantile(0.05), noise.mean, noise.quantile(0.95)))
            self.ax_.fill_between(noise.sizes[inside], low, high, color=GRAY, alpha=0.25, linewidth=0)
            self.ax_.plot(noise.sizes[inside], mean, color=GRAY, linewidth=1.2)
            labels.append(Label(float(mean[-1]), "shuffled labels\n(mean, 5 to 95 %)", MUTED))
        if self.reference is not None:
            sizes = [size for size in sorted(self.reference) if self.sizes[0] <= size <= self.sizes[-1]]
            values = [self.reference[size] for size in sizes]
            self.ax_.plot(sizes, values, color=INK, linewidth=1, linestyle=(0, (4, 2)))
        return labels

    def _band(self, values: Values, errors: Values | None, color: str) -> None:
        if errors is not None:
            self.ax_.fill_between(self.sizes, values - errors, values + errors, color=color, alpha=0.14, linewidth=0)

    def _mark(self, color: str) -> list[tuple[str, str]]:
        """Mark the chosen size; return what to remember of it."""
        if self.chosen is None:
            return []
        at = int(np.flatnonzero(self.sizes == self.chosen)[0])
        self.ax_.axvline(self.chosen, color=GRAY, linewidth=0.8, zorder=0)
        self.ax_.plot([self.chosen], [self.values[at]], "o", color=color, markersize=6.5)
        remembered = [(f"{counted(self.chosen, 'feature')} chosen", MUTED), (f"{self.values[at]:.3f} optimized", color)]
        if self.audited is not None:
            self.ax_.plot([self.chosen], [self.audited[at]], "o", color=ORANGE, markersize=6.5)
            remembered.append((f"{self.audited[at]:.3f} audited", ORANGE))
        return remembered


def _optional(values: ArrayLike | None) -> Values | None:
    return None if values is None else np.asarray(values, dtype=np.float64)
