"""Statistics over the seeds of a run: means, paired tests, subsets, and the sizes worth a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from math import fsum, sqrt
from statistics import fmean

import numpy as np

from sweepless.reports.records import Cell, Row, Run
from sweepless.reports.table import Spread

PHASES = {"warm_up": "warm-up", "ranking": "ranking", "start": "start", "forward": "forward", "backward": "backward"}
MINIMUM = 3  # paired seeds, below which no test says anything
_ROUND = (1, 2, 5, 10, 20, 50, 100, 150, 200, 300, 500, 1000, 2000, 5000, 10000)
_N_SIZES = 6
_DIGITS = 12
_MOST_COUNTED = 50  # pairs up to which all sign patterns are counted


@dataclass(frozen=True)
class Measure:
    """The criterion's value (no classifier), or the score of a classifier on data that the search never saw."""

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
class ArmMeans:
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
    """Return mean and sample standard deviation (n - 1), or None if there are no values."""
    if not values:
        return None
    n, mean = len(values), fmean(values)
    return Spread(mean, sqrt(fsum((value - mean) ** 2 for value in values) / (n - 1)) if n > 1 else None, n)


def arm_means(run: Run, measure: Measure) -> list[ArmMeans]:
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
            found.append(ArmMeans(arm, sizes, spreads))
    return found


def references(run: Run, measure: Measure) -> dict[str, Spread]:
    """Return what every reference reaches, whatever the size."""
    by_name: dict[str, list[float]] = {}
    for cell in run.references:
        for row in cell.rows:
            if (value := measure.of(row)) is not None:
                by_name.setdefault(cell.arm, []).append(value)
    return {name: found for name, values in by_name.items() if (found := spread(values))}


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


def by_seed(cells: Sequence[Cell], measure: Measure, size: int) -> dict[int, float]:
    """Return a measure at one size by seed, for the seeds that have it."""
    rows = {cell.seed: cell.by_size[size] for cell in cells if size in cell.by_size}
    return {seed: value for seed, row in rows.items() if (value := measure.of(row)) is not None}


def subsets_at(run: Run, arm: str, size: int) -> list[tuple[int, ...]]:
    """Return what every seed of an arm selected at a size, if it got there."""
    return [cell.by_size[size].features for cell in run.of(arm) if size in cell.by_size]


@dataclass(frozen=True)
class PairedTest:
    """Differences first minus second over n seeds: t test and Wilcoxon's signed ranks, two-sided.

    Where a test is not defined its numbers are None and `why` says so.
    """

    first: str
    second: str
    size: int
    n: int
    difference: float
    t: float | None = None
    t_p: float | None = None
    w: float | None = None
    w_p: float | None = None
    why: str = ""


@lru_cache(maxsize=256)  # tables and sentences ask for the same tests
def paired_tests(run: Run, measure: Measure, size: int) -> tuple[PairedTest, ...]:
    """Test every pair of arms at one size; pairs without a common seed are left out."""
    values = {arm: by_seed(run.of(arm), measure, size) for arm in run.arms}
    found = []
    for first, second in combinations(run.arms, 2):
        seeds = sorted(values[first].keys() & values[second].keys())
        if seeds:
            # Rounding errors of the subtraction must not break ties.
            differences = [round(values[first][seed] - values[second][seed], _DIGITS) for seed in seeds]
            found.append(_tested(first, second, size, differences))
    return tuple(found)


def _tested(first: str, second: str, size: int, differences: list[float]) -> PairedTest:
    n, mean = len(differences), fmean(differences)
    untested = PairedTest(first, second, size, n, mean)
    if n < MINIMUM:
        return replace(untested, why=f"needs {MINIMUM} paired seeds")
    if not any(differences):
        return replace(untested, why="undefined: all differences are zero")
    from scipy import stats

    w, w_p = signed_ranks(differences)
    ranked = replace(untested, w=w, w_p=w_p)
    if len(set(differences)) == 1:
        return replace(ranked, why="t undefined: all differences are equal")
    student = stats.ttest_1samp(differences, 0.0)
    return replace(ranked, t=float(student.statistic), t_p=float(student.pvalue))


def signed_ranks(differences: Sequence[float]) -> tuple[float, float]:
    """Return the smaller sum of ranks and its two-sided p; differences of zero are left out, equal ones share ranks.

    Under the null hypothesis every sign pattern is as likely as any other: their rank sums are counted. (SciPy does so
    by evaluating the statistic on every pattern as soon as two differences are equal, a second for ten pairs.)
    """
    from scipy import stats

    found = np.asarray([difference for difference in differences if difference != 0.0])
    if len(found) > _MOST_COUNTED:
        large = stats.wilcoxon(found, method="approx")
        return float(large.statistic), float(large.pvalue)
    doubled = np.rint(2 * stats.rankdata(np.abs(found))).astype(int)  # shared ranks end in a half
    positive = int(doubled[found > 0].sum())
    least = min(positive, int(doubled.sum()) - positive)
    counts = np.zeros(int(doubled.sum()) + 1)
    counts[0] = 1.0
    for rank in doubled:
        counts[rank:] += counts[:-rank].copy()
    return least / 2, min(1.0, 2.0 * float(counts[: least + 1].sum()) / 2.0 ** len(found))
