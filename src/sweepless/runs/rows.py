"""One row per reported size: the subset, its value, when it was found, and what it is worth on other data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from sweepless.criteria.base import Criterion
from sweepless.criteria.registry import predictor_of
from sweepless.dataset import Dataset
from sweepless.runs.plan import Cell
from sweepless.runs.sizes import chosen_sizes, wanted
from sweepless.search.archive import Record
from sweepless.search.ranking import Ranking, prefix_curve
from sweepless.search.result import Result
from sweepless.validation.holdout import holdout_score

_MOST_STEPS = 4000


def recorded_rows(
    cell: Cell, criterion: Criterion, result: Result, train: Dataset, test: Dataset | None
) -> list[dict[str, Any]]:
    """Return the best subset on record of every reported size that the search met."""
    holdout = _Holdout(cell, criterion, train, test)
    return [holdout.row(result.archive[size]) for size in wanted(cell.arm.report, result.archive)]


def prefix_rows(
    cell: Cell, criterion: Criterion, result: Result, train: Dataset, test: Dataset | None
) -> list[dict[str, Any]]:
    """Return the prefixes of a ranking, each at the price of the ranking and of one evaluation (C61)."""
    if result.order is None or result.scores is None:  # stopped before there was a ranking
        return []
    stop = cell.arm.stop
    most = result.n_features
    if chosen_sizes(cell.arm.report) is None:
        most = min(most, stop.get("max_size") or stop.get("target") or most)
    sizes = wanted(cell.arm.report, range(1, most + 1))
    holdout = _Holdout(cell, criterion, train, test)
    n_evaluations, sum_of_sizes = ranking_cost(result)
    return [
        holdout.row(replace(record, n_evaluations=n_evaluations + 1, sum_of_sizes=sum_of_sizes + record.size))
        for record in prefix_curve(Ranking(result.order, result.scores), criterion, train, sizes)
    ]


def ranking_cost(result: Result) -> tuple[int, int]:
    """Return the evaluations that ranking took, without the first prefix that ended the run, and their sizes."""
    prefixes = result.anatomy.forward
    return result.n_evaluations - prefixes, result.anatomy.sizes - prefixes


class _Holdout:
    """Validates subsets by the classifiers that the campaign names, at the sizes that it names."""

    def __init__(self, cell: Cell, criterion: Criterion, train: Dataset, test: Dataset | None) -> None:
        self._criterion, self._train, self._test = criterion, train, test
        self._sizes = chosen_sizes(cell.validation["sizes"])
        self._names: list[str] = cell.validation["classifiers"]
        self._own = predictor_of(cell.arm.criterion["name"])

    def row(self, record: Record) -> dict[str, Any]:
        return {
            "size": record.size,
            "value": record.value,
            "n_evaluations": record.n_evaluations,
            "sum_of_sizes": record.sum_of_sizes,
            "features": record.features.tolist(),
            "holdout": self._values(record),
        }

    def _values(self, record: Record) -> dict[str, float]:
        if self._test is None or (self._sizes is not None and record.size not in self._sizes):
            return {}
        values: dict[str, float] = {}
        if "same" in self._names and self._own is not None:
            values[self._own] = self._criterion.validate(self._train, self._test, record.features)
        for name in self._names:
            if name != "same" and name not in values:
                values[name] = holdout_score(name, self._train, self._test, record.features)
        return values


def trajectory(result: Result) -> list[list[Any]]:
    """Return every taken step, evenly thinned if they are many; the first and the last stay."""
    steps = [step for step in result.trace if step.direction != "recall"]
    kept = range(len(steps))
    if len(steps) > _MOST_STEPS:
        kept = np.linspace(0, len(steps) - 1, _MOST_STEPS).round().astype(int).tolist()
    return [[steps[k].n_evaluations, steps[k].size, steps[k].value, steps[k].direction] for k in kept]
