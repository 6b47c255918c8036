"""What a run found, in the user's terms: features instead of units, sizes that count the fixed ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import comb
from typing import Any

import numpy as np

from sweepless._typing import AnyArray, Features, Mask, Values
from sweepless.direction import Direction
from sweepless.search.archive import Record
from sweepless.search.events import TracedStep
from sweepless.search.methods import Method
from sweepless.search.plan import Plan
from sweepless.search.result import Result
from sweepless.search.sampled import SampledSteps
from sweepless.selectors.layout import Layout
from sweepless.selectors.problem import Problem


@dataclass(frozen=True, eq=False)
class Subset:
    """The best subset found of one size; `features, value = subset` takes it apart.

    Attributes
    ----------
    features : array of int
    value : float
    names : array of str
        Of the features, as in `get_feature_names_out`.
    """

    features: Features
    value: float
    feature_names: AnyArray | None = field(default=None, repr=False)  # of all features, shared

    @property
    def names(self) -> AnyArray:
        if self.feature_names is None:
            return np.array([f"x{feature}" for feature in self.features.tolist()], dtype=object)
        return np.asarray(self.feature_names[self.features])

    def __iter__(self) -> Iterator[Any]:
        yield self.features
        yield self.value

    def __repr__(self) -> str:
        return f"Subset(features={self.features.tolist()}, value={self.value!r}, names={self.names.tolist()})"


@dataclass(frozen=True)
class Coverage:
    """How much of the feature set a search has looked at, and what won its steps.

    Attributes
    ----------
    share : float
        Features that were a candidate of a valued step or in a probe, of all that could be.
    n_tried : int
    floor_wins : int
        Steps won by a candidate of the exploration floor, which draws among the least evaluated.
    softmax_wins : int
        Steps won by a candidate drawn for its score.
    sweep_wins : int
        Steps that valued the whole pool.
    budgets : str
        What the budgets of the steps came to, in words.
    """

    share: float
    n_tried: int
    floor_wins: int
    softmax_wins: int
    sweep_wins: int
    budgets: str


def found_subsets(result: Result, layout: Layout, names: AnyArray | None) -> dict[int, Subset]:
    """Return the best subset of every size; of a run stopped in its warm-up, the best probe."""
    records: Mapping[int, Record] = result.archive
    if not records and result.best_probe is not None:
        records = {result.best_probe.size: result.best_probe}
    return {
        size + layout.n_fixed: Subset(layout.features(record.features), record.value, names)
        for size, record in records.items()
    }


def taken_steps(result: Result, layout: Layout) -> list[TracedStep]:
    """Return the steps of the run."""
    return [
        replace(step, size=step.size + layout.n_fixed, features=layout.moved(step.features)) for step in result.trace
    ]


def coverage(result: Result, plan: Plan) -> Coverage:
    """Count what was looked at and what won."""
    wins = {"floor": 0, "softmax": 0, "sweep": 0}
    for step in result.trace:
        if step.direction != "recall":
            wins[_winner(step, plan.method, result.n_features)] += 1
    n_tried = 0 if result.tried is None else int(np.count_nonzero(result.tried))
    share = n_tried / result.n_features
    return Coverage(share, n_tried, wins["floor"], wins["softmax"], wins["sweep"], plan.budgets)


def _winner(step: TracedStep, method: Method, n_features: int) -> str:
    direction = next(way for way in Direction if way.label == step.direction)
    n_moved = len(step.features)
    pool_size = direction.pool_size(step.size - direction.sign * n_moved, n_features)
    if not isinstance(method.steps, SampledSteps) or step.n_proposed == comb(pool_size, n_moved):
        return "sweep"
    return "floor" if step.position < method.steps.proposal.n_floor(step.n_proposed) else "softmax"


def ranks(support: Mask, subsets: Mapping[int, Subset], scores: Values | None) -> Features:
    """Rank features as RFE does: 1 for the selected, then the others in order.

    Features of many recorded subsets come first, then those of high scores, then by index.
    """
    often = np.zeros(len(support), dtype=np.intp)
    for subset in subsets.values():
        often[subset.features] += 1
    learned = np.zeros(len(support)) if scores is None else np.nan_to_num(scores, nan=-np.inf)
    order = np.lexsort((np.arange(len(support)), -learned, -often))
    others = order[~support[order]]
    ranking = np.ones(len(support), dtype=np.intp)
    ranking[others] = np.arange(2, len(others) + 2)
    return ranking


class SubsetTable:
    """The recorded subsets side by side, one row per size: optimized, fold by fold, audited.

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
        """The score of every subset on every fold; None if the criterion has no folds to show."""
        return None if self._foldwise is None else self._foldwise(self._subsets)

    def nearest(self, size: int) -> int:
        """Return the recorded size that is nearest to a size."""
        return int(self.sizes[np.argmin(np.abs(self.sizes - size))])

    def score(self, row: int) -> float:
        return float(self.values[row] + self.costs[row])

    def error(self, row: int) -> float:
        """Return the standard error over folds of one row; 0 if there are no folds."""
        if self._foldwise is None and self.folds is None:
            return 0.0
        if "folds" in self.__dict__:
            scores = self.folds[row]  # type: ignore[index]
        else:  # one row is all that is asked for
            scores = self._foldwise([self._subsets[row]])[0]  # type: ignore[misc]
        return float(np.std(scores, ddof=1) / np.sqrt(len(scores))) if len(scores) > 1 else 0.0

    def gap_error(self, row: int) -> float:
        """Return the standard error of the difference between the optimized and the audited score."""
        assert self.audited_errors is not None  # nosec B101 # for the type checker
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
        """Return the optimized and the audited scores, and what lies between."""
        assert self.audited is not None and self.audited_errors is not None  # nosec B101 # for the type checker
        optimized = self.values + self.costs
        return {
            "n_features": self.sizes,
            "optimized": optimized,
            "audited": self.audited,
            "standard_error": self.audited_errors,
            "gap": optimized - self.audited,
        }
