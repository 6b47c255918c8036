"""The finished cells of a comparison, by arm, size and seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.stats import t as student

from sweepless._typing import Values
from sweepless.validation.stability import nogueira_stability

ALL = "all features"
CONFIDENCE = 0.95

Cell = Mapping[str, Any]


@dataclass(frozen=True)
class Difference:
    """The mean paired difference of two arms over the seeds, and how far it is uncertain."""

    mean: float
    reach: float  # half the width of the confidence interval; infinite with fewer than two seeds

    @property
    def is_clear(self) -> bool:
        return abs(self.mean) > self.reach


@dataclass(frozen=True)
class Results:
    """Rows of all arms; every table over seeds has one entry per seed, in the order of `seeds`."""

    cells: Sequence[Cell]

    @cached_property
    def arms(self) -> list[str]:
        """The arms that select, in the order they were planned in."""
        return list(dict.fromkeys(cell["arm"] for cell in self.cells if cell["arm"] != ALL))

    @cached_property
    def seeds(self) -> list[int]:
        return sorted({cell["seed"] for cell in self.cells})

    @cached_property
    def sizes(self) -> list[int]:
        return sorted({row["size"] for cell in self.cells if cell["arm"] != ALL for row in cell["rows"]})

    @cached_property
    def classifiers(self) -> list[str]:
        """The classifiers of the holdout, the criterion's own first if it has one."""
        return list(dict.fromkeys(name for cell in self.cells for row in cell["rows"] for name in row["holdout"]))

    @cached_property
    def _rows(self) -> dict[tuple[str, int, int], Mapping[str, Any]]:
        return {(cell["arm"], cell["seed"], row["size"]): row for cell in self.cells for row in cell["rows"]}

    @cached_property
    def _all_size(self) -> int:
        return int(self.cells[0]["n_features"])

    def over_seeds(self, arm: str, size: int, what: str) -> Values:
        """Return what an arm reached at a size: "value", or the holdout of the classifier of that name."""
        size = self._all_size if arm == ALL else size
        rows = [self._rows.get((arm, seed, size), {"value": None, "holdout": {}}) for seed in self.seeds]
        found = [row["value"] if what == "value" else row["holdout"].get(what) for row in rows]
        return np.array([np.nan if number is None else number for number in found], dtype=np.float64)

    def has(self, arm: str, size: int, what: str) -> bool:
        return not np.isnan(self.over_seeds(arm, size, what)).any()

    def mean(self, arm: str, size: int, what: str) -> float:
        return float(np.mean(self.over_seeds(arm, size, what)))

    def spread(self, arm: str, size: int, what: str) -> float:
        """Return the standard deviation over the seeds, NaN for a single one."""
        numbers = self.over_seeds(arm, size, what)
        return float(np.std(numbers, ddof=1)) if len(numbers) > 1 else float("nan")

    def difference(self, first: str, second: str, size: int, what: str) -> Difference:
        """Compare two arms on the same splits.

        The splits of the seeds share samples, so their differences vary less than independent ones would; the
        variance is corrected for it after Nadeau and Bengio (2003): 1/n + n_test/n_train instead of 1/n.
        """
        return self.paired(self.over_seeds(first, size, what) - self.over_seeds(second, size, what))

    def paired(self, differences: Values) -> Difference:
        n_seeds = len(differences)
        if n_seeds < 2:
            return Difference(float(np.mean(differences)), float("inf"))
        ratio = self.cells[0]["n_test"] / self.cells[0]["n_train"]
        deviation = float(np.std(differences, ddof=1)) * (1.0 / n_seeds + ratio) ** 0.5
        return Difference(float(np.mean(differences)), float(student.ppf(0.5 + CONFIDENCE / 2, n_seeds - 1)) * deviation)

    def leader(self, size: int, what: str) -> str:
        """Return the arm with the greatest mean, the first planned of equal ones."""
        return max((arm for arm in self.arms if self.has(arm, size, what)), key=lambda arm: self.mean(arm, size, what))

    def n_evaluations(self, arm: str) -> float:
        """Return the mean over seeds of the evaluations that choosing took."""
        return float(np.mean([cell["n_evaluations"] for cell in self.cells if cell["arm"] == arm]))

    def stability(self, arm: str, size: int) -> float:
        """Return how much the subsets of the seeds agree, beyond chance (Nogueira et al.); NaN for one seed."""
        chosen = [self._rows[key]["features"] for seed in self.seeds if (key := (arm, seed, size)) in self._rows]
        return nogueira_stability(chosen, self._all_size).value if len(chosen) > 1 else float("nan")
