"""Means over seeds: every measure of every arm at every size, and the sizes worth a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from statistics import fmean

from sweepless.reports.records import Cell, Row, Run
from sweepless.reports.table import Spread

_ROUND = (1, 2, 5, 10, 20, 50, 100, 150, 200, 300, 500, 1000, 2000, 5000, 10000)
_N_SIZES = 6


@dataclass(frozen=True)
class Measure:
    """The criterion's value (no classifier), or what a classifier makes of data the search never saw."""

    classifier: str | None = None

    @property
    def name(self) -> str:
        return "value" if self.classifier is None else f"holdout ({self.classifier})"

    @property
    def headline(self) -> str:
        return "Criterion value" if self.classifier is None else f"Holdout, {self.classifier}"

    def of(self, row: Row) -> float | None:
        return row.value if self.classifier is None else row.holdout.get(self.classifier)


@dataclass(frozen=True)
class Series:
    """One measure of one arm: the spread over seeds at ascending sizes."""

    arm: str
    sizes: tuple[int, ...]
    spreads: tuple[Spread, ...]

    def at(self, size: int) -> Spread | None:
        return self.spreads[self.sizes.index(size)] if size in self.sizes else None


def measures(run: Run) -> list[Measure]:
    """Return what the rows of a run measure: the value if any row has one, then every classifier."""
    has_value = any(row.value is not None for cell in run.cells for row in cell.rows)
    return [Measure()] * has_value + [Measure(name) for name in run.classifiers]


def spread(values: Sequence[float]) -> Spread | None:
    """Return mean and sample standard deviation (n - 1); None of nothing."""
    if not values:
        return None
    n, mean = len(values), fmean(values)
    return Spread(mean, sqrt(fsum((value - mean) ** 2 for value in values) / (n - 1)) if n > 1 else None, n)


def series(run: Run, measure: Measure) -> list[Series]:
    """Return the measure of every arm that has it, in the order of the arms."""
    found = []
    for arm in run.arms:
        by_size: dict[int, list[float]] = {}
        for cell in run.of(arm):
            for row in cell.rows:
                if (value := measure.of(row)) is not None:
                    by_size.setdefault(row.size, []).append(value)
        sizes = tuple(sorted(by_size))
        if sizes:
            spreads = tuple(s for size in sizes if (s := spread(by_size[size])))
            found.append(Series(arm, sizes, spreads))
    return found


def chosen_sizes(run: Run) -> list[int]:
    """Choose sizes for the tables: all if they are few, else round ones that all arms report, and the largest."""
    of_arms = [{row.size for cell in run.of(arm) for row in cell.rows} for arm in run.arms]
    common = set.intersection(*of_arms) if of_arms else set()
    sizes = sorted(common or set().union(*of_arms))
    if len(sizes) <= _N_SIZES:
        return sizes
    chosen = [size for size in sizes if size in _ROUND][-_N_SIZES:]
    if len(chosen) < 3:
        chosen = [sizes[k * (len(sizes) - 1) // (_N_SIZES - 1)] for k in range(_N_SIZES)]
    return chosen if sizes[-1] < 1.2 * chosen[-1] else [*chosen[-_N_SIZES + 1 :], sizes[-1]]


def main_size(run: Run, sizes: Sequence[int]) -> int:
    """Return the largest of the sizes that the most arms report: the one worth a sentence."""
    found = {size: len({cell.arm for cell in run.cells if size in cell.by_size}) for size in sizes}
    return max(sizes, key=lambda size: (found[size], size))


def modelled_minutes(run: Run, cell: Cell) -> float | None:
    """Return the minutes that the run's cost model, a + b d milliseconds, gives a cell."""
    if run.cost_model is None or cell.sum_of_sizes is None:
        return None
    base, slope = run.cost_model
    return (base * cell.n_evaluations + slope * cell.sum_of_sizes) / 60_000.0
