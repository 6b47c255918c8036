"""The finished cells of a comparison, by arm, size and seed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

import numpy as np
from scipy.stats import t as student

from sweepless._typing import Values
from sweepless.reports.records import Run
from sweepless.reports.run_statistics import MINIMUM, Measure, by_seed, subsets_at
from sweepless.reports.table import Spread
from sweepless.stability import nogueira_stability

CONFIDENCE = 0.95
VALUE = "value"
ALL_JUDGES = "all judges"  # the mean over the classifiers or regressors of the holdout


@dataclass(frozen=True)
class Difference:
    """The mean paired difference of two arms over the seeds, and how uncertain it is."""

    mean: float
    reach: float  # half the width of the confidence interval; infinite with fewer than three seeds

    @property
    def is_clear(self) -> bool:
        return abs(self.mean) > self.reach


@dataclass(frozen=True)
class Results:
    """What a comparison found; arrays over seeds have one entry per seed, in the order of the run."""

    run: Run

    @property
    def arms(self) -> tuple[str, ...]:
        """Return the arms that select, in the order in which they were planned."""
        return self.run.arms

    @property
    def reference(self) -> str | None:
        """Return the name of the cells that select nothing and use all features, if there are any."""
        return self.run.references[0].arm if self.run.references else None

    @cached_property
    def sizes(self) -> list[int]:
        return sorted({row.size for cell in self.run.cells for row in cell.rows})

    @property
    def n_features(self) -> int:
        return self.run.cells[0].n_features

    def over_seeds(self, arm: str, size: int, what: str) -> Values:
        """Return what an arm reached at a size on every seed; NaN where it did not get that far.

        `what` is "value", the name of a classifier of the holdout, or "all judges" for the mean of those; the reference
        has only one size.
        """
        if what == ALL_JUDGES:
            each = [self.over_seeds(arm, size, judge) for judge in self.run.classifiers]
            return np.asarray(np.mean(each, axis=0), dtype=np.float64)
        is_reference = arm == self.reference
        cells = self.run.references if is_reference else self.run.of(arm)
        measure = Measure(None if what == VALUE else what)
        found = by_seed(cells, measure, self.n_features if is_reference else size)
        return np.array([found.get(seed, np.nan) for seed in self.run.seeds], dtype=np.float64)

    def has(self, arm: str, size: int, what: str) -> bool:
        return not np.isnan(self.over_seeds(arm, size, what)).any()

    def arms_at(self, size: int, what: str) -> list[str]:
        """Return the arms that have this size on every seed, the greatest mean first."""
        there = [arm for arm in self.arms if self.has(arm, size, what)]
        return sorted(there, key=lambda arm: -self.mean(arm, size, what))

    def mean(self, arm: str, size: int, what: str) -> float:
        return float(np.mean(self.over_seeds(arm, size, what)))

    def spread(self, arm: str, size: int, what: str) -> Spread:
        """Return the mean with the standard deviation over the seeds."""
        numbers = self.over_seeds(arm, size, what)
        deviation = float(np.std(numbers, ddof=1)) if len(numbers) > 1 else None
        return Spread(float(np.mean(numbers)), deviation, len(numbers))

    def difference(self, first: str, second: str, size: int, what: str) -> Difference:
        """Compare two arms on the same splits."""
        return self.paired(self.over_seeds(first, size, what) - self.over_seeds(second, size, what))

    def paired(self, differences: Values) -> Difference:
        """Return the mean difference with the reach of its confidence interval.

        The splits of the seeds share samples, so their differences vary less than independent ones would. The
        variance is corrected for it after Nadeau and Bengio (2003): 1/n + n_test/n_train instead of 1/n.
        """
        n_seeds = len(differences)
        if n_seeds < MINIMUM:
            return Difference(float(np.mean(differences)), float("inf"))
        cell = self.run.cells[0]
        n_train, n_test = cell.n_train or 1, cell.n_test or 1
        # Accuracies are counts: if a few seeds agree to the last sample, that is luck and not certainty.
        least = 1.0 / n_test if self.run.data.get("n_classes", 0) is not None else 0.0
        spread = max(float(np.std(differences, ddof=1)), least)
        deviation = spread * (1.0 / n_seeds + n_test / n_train) ** 0.5
        quantile = float(student.ppf(0.5 + CONFIDENCE / 2, n_seeds - 1))
        return Difference(float(np.mean(differences)), quantile * deviation)

    def n_evaluations(self, arm: str) -> float:
        """Return the mean number of evaluations that choosing took on a seed."""
        return fmean(cell.n_evaluations for cell in self.run.of(arm))

    def seconds(self, arm: str) -> float | None:
        """Return the mean seconds that choosing took on a seed, None if they were not recorded."""
        times = [cell.search_seconds for cell in self.run.of(arm) if cell.search_seconds is not None]
        return fmean(times) if times else None

    def stability(self, arm: str, size: int) -> float | None:
        """Return how much the subsets of the seeds agree beyond chance (Nogueira et al.), None for one seed."""
        chosen = subsets_at(self.run, arm, size)
        return nogueira_stability(chosen, self.n_features).value if len(chosen) > 1 else None
