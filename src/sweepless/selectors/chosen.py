"""Which criterion values subsets, and why."""

from __future__ import annotations

from dataclasses import dataclass

from sweepless.criteria.base import Criterion


@dataclass(frozen=True)
class Chosen:
    """The criterion that values subsets, and the reason for this choice.

    Attributes
    ----------
    criterion : Criterion
    is_native : bool
        Whether subsets are valued without the estimator wherever that gives the same value.
    reason : str
    deviates : bool
        Whether values may differ slightly from the estimator's own, by which results should then be reported: it
        breaks ties by the order of its search, or stops short of its optimum.
    """

    criterion: Criterion
    is_native: bool
    reason: str
    deviates: bool = False
