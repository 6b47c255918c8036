"""What evaluations cost in time: a + b d milliseconds for a subset of d features (C43)."""

from __future__ import annotations

from dataclasses import dataclass

from sweepless.errors import InputError


@dataclass(frozen=True)
class CostModel:
    """Milliseconds per evaluation: `base + slope * size`."""

    base: float
    slope: float

    def __post_init__(self) -> None:
        if min(self.base, self.slope) < 0 or self.base + self.slope <= 0:
            raise InputError(f"a cost model must make every evaluation cost something, got {self}.")

    def milliseconds(self, n_evaluations: float, sizes: float) -> float:
        """Return the cost of some evaluations whose subset sizes sum to `sizes`."""
        return self.base * n_evaluations + self.slope * sizes


# The paper's models of its reference machine.
PAPER_COSTS = {
    "madelon": CostModel(3.6797, 0.48717),
    "gisette": CostModel(0.79, 0.20),
    "reuters": CostModel(0.006, 0.0005),
}
