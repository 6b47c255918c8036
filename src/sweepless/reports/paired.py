"""Paired tests between two arms over the seeds both have."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from statistics import fmean

from sweepless.reports.records import Run
from sweepless.reports.signed_ranks import signed_ranks
from sweepless.reports.summary import Measure

MINIMUM = 3  # pairs, below which no test says anything
_DIGITS = 12


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


@lru_cache(maxsize=256)  # tables and sentences ask for the same; exact ranks with ties are slow
def paired_tests(run: Run, measure: Measure, size: int) -> tuple[PairedTest, ...]:
    """Test every pair of arms at one size; pairs without a common seed are left out."""
    values = {arm: _by_seed(run, arm, measure, size) for arm in run.arms}
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


def _by_seed(run: Run, arm: str, measure: Measure, size: int) -> dict[int, float]:
    rows = {cell.seed: cell.by_size.get(size) for cell in run.of(arm)}
    values = {seed: measure.of(row) for seed, row in rows.items() if row is not None}
    return {seed: value for seed, value in values.items() if value is not None}
