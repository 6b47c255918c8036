"""Measures of finished cells: the numbers of our runs that stand beside the printed ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import TypeAlias

from sweepless._phrases import ranges
from sweepless.reports.records import Cell, Row, Run


class NotRun(Exception):
    """A number needs cells, or sizes, that were not run."""


@dataclass
class Runs:
    """The campaigns that were run, by name.

    Attributes
    ----------
    lenient : bool
        Take the seeds that there are, and note in `fewer` which those were.
    """

    by_name: Mapping[str, Run]
    lenient: bool = False
    fewer: dict[str, None] = field(default_factory=dict)


Measure: TypeAlias = Callable[[Runs], float]
"""A number out of the finished cells; raises `NotRun` if some of them are missing."""


@dataclass(frozen=True)
class Arm:
    """An arm of a campaign on the seeds that the paper ran it on."""

    campaign: str
    name: str
    seeds: tuple[int, ...]

    def on(self, *seeds: int) -> Arm:
        return replace(self, seeds=seeds)

    def cells(self, runs: Runs) -> list[Cell]:
        """Return the cell of every seed."""
        run = runs.by_name.get(self.campaign)
        found = {cell.seed: cell for cell in run.of(self.name)} if run is not None else {}
        there = [seed for seed in self.seeds if seed in found]
        missing = [seed for seed in self.seeds if seed not in found]
        if missing and (not runs.lenient or not there):
            raise NotRun(f"needs {self.name} on seed{'s' * (len(missing) > 1)} {ranges(missing)}")
        if missing:
            runs.fewer[f"{self.name}: seed{'s' * (len(there) > 1)} {ranges(there)} only"] = None
        return [found[seed] for seed in there]

    def each(self, of: Callable[[Cell], float], over: Callable[[list[float]], float] = fmean) -> Measure:
        """Measure every cell, and reduce over the seeds: their mean, `min`, `max`, `median` …"""
        return lambda runs: over([of(cell) for cell in self.cells(runs)])

    def value(self, size: int) -> Measure:
        """Return the mean criterion value at a size."""
        return self.each(lambda cell: value(cell, size))

    def holdout(self, size: int, classifier: str = "knn") -> Measure:
        """Return the mean accuracy on data the search never saw."""
        return self.each(lambda cell: holdout(cell, size, classifier))

    def thousands(self) -> Measure:
        """Return the mean evaluations in thousands, without warm-up: so the paper counts them (semantics: totals)."""
        return self.each(lambda cell: without_warm_up(cell) / 1000)


def row(cell: Cell, size: int) -> Row:
    """Return what is reported at a size."""
    if size not in cell.by_size:
        raise NotRun(f"needs size {size} of {cell.arm}")
    return cell.by_size[size]


def value(cell: Cell, size: int) -> float:
    found = row(cell, size).value
    if found is None:
        raise NotRun(f"needs a value of {cell.arm} at size {size}")
    return found


def holdout(cell: Cell, size: int, classifier: str = "knn") -> float:
    found = row(cell, size).holdout
    if classifier not in found:
        raise NotRun(f"needs {cell.arm} at size {size} validated by {classifier}")
    return found[classifier]


def without_warm_up(cell: Cell) -> int:
    return cell.n_evaluations - cell.phases["warm_up"]


def minutes(cell: Cell, base: float, slope: float) -> float:
    """Return what a cell costs if an evaluation of d features takes base + slope d milliseconds."""
    if cell.sum_of_sizes is None:
        raise NotRun(f"needs the sizes of all subsets that {cell.arm} evaluated")
    return (base * cell.n_evaluations + slope * cell.sum_of_sizes) / 60_000


def difference(first: Measure, second: Measure) -> Measure:
    return lambda runs: first(runs) - second(runs)


def ratio(first: Measure, second: Measure) -> Measure:
    return lambda runs: first(runs) / second(runs)


def percent(measure: Measure) -> Measure:
    return lambda runs: 100 * measure(runs)


def paired(first: Arm, second: Arm, of: Callable[[Cell], float], over: Callable[[list[float]], float]) -> Measure:
    """Reduce the differences first minus second, seed by seed."""

    def measure(runs: Runs) -> float:
        theirs = {cell.seed: of(cell) for cell in second.cells(runs)}
        return over([of(cell) - theirs[cell.seed] for cell in first.cells(runs) if cell.seed in theirs])

    return measure


def over_all(measures: Iterable[Measure], reduce: Callable[[list[float]], float]) -> Measure:
    """Reduce several measures to one: the least, the greatest …"""
    listed = list(measures)
    return lambda runs: reduce([measure(runs) for measure in listed])
