"""How many features to select: a number, a rule applied to what the search recorded, or the end of worthwhile gains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from sweepless._checks import whole
from sweepless._typing import Features, Values
from sweepless.direction import Direction
from sweepless.errors import InputError
from sweepless.search.events import Progress
from sweepless.search.methods import Method
from sweepless.search.settings import MAX_SIZE
from sweepless.search.stop import StopReason, StopSearch
from sweepless.selectors.layout import Layout
from sweepless.selectors.problem import Problem

SizeChoice = int | float | str | Sequence[int] | None
"""A number of features, a fraction of them, a rule, (low, high), or None for the rule that suits the criterion."""
RULES = ("best", "1se", "audit", "auto")


@dataclass(frozen=True)
class SizeRule:
    """Which recorded size is chosen.

    Attributes
    ----------
    name : {"number", "best", "1se", "audit", "auto"}
    low, high : int
        Sizes that may be chosen; equal for a number.
    """

    name: str
    low: int
    high: int

    def choose(
        self,
        sizes: Features,
        values: Values,
        *,
        errors: Callable[[int], float] | None = None,
        audited: Values | None = None,
    ) -> int:
        """Return the chosen one of the recorded sizes, which are ascending.

        Parameters
        ----------
        sizes, values : arrays
        errors : callable, optional
            Returns the standard error over folds of the value at a position.
        audited : array, optional
            Values on held-back data.
        """
        inside = np.flatnonzero((sizes >= self.low) & (sizes <= self.high))
        if len(inside) == 0:  # stopped too early: as near as possible
            return int(sizes[np.argmin(np.minimum(abs(sizes - self.low), abs(sizes - self.high)))])
        measure = audited if self.name == "audit" and audited is not None else values
        best = inside[np.argmax(measure[inside])]  # the first, so the smallest of equals
        if self.name == "1se" and errors is not None:
            best = inside[np.argmax(values[inside] >= values[best] - errors(int(best)))]
        return int(sizes[best])


def read_rule(
    wanted: Any, least: Any, most: Any, problem: Problem, *, grows: bool = True, tol: float | None = None
) -> SizeRule:
    """Read `n_features_to_select`, `min_size` and `max_size`; a search that grows must end somewhere."""
    layout = problem.layout
    smallest, greatest = layout.n_fixed + 1, layout.n_sizes
    low = smallest if least is None else max(smallest, whole("min_size", least, 1, greatest))
    high = None if most is None else whole("max_size", most, smallest, greatest)
    if high is not None and high < low:
        raise InputError(f"`max_size` must be at least the {low} of `min_size`, got {high}.")
    if isinstance(wanted, str) and wanted == "auto":  # as in scikit-learn, where `tol` never keeps all the features
        if tol is not None:
            return SizeRule("auto", low, high or max(low, greatest - 1))
        half = greatest // 2  # are selected, or removed
        wanted = max(smallest, half if grows else greatest - half)
    if wanted is None:
        wanted = "best" if problem.panel is None else "1se"
    if _is_number(wanted):
        size = _number(wanted, layout)
        if not low <= size <= (high or greatest):
            raise InputError(f"`n_features_to_select` must be from {low} to {high or greatest}, got {size}.")
        return SizeRule("number", size, size)
    if isinstance(wanted, str) and wanted in RULES:
        if wanted == "audit" and problem.audit is None:
            raise InputError("`n_features_to_select='audit'` must come with an `audit`, got none.")
        if wanted == "1se" and problem.panel is None and (problem.foldwise is None or len(problem.foldwise.splits) < 2):
            raise InputError("`n_features_to_select='1se'` must have folds to compare, got a criterion without.")
        return SizeRule(wanted, low, high or (min(greatest, max(low, MAX_SIZE)) if grows else greatest))
    if isinstance(wanted, Sequence) and not isinstance(wanted, str) and len(wanted) == 2:
        first, last = (whole("n_features_to_select", end, 1, greatest) for end in wanted)
        first, last = max(first, low), min(last, high or greatest)
        if first <= last:
            return SizeRule("best", first, last)
    raise InputError(
        f"`n_features_to_select` must be a number, a fraction, (low, high) or one of {', '.join(RULES)}, "
        f"got {wanted!r}."
    )


def _is_number(wanted: Any) -> bool:
    return isinstance(wanted, Real) and not isinstance(wanted, (bool, np.bool_))


def _number(wanted: Any, layout: Layout) -> int:
    if isinstance(wanted, Integral):
        return whole("n_features_to_select", wanted, layout.n_fixed + 1, layout.n_sizes)
    if not 0.0 < wanted <= 1.0:
        raise InputError(f"`n_features_to_select` as a fraction must be above 0 and at most 1, got {wanted!r}.")
    return max(layout.n_fixed + 1, int(wanted * layout.n_sizes))


class Gains:
    """A listener that ends a run at the first new size that gains less than `tol` on the size before.

    It compares the value with which the search first comes to a size with the best value known of the size before,
    which a floating search may have improved meanwhile. The first size is always taken, as scikit-learn does.

    Parameters
    ----------
    tol : float
        Negative where a search that shrinks may lose a little at every size.
    direction : Direction
        Of the search.
    low, high : int
        Sizes that may be chosen; the search is not stopped before it has come to them.

    Attributes
    ----------
    size : int or None
        The last size that was worth it, so far.
    """

    def __init__(self, tol: float, direction: Direction, low: int, high: int) -> None:
        self._tol, self._direction, self._sizes = tol, direction, range(low, high + 1)
        self._end = high if direction.adds else low
        self._best: dict[int, float] = {}
        self.size: int | None = None

    def __call__(self, progress: Progress) -> None:
        step = progress.step
        if step is None:
            return
        is_new = step.size not in self._best and step.direction == self._direction.label
        self._best[step.size] = max(step.value, self._best.get(step.size, step.value))
        if not is_new or self._direction.sign * (step.size - self._end) > 0:
            return
        before = self.size
        if before is not None and before in self._sizes and step.value - self._best[before] < self._tol:
            raise StopSearch(StopReason.PATIENCE)
        self.size = step.size


def gains_of(method: Method, rule: SizeRule, layout: Layout, tol: float | None) -> Gains | None:
    """Return what ends a search by `n_features_to_select='auto'` and `tol`; None for every other rule."""
    if rule.name != "auto" or tol is None:
        return None
    if method.traits.pivots:
        raise InputError(f"`n_features_to_select='auto'` must come with a search that goes one way, got {method.name}.")
    if method.direction.adds and tol < 0:
        raise InputError(f"`tol` must be a number of at least 0 for a search that grows, got {tol!r}.")
    return Gains(tol, method.direction, rule.low - layout.n_fixed, rule.high - layout.n_fixed)
