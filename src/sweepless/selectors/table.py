"""The recorded subsets side by side: optimised, fold by fold, audited."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from sweepless._typing import AnyArray, Values
from sweepless.selectors.outcome import Subset
from sweepless.selectors.problem import Problem


class SubsetTable:
    """One row per recorded size, ascending.

    Scores are values before costs: what the estimator itself reaches.
    """

    def __init__(self, subsets: Mapping[int, Subset], problem: Problem) -> None:
        self.sizes = np.array(sorted(subsets), dtype=np.intp)
        found = [subsets[size] for size in self.sizes.tolist()]
        self.values = np.array([subset.value for subset in found])
        self.costs = np.array([problem.cost(subset.features) for subset in found])
        self._has_costs = problem.costs is not None
        self._subsets = [subset.features for subset in found]
        self._foldwise = problem.foldwise
        self._is_report = problem.foldwise is not None and problem.foldwise.is_report
        self.audited: Values | None = None
        self.audited_errors: Values | None = None
        if problem.audit is not None:
            self.audited, self.audited_errors = problem.audit(self._subsets)

    def settle(self) -> None:
        """Compute what is still to compute, and let go of the data."""
        _ = self.folds
        self._foldwise = None

    @cached_property
    def folds(self) -> Values | None:
        """The score of every subset on every fold; None if the criterion does not tell."""
        return None if self._foldwise is None else self._foldwise(self._subsets)

    def score(self, row: int) -> float:
        return float(self.values[row] + self.costs[row])

    def error(self, row: int) -> float:
        """Return the standard error over folds of one row; 0 if there are none to tell."""
        if self._foldwise is None and self.folds is None:
            return 0.0
        if "folds" in self.__dict__:
            scores = self.folds[row]  # type: ignore[index]
        else:  # one row is all that is asked for
            scores = self._foldwise([self._subsets[row]])[0]  # type: ignore[misc]
        return float(np.std(scores, ddof=1) / np.sqrt(len(scores))) if len(scores) > 1 else 0.0

    def gap_error(self, row: int) -> float:
        """Return the standard error of the difference between the optimised and the audited score."""
        assert self.audited_errors is not None  # nosec B101 # only tells the type
        return float(np.hypot(self.audited_errors[row], self.error(row)))

    @cached_property
    def columns(self) -> dict[str, AnyArray]:
        """The columns of `cv_results_`."""
        table: dict[str, AnyArray] = {"n_features": self.sizes, "mean_test_score": self.values + self.costs}
        if self.folds is not None:
            if self._is_report:
                table["mean_test_score"] = self.folds.mean(axis=1)
            table["std_test_score"] = self.folds.std(axis=1)
            table |= {f"split{k}_test_score": self.folds[:, k] for k in range(self.folds.shape[1])}
        if self._has_costs:
            table["cost"] = self.costs
        if self.audited is not None and self.audited_errors is not None:
            table["audit_score"] = self.audited
            table["audit_score_error"] = self.audited_errors
        return table

    def audit_results(self) -> dict[str, AnyArray]:
        """Return the optimised and the audited scores, and what lies between."""
        assert self.audited is not None and self.audited_errors is not None  # nosec B101 # only tells the type
        optimised = self.values + self.costs
        return {
            "n_features": self.sizes,
            "optimised": optimised,
            "audited": self.audited,
            "standard_error": self.audited_errors,
            "gap": optimised - self.audited,
        }
