"""How long evaluations take: a + b d milliseconds for a subset of d features (C43)."""

from __future__ import annotations

import time
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from sweepless._typing import Features
from sweepless.errors import InputError

if TYPE_CHECKING:
    from sweepless.criteria.base import Cursor


@dataclass(frozen=True)
class CostModel:
    """Milliseconds per evaluation: `base + slope * size`."""

    base: float
    slope: float

    def __post_init__(self) -> None:
        if min(self.base, self.slope) < 0 or self.base + self.slope <= 0:
            raise InputError(f"a cost model must have non-negative parts that are not both zero, got {self}.")

    def milliseconds(self, n_evaluations: float, sizes: float) -> float:
        """Return the time of `n_evaluations` whose subset sizes sum to `sizes`."""
        return self.base * n_evaluations + self.slope * sizes


# The paper's models, fitted on its reference machine.
PAPER_COSTS = {
    "madelon": CostModel(3.6797, 0.48717),
    "gisette": CostModel(0.79, 0.20),
    "reuters": CostModel(0.006, 0.0005),
}


def fit_cost_model(cursor: Cursor, largest: int, *, n_sizes: int = 6, n_repeats: int = 5) -> CostModel:
    """Fit a + b d to the time that it takes to value single subsets of a few sizes from scratch.

    Parameters
    ----------
    cursor : Cursor
    largest : int
        The largest size to time; the other sizes are spread evenly below it.
    n_sizes, n_repeats : int
        How many sizes to time, and how often each; the median of the repeats counts.

    Returns
    -------
    CostModel
        The least-squares fit in which neither part is negative.

    Notes
    -----
    Subsets are timed one after the other, each from scratch, like probes. Many criteria value the neighbors of a
    subset faster than that, so the model compares subsets rather than predicting the time of a search, as in the paper.
    """
    sizes = np.unique(np.linspace(1, largest, n_sizes).round().astype(np.intp))
    draws = np.random.Generator(np.random.Philox(0))  # chooses the subsets to time; no result depends on it
    subsets = {int(size): np.sort(draws.choice(cursor.n_features, size, replace=False)) for size in sizes}
    cursor.evaluate_many([subsets[int(sizes[0])]])  # compile before the clock starts
    taken = [median(_milliseconds(cursor, subset) for _ in range(n_repeats)) for subset in subsets.values()]
    slope, base = np.polyfit(sizes, taken, 1) if len(sizes) > 1 else (0.0, taken[0])
    if slope < 0:
        slope, base = 0.0, float(np.mean(taken))
    elif base < 0:
        slope, base = float(np.dot(sizes, taken) / np.dot(sizes, sizes)), 0.0
    return CostModel(float(base), float(slope))


def _milliseconds(cursor: Cursor, subset: Features) -> float:
    began = time.perf_counter()
    cursor.evaluate_many([subset])
    return 1e3 * (time.perf_counter() - began)
