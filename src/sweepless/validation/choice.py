"""Which member of a panel is chosen, and which size, by what they were worth outside."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from importlib import import_module
from textwrap import fill
from typing import Any

import numpy as np

from sweepless._phrases import counted
from sweepless._typing import Mask, Values
from sweepless.schema.panel import SavedMember, SavedPanel
from sweepless.validation.panel import PanelScores, mean

_WIDTH = 100  # columns of text
_SPARED = 0.1  # of what the best size is ahead of the worst may be lost for a smaller one
_CERTAIN = 2.0  # standard errors behind the best after which a member leaves the race


@dataclass(frozen=True, eq=False, repr=False)
class PanelChoice:
    """What was tried, what each was worth outside, what was chosen and why.

    Attributes
    ----------
    member : str
        The chosen member of the panel.
    size : int
        The number of features with which it is to be used.
    honest_score : float
        The mean outer score of that member at that size.
    honest_error : float
        Its standard error.
    best_member : str
        The member of the best mean, which may not be certain to be better than the chosen one.
    reason : str
    outside : PanelScores
        All scores.
    """

    member: str
    size: int
    honest_score: float
    honest_error: float
    best_member: str
    reason: str
    outside: PanelScores

    def score_at(self, size: int) -> float:
        """Return the mean outer score of the chosen member at a size; between sizes that were judged, in between."""
        own = self.outside.by_size[self.outside.members.index(self.member)]
        known = np.isfinite(own)
        return float(np.interp(size, np.array(self.outside.sizes)[known], own[known]))

    def saved(self) -> SavedPanel:
        """Return the choice in plain values, as it is saved."""
        outside, errors = self.outside, self.outside.errors
        return SavedPanel(
            members=[
                SavedMember(
                    name=name,
                    scores=_known(outside.by_size[k]),
                    errors=_known(errors[k]),
                    n_splits=int(outside.n_splits[k]),
                    seconds=float(outside.seconds[k]),
                )
                for k, name in enumerate(outside.members)
            ],
            sizes=list(outside.sizes),
            judges=list(outside.judges),
            n_splits=int(outside.n_splits.max()),
            n_evaluations=outside.n_evaluations,
            chosen=self.member,
            best=self.best_member,
            size=self.size,
            reason=self.reason,
            honest_score=self.honest_score,
            honest_error=_known([self.honest_error])[0],
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw what every criterion was worth outside, by subset size; see `sweepless.reports.PanelDisplay`."""
        # Pictures stand above what they show, so they are found by name, and only when somebody asks for one.
        return import_module("sweepless.reports").PanelDisplay(self.saved()).plot(ax)

    def __repr__(self) -> str:
        return f"PanelChoice({self.member}, honest score {self.honest})"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def __str__(self) -> str:
        outside, n_splits = self.outside, self.outside.n_splits
        width = max(map(len, outside.members))
        pooled = mean(outside.by_split, 1)
        rows = [" " * (width + 2) + "".join(f"{size:>7}" for size in outside.sizes) + "   mean"]
        for k, name in enumerate(outside.members):
            cells = "".join(f"{score:7.3f}" if np.isfinite(score) else "      -" for score in outside.by_size[k])
            mark = "*" if name == self.member else " "
            left = "" if n_splits[k] == n_splits.max() else f"   on the first {n_splits[k]}"
            rows.append(f"{mark} {name:<{width}}{cells}{pooled[k]:7.3f}{left}")
        tried = (
            f"{len(outside.members)} criteria, searched on the training parts of "
            f"{counted(int(n_splits.max()), 'split')}. Mean "
            f"scores on the rest, by {', '.join(outside.judges)}, for subsets of so many features:"
        )
        return "\n".join([fill(tried, _WIDTH), *rows, fill(self.reason, _WIDTH), f"Honest score: {self.honest}."])

    @property
    def honest(self) -> str:
        """The honest score in a few words."""
        error = f" ± {self.honest_error:.3f}" if np.isfinite(self.honest_error) else ""
        return f"{self.honest_score:.3f}{error} at {counted(self.size, 'feature')}"


def _known(scores: Iterable[float]) -> list[float | None]:
    """Return plain numbers, None for those that are not known."""
    return [float(score) if np.isfinite(score) else None for score in scores]


def left_behind(scores: PanelScores) -> list[bool]:
    """Return which members need no more splits, as these would hardly change the choice.

    They are far behind the best; or a preferred one is as good, which they would have to leave behind by a standard
    error to be chosen.
    """
    by_split = scores.by_split
    best = _best(by_split)
    behind = []
    for k, own in enumerate(by_split):
        gaps = by_split[best] - own
        is_far = not np.isfinite(gaps).any() or float(np.nanmean(gaps)) > _CERTAIN * scores.error(gaps)
        behind.append(is_far or bool(np.any(mean(by_split[:k] - own, 1) >= 0.0)))
    behind[best] = False
    return behind


def choose(scores: PanelScores, *, smallest: bool = True, allowed: Mask | None = None) -> PanelChoice:
    """Choose the first member that is not certain to be worse than the best, and a size in the same way.

    The order of the members says which to prefer where they cannot be told apart: the smoother and more strongly
    penalized one, which is known to hold better on other data.

    Parameters
    ----------
    scores : PanelScores
    smallest : bool
        Whether to choose the smallest size within one standard error of the best that keeps nine tenths of what the
        best is ahead of the worst, instead of the best.
    allowed : mask of sizes, optional
    """
    by_split = scores.by_split
    best = _best(by_split)
    chosen, reason = best, f"{scores.members[best]} is the best by more than one standard error."
    for k, own in enumerate(by_split[:best]):
        gaps = by_split[best] - own
        gap, error = float(np.nanmean(gaps)) if np.isfinite(gaps).any() else np.inf, scores.error(gaps)
        if gap <= error:
            chosen = k
            reason = (
                f"{scores.members[best]} is best, but only by {gap:.3f} ± {error:.3f}: {scores.members[k]}, the "
                "smoother of the two, is chosen."
            )
            break
    else:
        if best == 0:
            reason = f"{scores.members[0]} is the best, and the smoothest too."
    place, error = _chosen_size(scores, chosen, smallest, allowed)
    return PanelChoice(
        scores.members[chosen],
        scores.sizes[place],
        float(scores.by_size[chosen, place]),
        error,
        scores.members[best],
        reason,
        scores,
    )


def _best(by_split: Values) -> int:
    """Return the member that is farthest ahead on the splits that it shares with the one that was judged most often.

    Plain means would favor who left the race early, if the later splits are harder.
    """
    most = by_split[np.isfinite(by_split).sum(axis=1).argmax()]
    return int(np.nanargmax(mean(by_split - most, 1)))


def _chosen_size(scores: PanelScores, member: int, smallest: bool, allowed: Mask | None) -> tuple[int, float]:
    """Return the place of the chosen size, and the standard error of its score."""
    table = mean(scores.scores[member], 2)  # split, size
    means = mean(table, 0)
    if allowed is not None:
        means = np.where(allowed, means, np.nan)
    place = int(np.nanargmax(means))
    if smallest:
        # Where samples are few, errors are so great that a single feature would be as good as any number of them.
        most = _SPARED * (means[place] - np.nanmin(means))
        for smaller in range(place):
            gaps = table[:, place] - table[:, smaller]
            # NaN, of a size that was not judged, is not within anything.
            if means[place] - means[smaller] <= min(most, scores.error(gaps, apart=True)):
                place = smaller
                break
    return place, scores.error(table[:, place])
